"""Selecting, running side by side, combining, registering and background hooks."""

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hames.hooks import session_events
from hames.hooks.config import parse_callbacks
from hames.hooks.events import HookEvent, pre_tool_use, session_start, stop, user_prompt_submit
from hames.hooks.policy import HookPolicy
from hames.hooks.ports import RawOutput
from hames.hooks.result import NOTHING, AddedContext, Outcome, Permission
from hames.hooks.spec import HookSource, Plugin
from support.hook_session import (
    PROJECT,
    USER,
    FakeRunner,
    Seen,
    bench,
    command,
    context,
    one,
)
from support.patience import bound

BASH = pre_tool_use("Bash", {"command": "ls"}, "toolu_1")


def decide(behavior: str, reason: str = "", delay: str = "0") -> dict[str, Any]:
    return command(
        f"sleep {delay}; " + echo(permissionDecision=behavior, permissionDecisionReason=reason)
    )


def echo(event: str = "PreToolUse", top: dict[str, Any] | None = None, **fields: Any) -> str:
    """Shell text that prints an answer."""
    answer = {**(top or {}), "hookSpecificOutput": {"hookEventName": event, **fields}}
    return f"echo '{json.dumps(answer)}'"


def group(*handlers: dict[str, Any], event: str = "PreToolUse") -> dict[str, Any]:
    return {event: [{"hooks": list(handlers)}]}


def fire(tmp_path: Path, hooks: dict[str, Any], event: HookEvent = BASH) -> Outcome:
    return asyncio.run(bench(tmp_path, hooks).engine.fire(event, context(tmp_path)))


def test_no_hook_is_no_outcome(tmp_path: Path) -> None:
    assert fire(tmp_path, {}) is NOTHING
    assert fire(tmp_path, one("PreToolUse", command("false"), "Edit")) is NOTHING


@pytest.mark.parametrize(
    ("hooks", "expected"),
    [
        (["allow", "ask", "deny"], Permission("deny", "deny!")),
        (["allow", "ask", "defer"], Permission("defer", "defer!")),
        (["ask", "allow"], Permission("ask", "ask!")),
        (["allow", "allow"], Permission("allow", "allow!\nallow?")),
    ],
)
def test_the_strictest_judgement_wins(
    tmp_path: Path, hooks: list[str], expected: Permission
) -> None:
    handlers = [
        decide(name, f"{name}{'?' if name in hooks[:at] else '!'}", f"0.0{at * 5}")
        for at, name in enumerate(hooks)
    ]
    outcome = fire(tmp_path, group(*handlers))
    assert outcome.permission == expected
    assert outcome.blocked is (expected.behavior == "deny")


def test_a_slow_allow_cannot_undo_a_deny(tmp_path: Path) -> None:
    outcome = fire(tmp_path, group(decide("deny", "no"), decide("allow", "yes", "0.1")))
    assert outcome.permission == Permission("deny", "no")


def test_the_last_rewrite_to_finish_wins(tmp_path: Path) -> None:
    def rewrite(value: str, delay: str) -> dict[str, Any]:
        return command(f"sleep {delay}; {echo(updatedInput={'command': value})}")

    outcome = fire(tmp_path, group(rewrite("slow", "0.1"), rewrite("fast", "0")))
    assert outcome.updated_input == {"command": "slow"}


def test_eight_hooks_run_side_by_side(tmp_path: Path) -> None:
    all_here = "until [ $(ls here* | wc -l) = 8 ]; do sleep 0.02; done"
    handlers = [command(f"touch here{number}; {all_here}") for number in range(8)]
    outcome = fire(tmp_path, group(*handlers))
    assert [run.outcome for run in outcome.runs] == ["success"] * 8


def test_all_contexts_and_messages_are_delivered_with_their_hook(tmp_path: Path) -> None:
    def saying(text: str, delay: str) -> dict[str, Any]:
        answer = echo(top={"systemMessage": f"m-{text}"}, additionalContext=text)
        return command(f"sleep {delay}; {answer}")

    outcome = fire(tmp_path, group(saying("one", "0"), saying("two", "0.1")))
    assert outcome.contexts == (
        AddedContext("PreToolUse:Bash", "one"),
        AddedContext("PreToolUse:Bash", "two"),
    )
    assert outcome.system_messages == ("m-one", "m-two")


