"""What follows a response, for every stop reason."""

from typing import Any

import pytest

from hames.harness.calls import Use
from hames.harness.steps import (
    BROKEN_OFF,
    GO_ON,
    GO_ON_CUT,
    GO_ON_EMPTY,
    LIMIT_REACHED,
    AskAgain,
    Counts,
    End,
    Response,
    RunCalls,
    final_text,
    next_step,
    refusal_text,
)

USE = Use("toolu_1", "Bash", {"command": "ls"}, "entry")
BROKEN = Use("toolu_2", "Bash", {}, "entry", "it is not valid JSON")


def response(reason: str | None, text: str = "", *uses: Use, **more: Any) -> Response:
    blocks = ({"type": "text", "text": text},) if text else ()
    return Response(blocks, uses, reason, **more)


TABLE: dict[str, tuple[Response, bool, object]] = {
    "an answer": (response("end_turn", "hi"), False, End("completed", stop_reason="end_turn")),
    "a stop sequence": (
        response("stop_sequence", "hi"),
        False,
        End("completed", stop_reason="stop_sequence"),
    ),
    "an unknown reason": (response("new", "hi"), False, End("completed", stop_reason="new")),
    "an empty answer": (response("end_turn"), False, End("completed", stop_reason="end_turn")),
    "an empty answer after results": (response("end_turn"), True, AskAgain(GO_ON_EMPTY)),
    "a call": (response("tool_use", "", USE), False, RunCalls()),
    "a call at the limit": (response("max_tokens", "", USE), False, RunCalls()),
    "a call of a cut response": (response(None, "", USE, cut=True), False, RunCalls()),
    "a call of a paused turn": (response("pause_turn", "", USE), False, RunCalls()),
    "a broken call": (response("max_tokens", "", BROKEN), False, RunCalls()),
    "text at the limit": (response("max_tokens", "hi"), False, AskAgain(GO_ON)),
    "cut text": (response(None, "hi", cut=True), False, AskAgain(GO_ON_CUT)),
    "a pause": (response("pause_turn", "hi"), False, AskAgain(None)),
    "a compaction": (response("compaction"), False, AskAgain(None)),
}


@pytest.mark.parametrize("name", list(TABLE))
def test_the_step(name: str) -> None:
    given, after_results, step = TABLE[name]
    assert next_step(given, Counts(), after_results=after_results) == step


@pytest.mark.parametrize("reason", ["refusal", "model_context_window_exceeded"])
def test_reasons_that_end_a_turn_with_an_error_run_no_call(reason: str) -> None:
    step = next_step(response(reason, "hi", USE), Counts(), after_results=False)
    assert isinstance(step, End)
    assert step.error


@pytest.mark.parametrize(
    ("given", "times", "error"),
    [
        (response("max_tokens", "hi"), 3, LIMIT_REACHED),
        (response(None, "hi", cut=True), 3, BROKEN_OFF),
        (response("pause_turn", "hi"), 10, "The model paused its turn too many times."),
    ],
)
def test_what_goes_on_for_ever_is_given_up(given: Response, times: int, error: str) -> None:
    counts = Counts()
    for _ in range(times):
        assert isinstance(next_step(given, counts, after_results=False), AskAgain)
    step = next_step(given, counts, after_results=False)
    assert isinstance(step, End)
    assert (step.terminal_reason, step.error) == ("model_error", error)


def test_an_empty_answer_is_asked_for_once_between_two_calls() -> None:
    counts = Counts()
    empty = response("end_turn")
    assert isinstance(next_step(empty, counts, after_results=True), AskAgain)
    assert isinstance(next_step(empty, counts, after_results=True), End)
    next_step(response("tool_use", "", USE), counts, after_results=False)
    assert isinstance(next_step(empty, counts, after_results=True), AskAgain)


def test_broken_calls_alone_end_after_the_fourth_message() -> None:
    counts = Counts()
    broken, mixed = response("max_tokens", "", BROKEN), response("tool_use", "", BROKEN, USE)
    for given in (broken, broken, broken, mixed, broken, broken, broken):
        assert next_step(given, counts, after_results=False) == RunCalls()
    step = next_step(broken, counts, after_results=False)
    assert isinstance(step, RunCalls)
    assert step.then is not None
    assert step.then.terminal_reason == "malformed_tool_use_exhausted"


@pytest.mark.parametrize(
    ("details", "words"),
    [
        (None, "declined to answer this request. Rephrase"),
        ({"category": "cyber"}, "(cyber). Rephrase"),
        ({"category": None, "explanation": "because"}, "request: because"),
        ({"category": 7, "explanation": ["x"]}, "request. Rephrase"),
    ],
)
def test_a_refusal_says_what_is_known(details: Any, words: str) -> None:
    assert words in refusal_text(details)


@pytest.mark.parametrize(
    ("texts", "answer"),
    [([], ""), (["a"], "a"), (["a", "b"], "b"), (["a", " \n", ""], "a"), ([""], "")],
)
def test_the_answer_is_the_last_text(texts: list[str], answer: str) -> None:
    assert final_text(texts) == answer
