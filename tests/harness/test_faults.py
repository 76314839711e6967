"""A bad day of the service: the contract's outcome each time, and nothing lost or run twice."""

import asyncio
import base64
import json
from pathlib import Path

import pytest

from hames.harness.events import (
    Notice,
    Retrying,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnResult,
)
from hames.harness.ops import SetModel, UserInput
from support.fake_api import (
    Failure,
    FakeApi,
    RecordedRequest,
    Turn,
    assert_prefix_law,
    cut,
    duplicate_events,
    error,
    garbage,
    html_error,
    overloaded,
    prompt_too_long,
    refused,
    stall,
    stream_error,
    text,
    thinking,
    tool_use,
    truncated_tool_json,
    turn,
    wrong_content_type,
)
from support.media_files import image_bytes
from support.sessions import Driven, driving

CALL = tool_use("Bash", {"command": "echo once >> ran"}, id="toolu_once")


def ran() -> int:
    path = Path("ran")
    return path.read_text(encoding="utf-8").count("once") if path.exists() else 0


async def two_turns(
    api: FakeApi, *replies: Turn | Failure, env: dict[str, str] | None = None, **config: object
) -> tuple[TurnResult, Driven]:
    """The result of the first turn; a second one must work, whatever the first was."""
    api.reply(*replies)
    async with driving(api.url, env, **config) as driven:
        first = await driven.turn("first")
        assert api.left == 0, "not every reply was asked for"
        api.script(lambda request: turn("Second."))
        assert (await driven.turn("second")).text == "Second."
        await driven.close()
    assert api.refusals == []
    return first, driven


@pytest.mark.fault
@pytest.mark.parametrize("twentieth", range(20))
@pytest.mark.parametrize("kind", ["text", "thinking and a call"])
def test_a_stream_cut_anywhere_loses_nothing_and_runs_nothing_twice(
    kind: str, twentieth: int
) -> None:
    whole = (
        turn("A plain answer that is long enough to be cut at many places of its way.")
        if kind == "text"
        else turn(thinking("Hm."), "Let me see.", CALL, "and so on until the end of it")
    )

    async def scenario() -> None:
        def answer(request: RecordedRequest) -> Turn:
            return turn("Fine.") if request.results or kind == "text" else whole

        async with FakeApi(script=answer) as api:
            api.reply(cut(whole, at=twentieth / 20))
            async with driving(api.url) as driven:
                result = await driven.turn("first")
                await driven.turn("second")
                await driven.close()
            assert api.refusals == []
            assert not result.is_error
            assert ran() <= 1
            assert len({e.call_id for e in driven.of(ToolFinished)}) == ran()
            kept = {b["id"] for b in api.calls[-1].blocks("tool_use")}
            assert set(api.calls[-1].results) == kept
            assert len(kept) == ran()
            assert_prefix_law(api.calls, growths=range(1, len(api.calls)))

    asyncio.run(scenario())


@pytest.mark.fault
def test_completed_blocks_of_a_cut_stream_are_kept_and_their_calls_run() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            broken = cut(turn("Look.", CALL, "and a long text that never arrives"), at=0.75)
            result, driven = await two_turns(api, broken, turn("Done."))
            assert (result.text, result.is_error) == ("Done.", False)
            assert ran() == 1
            assert [b["text"] for b in api.calls[1].blocks("text")][-1] == "Look."
            assert any("broke off" in n.text for n in driven.of(Notice))

    asyncio.run(scenario())


OUTCOMES: dict[str, tuple[list[Turn | Failure], int, str]] = {
    "529 nine times": ([overloaded()] * 9 + [turn("Done.")], 9, "Done."),
    "429 with retry-after 1": (
        [error(429, "rate_limit_error", "slow down", retry_after=1), turn("Done.")],
        1,
        "Done.",
    ),
    "429 with retry-after 3600": (
        [error(429, "rate_limit_error", "slow down", retry_after=3600), turn("Done.")],
        1,
        "Done.",
    ),
    "500": ([error(500), turn("Done.")], 1, "Done."),
    "a proxy's page": ([html_error(), turn("Done.")], 1, "Done."),
    "garbage": ([garbage(), turn("Done.")], 1, "Done."),
    "an error event at the start": ([stream_error(after=2), turn("Done.")], 1, "Done."),
    "a wrong content type": ([wrong_content_type(), turn("Done.")], 1, "Done."),
    "every event twice": ([duplicate_events(turn("Done."))], 0, "Done."),
    "a stall": ([stall(at=3), turn("Done.")], 1, "Done."),
}