def counted(text: str = "echo x >> ran") -> dict[str, Any]:
    return one("PreToolUse", command(text))


def ran(tmp_path: Path) -> int:
    path = tmp_path / "work" / "ran"
    return path.read_text(encoding="utf-8").count("x") if path.exists() else 0


def plugin(name: str, tmp_path: Path) -> HookSource:
    return HookSource(
        "plugin", f"Plugin {name}", name=name, plugin=Plugin(name, tmp_path, tmp_path)
    )


def test_one_command_in_two_settings_files_runs_once(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.add(counted(), USER)
    made.add(counted(), PROJECT)
    asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert ran(tmp_path) == 1


def test_two_plugins_run_their_own_copies(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.add(counted(), USER)
    made.add(counted(), plugin("a", tmp_path))
    made.add(counted(), plugin("b", tmp_path))
    asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert ran(tmp_path) == 3


def test_once_holds_for_skills_only(tmp_path: Path) -> None:
    hooks = one("PreToolUse", command("echo x >> ran", once=True))
    for source, expected in ((HookSource("skill", "s", name="s"), 1), (USER, 3)):
        made = bench(tmp_path)
        made.add(hooks, source)
        for _ in range(2):
            asyncio.run(made.engine.fire(BASH, context(tmp_path)))
        assert ran(tmp_path) == expected


def test_hooks_of_an_agent_hear_only_that_agent(tmp_path: Path) -> None:
    made = bench(tmp_path)
    source = HookSource("agent", "reviewer", name="reviewer")
    made.add({**counted(), "Stop": [{"hooks": [command("echo x >> ran")]}]}, source, agent_id="a1")
    asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    asyncio.run(made.engine.fire(stop(False), context(tmp_path)))
    asyncio.run(made.engine.fire(BASH, context(tmp_path, agent_id="a2")))
    assert ran(tmp_path) == 0
    asyncio.run(made.engine.fire(BASH, context(tmp_path, agent_id="a1")))
    assert ran(tmp_path) == 1
    made.engine.unregister("agent:reviewer:reviewer")
    asyncio.run(made.engine.fire(BASH, context(tmp_path, agent_id="a1")))
    assert ran(tmp_path) == 1


@pytest.mark.parametrize(
    ("policy", "kinds"),
    [
        (HookPolicy(), "managed user plugin forced sdk"),
        (HookPolicy(disabled=True), "managed forced"),
        (HookPolicy(disabled=True, disabled_by_policy=True), ""),
        (HookPolicy(managed_only=True), "managed forced sdk"),
        (HookPolicy(plugins_only=True), "managed plugin forced sdk"),
        (HookPolicy(trusted=False), "plugin forced sdk"),
    ],
)
def test_the_policy_says_which_sources_run(tmp_path: Path, policy: HookPolicy, kinds: str) -> None:
    made = bench(tmp_path, policy=policy)
    sources = {
        "managed": HookSource("managed", "Managed"),
        "user": USER,
        "plugin": plugin("p", tmp_path),
        "forced": replace(plugin("f", tmp_path), forced=True),
        "sdk": HookSource("sdk", "SDK"),
    }
    for name, source in sources.items():
        made.add(counted(f"echo {name} >> ran"), source)
    outcome = asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert sorted(run.stdout or run.spec.summary.split()[1] for run in outcome.runs) == sorted(
        kinds.split()
    )


def test_another_policy_holds_at_once(tmp_path: Path) -> None:
    made = bench(tmp_path, counted())
    made.engine.apply(HookPolicy(disabled=True))
    assert not made.engine.concerns("PreToolUse")
    made.engine.apply(HookPolicy())
    asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert ran(tmp_path) == 1


class Counting:
    """A model that is asked by many at once; remembers how many."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0

    async def run(self, *_: object) -> RawOutput:
        self.now += 1
        self.most = max(self.most, self.now)
        for _turn in range(5):
            await asyncio.sleep(0)
        self.now -= 1
        return RawOutput('{"ok": true}')


def test_at_most_twelve_hooks_ask_a_model_at_once(tmp_path: Path) -> None:
    counting = Counting()
    handlers = [{"type": "prompt", "prompt": f"question {number}"} for number in range(20)]
    made = bench(tmp_path, group(*handlers), runners={"prompt": counting})
    outcome = asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert (len(outcome.runs), counting.most) == (20, 12)


def test_a_hook_past_its_timeout_decides_nothing(tmp_path: Path) -> None:
    text = """echo '{"decision":"block"}'; sleep 60"""
    outcome = fire(tmp_path, group(command(text, timeout=0.1)))
    assert (outcome.blocked, outcome.permission) == (False, None)
    assert [(run.outcome, run.stdout, run.exit_code) for run in outcome.runs] == [
        ("cancelled", "", None)
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sleep 60", "timed out after 0.1 s"),
        ("echo oops >&2; exit 3", "Failed with non-blocking status code: oops (exit code 3)"),
        ("echo '{\"continue\":1}'", "its JSON is not a hook answer: continue must be true or"),
    ],
)
def test_a_failing_hook_that_must_work_blocks(tmp_path: Path, text: str, why: str) -> None:
    handler = command(text, timeout=0.1, onFailure="block")
    outcome = fire(tmp_path, group(handler))
    assert outcome.permission == Permission("deny", outcome.reason)
    assert why in outcome.reason
    ended = fire(tmp_path, group(handler, event="Stop"), stop(False))
    assert (ended.blocked, len(ended.notices)) == (False, 1)


def test_a_program_that_cannot_start_is_told(tmp_path: Path) -> None:
    handler = command("/no/such/program", args=[], onFailure="block")
    outcome = fire(tmp_path, group(handler))
    assert "could not start /no/such/program: No such file or directory" in outcome.reason


def test_long_context_arrives_as_preview_and_file(tmp_path: Path) -> None:
    text = "head -c 12000 /dev/zero | tr '\\0' 'x'"
    outcome = fire(
        tmp_path, group(command(text), event="UserPromptSubmit"), user_prompt_submit("hi")
    )
    [added] = outcome.contexts
    assert added.path is not None
    assert added.path.read_text(encoding="utf-8") == "x" * 12000
    assert len(added.text) < 5000
    assert f"[12000 characters, shortened; all of it is in {added.path}]" in added.text


def test_the_end_of_a_session_waits_for_a_short_time(tmp_path: Path) -> None:
    event = session_events.session_end("other")
    began = time.monotonic()
    made = bench(
        tmp_path,
        group(command("sleep 60"), event="SessionEnd"),
        CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS="200",
    )
    outcome = asyncio.run(made.engine.fire(event, context(tmp_path)))
    assert time.monotonic() - began < bound(1.5)
    assert [run.outcome for run in outcome.runs] == ["cancelled"]


def test_observers_hear_of_start_and_end(tmp_path: Path) -> None:
    seen = Seen()
    made = bench(tmp_path, group(command("echo hi; echo there >&2; exit 1")))
    outcome = asyncio.run(made.engine.fire(BASH, context(tmp_path), seen))
    [run] = seen.ended
    assert seen.begun == [(run.hook_id, "PreToolUse:Bash")]
    assert outcome.runs == (run,)
    assert (run.event, run.stdout, run.stderr, run.exit_code, run.outcome) == (
        "PreToolUse",
        "hi\n",
        "there\n",
        1,
        "error",
    )


def test_callbacks_of_a_client_replace_older_ones(tmp_path: Path) -> None:
    runner = FakeRunner(RawOutput('{"decision":"block","reason":"client says no"}'))
    made = bench(tmp_path, runners={"callback": runner})
    source = HookSource("sdk", "SDK")
    for name in ("hook_0", "hook_1"):
        given = {"PreToolUse": [{"matcher": None, "hookCallbackIds": [name], "timeout": 5}]}
        assert made.engine.register("sdk", parse_callbacks(given, source).specs) == 1
    outcome = asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert outcome.reason == "client says no"
    assert [(spec.summary, timeout) for spec, _, timeout in runner.asked] == [("hook_1", 5.0)]
    assert runner.asked[0][1]["tool_use_id"] == "toolu_1"


class Silent:
    """A client that never answers."""

    async def run(self, *_: object) -> RawOutput:
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize(
    ("event", "blocked"), [(BASH, True), (user_prompt_submit("x"), True), (stop(False), False)]
)
def test_a_client_that_does_not_answer_blocks_calls_and_prompts(
    tmp_path: Path, event: HookEvent, blocked: bool
) -> None:
    made = bench(tmp_path, runners={"callback": Silent()})
    given = {event.name: [{"hookCallbackIds": ["hook_0"], "timeout": 0.05}]}
    made.engine.register("sdk", parse_callbacks(given, HookSource("sdk", "SDK")).specs)
    outcome = asyncio.run(made.engine.fire(event, context(tmp_path)))
    assert outcome.blocked is blocked


class Failing:
    """A runner with a bug."""

    async def run(self, *_: object) -> RawOutput:
        raise KeyError("oops")


def test_a_bug_in_a_runner_costs_only_its_hook(tmp_path: Path) -> None:
    made = bench(tmp_path, runners={"callback": Failing()})
    made.engine.register(
        "sdk",
        parse_callbacks(
            {"PreToolUse": [{"hookCallbackIds": ["h"]}]}, HookSource("sdk", "SDK")
        ).specs,
    )
    outcome = asyncio.run(made.engine.fire(BASH, context(tmp_path)))
    assert (outcome.blocked, [run.outcome for run in outcome.runs]) == (False, ["error"])


def test_a_handler_type_that_nothing_runs_is_told(tmp_path: Path) -> None:
    outcome = fire(tmp_path, group({"type": "mcp_tool", "server": "s", "tool": "t"}))
    assert outcome.notices == (
        "PreToolUse:Bash hook error [s:t]: nothing here runs mcp_tool hooks",
    )


async def fire_and_wait(made: Any, tmp_path: Path, event: HookEvent, answers: int) -> Outcome:
    outcome: Outcome = await made.engine.fire(event, context(tmp_path))
    async with asyncio.timeout(5):
        while len(made.delivered) < answers:
            await asyncio.sleep(0.01)
    return outcome


def test_a_background_hook_speaks_later_and_decides_nothing(tmp_path: Path) -> None:
    text = (
        """echo '{"decision":"block","systemMessage":"done","""
        """"hookSpecificOutput":{"additionalContext":"tests pass"}}'"""
    )
    made = bench(tmp_path, group(command(text, **{"async": True})))
    outcome = asyncio.run(fire_and_wait(made, tmp_path, BASH, 1))
    assert outcome == Outcome()
    [said] = made.delivered
    assert (said.context, said.system_message, said.wake) == ("tests pass", "done", "")


@pytest.mark.parametrize(
    ("text", "wake"),
    [
        ("echo out; echo err >&2; exit 2", "err"),
        ("echo out; exit 2", "out"),
        ("echo out; exit 1", ""),
    ],
)
def test_a_rewaking_hook_wakes_with_exit_two(tmp_path: Path, text: str, wake: str) -> None:
    made = bench(tmp_path, group(command(text, asyncRewake=True)))
    asyncio.run(fire_and_wait(made, tmp_path, BASH, 1))
    assert [said.wake for said in made.delivered] == [wake]


def test_closing_ends_background_hooks(tmp_path: Path) -> None:
    async def opened_and_closed() -> float:
        made = bench(tmp_path, group(command("echo x > ran; exec sleep 60", **{"async": True})))
        await made.engine.fire(BASH, context(tmp_path))
        async with asyncio.timeout(5):
            while not ran(tmp_path):
                await asyncio.sleep(0.01)
        began = time.monotonic()
        await made.engine.aclose()
        return time.monotonic() - began

    assert asyncio.run(opened_and_closed()) < bound(2.5)


def test_a_session_title_is_not_taken_after_clear(tmp_path: Path) -> None:
    hooks = group(command(echo("SessionStart", sessionTitle="t")), event="SessionStart")
    assert fire(tmp_path, hooks, session_start("clear")).session_title is None
    assert fire(tmp_path, hooks, session_start("startup")).session_title == "t"
