"""What follows a response: pure decisions over stop reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hames.harness.calls import Use
from hames.system.types import JsonObject

GO_ON = "Your last message reached the output limit. Continue exactly where it ended."
GO_ON_CUT = "The connection broke while you were answering. Continue where your message ended."
GO_ON_EMPTY = "Continue: act on the results above, or give your final answer."

WINDOW_FULL = "The conversation no longer fits the model's window."
UNREADABLE = "The model keeps writing tool calls whose input cannot be read."
LIMIT_REACHED = "The response reached the output limit too many times."
BROKEN_OFF = "The response broke off too many times."

MAX_CONTINUATIONS = 3
MAX_PAUSES = 10


class Response(NamedTuple):
    """One model response as far as it counts.

    `blocks` are its completed blocks, `uses` its tool calls. `cut` says that it broke off,
    `aborted` that the user interrupted it.
    """

    blocks: tuple[JsonObject, ...]
    uses: tuple[Use, ...]
    stop_reason: str | None
    stop_details: JsonObject | None = None
    cut: bool = False
    aborted: bool = False

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return "".join(str(b.get("text", "")) for b in self.blocks if b.get("type") == "text")


class AskAgain(NamedTuple):
    """Ask again with what is there, or with `text` appended as a hidden user message."""

    text: str | None


class End(NamedTuple):
    """The turn is over.

    `error` is the failure for people, None when it went well; `note` is shown to people without
    being a failure. `stop_reason` is that of the model, `deferred` a call handed to the program
    around hames.
    """

    terminal_reason: str
    subtype: str = "success"
    error: str | None = None
    api_status: int | None = None
    stop_reason: str | None = None
    deferred: Use | None = None
    note: str | None = None


class RunCalls(NamedTuple):
    """Run the tool calls and ask again with their results, or end then."""

    then: End | None = None


Step = RunCalls | AskAgain | End


@dataclass(slots=True)
class Counts:
    """How often this turn was continued without a tool call that could be run in between."""

    continued: int = 0
    paused: int = 0
    nudged: bool = False
    unreadable: int = 0


def next_step(response: Response, counts: Counts, *, after_results: bool) -> Step:
    """The step after a response that was not interrupted. Updates `counts`."""
    match response.stop_reason:
        case "refusal":
            return End("model_error", error=refusal_text(response.stop_details))
        case "model_context_window_exceeded":
            return End("prompt_too_long", error=WINDOW_FULL)
        case _ if response.uses:
            return _run_calls(response.uses, counts)
        case "pause_turn":
            counts.paused += 1
            if counts.paused > MAX_PAUSES:
                return End("model_error", error="The model paused its turn too many times.")
            return AskAgain(None)
        case "max_tokens":
            return _go_on(counts, GO_ON)
        case "compaction":
            return AskAgain(None)
        case None if response.cut:
            return _go_on(counts, GO_ON_CUT)
        case _ if not response.text and after_results and not counts.nudged:
            counts.nudged = True
            return AskAgain(GO_ON_EMPTY)
        case _:
            return End("completed", stop_reason=response.stop_reason)


def _run_calls(uses: Sequence[Use], counts: Counts) -> RunCalls:
    """Run them; a model that only writes calls nobody can read is stopped after a few."""
    counts.continued, counts.nudged = 0, False
    counts.unreadable = counts.unreadable + 1 if all(use.problem for use in uses) else 0
    if counts.unreadable <= MAX_CONTINUATIONS:
        return RunCalls()
    return RunCalls(End("malformed_tool_use_exhausted", error=UNREADABLE))


def _go_on(counts: Counts, text: str) -> Step:
    counts.continued += 1
    if counts.continued <= MAX_CONTINUATIONS:
        return AskAgain(text)
    return End("model_error", error=BROKEN_OFF if text == GO_ON_CUT else LIMIT_REACHED)


def refusal_text(details: JsonObject | None) -> str:
    """Why the model refused, for people."""
    known = details or {}
    category = known.get("category")
    explanation = known.get("explanation")
    text = "The model declined to answer this request"
    if isinstance(category, str):
        text += f" ({category})"
    if isinstance(explanation, str) and explanation:
        return f"{text}: {explanation}"
    return f"{text}. Rephrase it, or choose another model."


def final_text(texts: Sequence[str]) -> str:
    """The answer of a turn: the text of its last response that had any."""
    return next((text for text in reversed(texts) if text.strip()), "")