@pytest.mark.fault
@pytest.mark.parametrize("fault", list(OUTCOMES))
def test_a_passing_fault_is_waited_out(fault: str) -> None:
    replies, retries, answer = OUTCOMES[fault]

    async def scenario() -> None:
        env = {"HAMES_STREAM_IDLE_TIMEOUT_MS": "200", "HAMES_RETRY_SCALE": "0.0001"}
        async with FakeApi() as api:
            result, driven = await two_turns(api, *replies, env=env)
            assert (result.text, result.is_error) == (answer, False)
            assert len(driven.of(Retrying)) == retries
            assert [e.attempt for e in driven.of(Retrying)] == list(range(1, retries + 1))

    asyncio.run(scenario())


ENDS: dict[str, tuple[list[Turn | Failure], str, int | None, str]] = {
    "529 for ever": ([overloaded()] * 11, "api_error", 529, "overloaded_error"),
    "a spent limit": (
        [error(429, "rate_limit_error", "You have reached your spend limit")],
        "api_error",
        429,
        "spend limit",
    ),
    "a bad request": (
        [error(400, "invalid_request_error", "no such field")],
        "api_error",
        400,
        "no such field",
    ),
    "no permission": ([error(403, "permission_error", "not yours")], "api_error", 403, "not yours"),
    "an unknown model": (
        [error(404, "not_found_error", "model: claude-none")],
        "api_error",
        404,
        "claude-none",
    ),
    "a bad key": (
        [error(401, "authentication_error", "invalid x-api-key")],
        "api_error",
        401,
        "invalid x-api-key",
    ),
    "a long prompt": ([prompt_too_long()], "prompt_too_long", 400, "Prompt is too long"),
    "a large body": (
        [error(413, "request_too_large", "Request exceeds the maximum size")],
        "prompt_too_long",
        413,
        "Prompt is too long",
    ),
    "a refusal": ([refused("cyber", "because")], "model_error", None, "because"),
    "a full window": (
        [turn("I was", stop_reason="model_context_window_exceeded")],
        "prompt_too_long",
        None,
        "window",
    ),
    "garbage for ever": ([garbage()] * 3, "api_error", None, "API Error"),
    "a stall for ever": ([stall(at=0), stall(at=0)], "api_error", None, "API Error"),
}


@pytest.mark.fault
@pytest.mark.parametrize("fault", list(ENDS))
def test_a_lasting_fault_ends_the_turn_clearly_and_the_session_goes_on(fault: str) -> None:
    replies, reason, status, words = ENDS[fault]

    async def scenario() -> None:
        env = {"HAMES_STREAM_IDLE_TIMEOUT_MS": "200", "HAMES_RETRY_SCALE": "0.0001"}
        async with FakeApi() as api:
            result, _ = await two_turns(api, *replies, env=env)
            assert (result.subtype, result.is_error) == ("success", True)
            assert (result.terminal_reason, result.api_status) == (reason, status)
            assert words in result.text

    asyncio.run(scenario())


def test_a_refused_answer_is_not_kept() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            await two_turns(api, refused())
            (message,) = api.calls[1].messages
            assert [b["text"] for b in message["content"]][-2:] == ["first", "second"]

    asyncio.run(scenario())


def test_an_answer_at_the_output_limit_is_continued_and_given_as_one() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            limit = {"stop_reason": "max_tokens"}
            result, _ = await two_turns(
                api, turn("one ", **limit), turn("two ", **limit), turn("three")
            )
            assert result.text == "one two three"
            assert result.num_turns == 3

    asyncio.run(scenario())


def test_an_answer_that_never_ends_is_given_up() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            result, _ = await two_turns(api, *[turn("on ", stop_reason="max_tokens")] * 4)
            assert (result.terminal_reason, result.is_error) == ("model_error", True)

    asyncio.run(scenario())


@pytest.mark.parametrize("partial", ['{"command": "touch made', '{"comm', ""])
def test_a_call_that_the_output_limit_cut_is_not_run(partial: str) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            result, driven = await two_turns(
                api, truncated_tool_json("Bash", partial), turn("Done.")
            )
            assert result.text == "Done."
            assert driven.of(ToolStarted) == []
            (block,) = api.calls[1].results.values()
            assert block["is_error"] is True
            assert "InputValidationError" in str(block["content"])

    asyncio.run(scenario())


def test_a_model_that_only_writes_broken_calls_is_stopped() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            result, _ = await two_turns(api, *[truncated_tool_json() for _ in range(4)])
            assert result.terminal_reason == "malformed_tool_use_exhausted"
            assert result.is_error

    asyncio.run(scenario())


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"q": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def test_a_paused_turn_is_sent_back_unchanged() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            result, _ = await two_turns(
                api, turn("Searching. ", SEARCH, stop_reason="pause_turn"), turn(FOUND, "Found.")
            )
            assert result.text == "Searching. Found."
            assert api.calls[1].messages[-1]["role"] == "assistant"
            assert_prefix_law(api.calls)

    asyncio.run(scenario())


def test_a_turn_that_pauses_for_ever_is_given_up() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            replies = [turn("Wait.", SEARCH, stop_reason="pause_turn")] * 11
            result, _ = await two_turns(api, *replies)
            assert (result.terminal_reason, result.is_error) == ("model_error", True)

    asyncio.run(scenario())


def test_an_empty_answer_after_results_is_asked_for_once_more() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            result, _ = await two_turns(api, turn(CALL), turn(), turn("Done."))
            assert (result.text, result.num_turns) == ("Done.", 3)
            assert len(api.calls[2].messages) == 3

    asyncio.run(scenario())


def test_a_server_that_repeats_its_ids_confuses_nobody() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            same = [turn(CALL, CALL), turn(CALL), turn("Done.")]
            result, driven = await two_turns(api, *same)
            assert (result.text, ran()) == ("Done.", 3)
            assert len(api.calls[-1].results) == 3
            assert len({e.call_id for e in driven.of(ToolFinished)}) == 3

    asyncio.run(scenario())


THINKING_400 = (
    "messages.1.content.0: Invalid `signature` in `thinking` block: the block is bound to a "
    "different conversation"
)


@pytest.mark.fault
def test_refused_thinking_is_dropped_once_and_from_then_on() -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url, model="claude-opus-5-5") as driven:
            api.reply(
                turn(thinking("Hm."), "One."),
                error(400, "invalid_request_error", THINKING_400),
                turn("Two."),
                turn("Three."),
                error(400, "invalid_request_error", THINKING_400),
            )
            for answer in ("One.", "Two.", "Three."):
                assert (await driven.turn("next")).text == answer
            again = await driven.turn("next")
            assert (again.is_error, again.api_status) == (True, 400)
            session_id = driven.events[0].scope.session_id
            await driven.close()
            drops = ["block_binding" in r.body["thinking"] for r in api.calls]
            assert drops == [False, False, True, True, True]
            api.reply(turn("Resumed."))
            async with driving(api.url, model="claude-opus-5-5", resume=session_id) as later:
                assert (await later.turn("go on")).text == "Resumed."
                await later.close()
            assert "block_binding" in api.calls[-1].body["thinking"]

    asyncio.run(scenario())


def image(side: int) -> dict[str, object]:
    data = base64.b64encode(image_bytes(side, side)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


@pytest.mark.fault
def test_a_refused_image_is_replaced_by_a_note_once_each() -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url) as driven:
            prompt = [image(4), {"type": "text", "text": "look"}, image(5)]

            def refuse(request: object) -> Turn | Failure:
                sent = api.calls[-1]
                place = next(
                    (
                        (m, b)
                        for m, message in enumerate(sent.messages)
                        for b, block in enumerate(message["content"])
                        if block["type"] == "image"
                    ),
                    None,
                )
                if place is None:
                    return turn("Now I see.")
                text = f"messages.{place[0]}.content.{place[1]}.image: Could not process image"
                return error(400, "invalid_request_error", text)

            api.script(refuse)
            after = len(driven.events)
            driven.session.submit(UserInput(prompt))
            first = (await driven.seen(TurnFinished, after)).result
            assert (first.text, first.is_error) == ("Now I see.", False)
            assert (await driven.turn("and now?")).text == "Now I see."
            await driven.close()
            assert len(api.calls) == 4
            notes = [b["text"] for b in api.calls[-1].blocks("text") if "left out" in b["text"]]
            assert len(notes) == 2

    asyncio.run(scenario())


@pytest.mark.fault
def test_a_request_too_large_goes_on_without_its_images() -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(error(413, "request_too_large", "too large"), turn("Smaller."))
            after = len(driven.events)
            prompt = [image(4), image(4), {"type": "text", "text": "look"}]
            driven.session.submit(UserInput(prompt))
            result = (await driven.seen(TurnFinished, after)).result
            assert (result.text, result.is_error) == ("Smaller.", False)
            assert api.calls[1].blocks("image") == []
            assert "look" in api.calls[1].last_text
            await driven.close()

    asyncio.run(scenario())


@pytest.mark.fault
def test_a_fallback_model_answers_for_the_rest_of_the_turn() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.when(lambda r: r.model == "claude-sonnet-4-6", overloaded())
            api.reply(turn(CALL), turn("Done."))
            async with driving(api.url, fallback_models=("claude-opus-4-8",)) as driven:
                assert (await driven.turn("go")).text == "Done."
                asked = [r.model for r in api.calls]
                assert asked == ["claude-sonnet-4-6"] * 4 + ["claude-opus-4-8"] * 2
                api.reply(turn("Again."))
                await driven.turn("go on")
                assert api.calls[len(asked)].model == "claude-sonnet-4-6"
                await driven.close()
            assert any("claude-opus-4-8" in n.text for n in driven.of(Notice))
            assert ran() == 1

    asyncio.run(scenario())


@pytest.mark.fault
@pytest.mark.parametrize("helped", [True, False])
def test_a_refused_key_is_fetched_anew_once(helped: bool) -> None:
    Path("keys").write_text("old\n", encoding="utf-8")
    helper = "cat keys; echo new > keys"
    settings = json.dumps({"apiKeyHelper": helper})

    async def scenario() -> None:
        async with FakeApi() as api:
            refusal = error(401, "authentication_error", "invalid x-api-key")
            good = lambda r: helped and "new" in str(r.headers)  # noqa: E731 - one line
            api.script(lambda r: turn("Let in.") if good(r) else refusal)
            env = {"ANTHROPIC_API_KEY": ""}
            async with driving(api.url, env, settings=settings) as driven:
                result = await driven.turn("go")
                await driven.close()
            assert len(api.calls) == 2
            assert result.is_error != helped
            assert "old" not in result.text

    asyncio.run(scenario())


SWAPS = ["claude-sonnet-4-5", "claude-opus-5-5", "claude-haiku-4-5", "claude-sonnet-5-5"]


@pytest.mark.fault
@pytest.mark.parametrize("start", range(4))
def test_models_can_be_swapped_in_the_middle_of_a_session(start: int) -> None:
    models = SWAPS[start:] + SWAPS[:start]

    async def scenario() -> None:
        def answer(request: object) -> Turn:
            del request
            return turn(thinking("Hm."), text("Done."))

        async with FakeApi(script=answer) as api, driving(api.url, model=models[0]) as driven:
            for model in (*models, models[0]):
                await driven.do(SetModel(model))
                api.reply(
                    turn(thinking("Let me."), tool_use("Bash", {"command": "echo hi"})),
                    turn(thinking("So."), "Done."),
                )
                result = await driven.turn("next")
                assert (result.text, result.is_error) == ("Done.", False)
            await driven.close()
            assert api.refusals == []
            notices = [n for n in driven.of(Notice) if "cache" in n.text]
            assert len(notices) == len(models)

    asyncio.run(scenario())
