"""Hooks and rules: who wins, for every hook result, rule and mode, through the real engine."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from hames.harness.events import Asked, ToolFinished
from hames.harness.ops import PermissionAnswer, Reply, UserInput
from support.fake_api import FakeApi, tool_use, turn
from support.hook_runs import groups, says, specific
from support.sessions import Driven, driving

RULES = {
    "deny": ["Bash(touch denied)"],
    "ask": ["Bash(touch asked)"],
    "allow": ["Bash(touch allowed)"],
}
COMMANDS = ("denied", "asked", "allowed", "other")
"""One call for each kind of rule, and one that no rule names."""


def decision(behavior: str, **more: Any) -> str:
    return says(specific("PreToolUse", permissionDecision=behavior, **more))


HOOKS: dict[str, Any] = {
    "none": "true",
    "allow": decision("allow"),
    "ask": decision("ask"),
    "deny": decision("deny"),
    "exit 2": says("", 2, "no"),
    "crash": "exit 1",
    "crash that blocks": {"type": "command", "command": "exit 1", "onFailure": "block"},
    "time-out": {"type": "command", "command": "sleep 9", "timeout": 0.05},
}
DENY_ALL = "deny deny deny deny"
TABLE = {
    ("none", "default"): "deny ask allow ask",
    ("none", "acceptEdits"): "deny ask allow allow",
    ("none", "bypassPermissions"): "deny ask allow allow",
    ("none", "dontAsk"): "deny deny allow deny",
    ("none", "plan"): "deny ask ask ask",
    ("allow", "default"): "deny ask allow allow",
    ("allow", "bypassPermissions"): "deny ask allow allow",
    ("allow", "dontAsk"): "deny deny allow allow",
    ("allow", "plan"): "deny ask ask ask",
    ("ask", "default"): "deny ask ask ask",
    ("ask", "acceptEdits"): "deny ask ask ask",
    ("ask", "bypassPermissions"): "deny ask ask ask",
    ("ask", "dontAsk"): DENY_ALL,
    ("deny", "default"): DENY_ALL,
    ("deny", "bypassPermissions"): DENY_ALL,
    ("exit 2", "default"): DENY_ALL,
    ("exit 2", "bypassPermissions"): DENY_ALL,
    ("crash", "default"): "deny ask allow ask",
    ("crash that blocks", "bypassPermissions"): DENY_ALL,
    ("time-out", "default"): "deny ask allow ask",
}


def settings(hook: Any) -> None:
    path = Path(os.environ["HOME"], ".claude", "settings.json")
    path.parent.mkdir()
    values = {"permissions": RULES, "hooks": {"PreToolUse": groups(hook)}}
    path.write_text(json.dumps(values), encoding="utf-8")


async def judged(mode: str, commands: tuple[str, ...]) -> dict[str, str]:
    """What becomes of a call of each command; questions are answered with no."""
    calls = [tool_use("Bash", {"command": f"touch {name}"}, id=name) for name in commands]
    async with FakeApi() as api:
        api.reply(turn(*calls), turn("Done."))
        async with driving(
            api.url,
            {"IS_SANDBOX": "1"},
            permission_mode=mode,
            allowed_tools=(),
            answerable=frozenset({"permission"}),
        ) as driven:
            driven.session.submit(UserInput("go"))
            return await outcomes(driven, len(calls))


async def outcomes(driven: Driven, count: int) -> dict[str, str]:
    found: dict[str, str] = {}
    seen = 0
    while len(found) < count or len(driven.of(ToolFinished)) < count:
        event = await driven.until(lambda e: isinstance(e, Asked | ToolFinished), seen)
        seen = driven.events.index(event, seen) + 1
        if isinstance(event, Asked):
            found[event.payload["tool_use_id"]] = "ask"
            driven.session.submit(Reply(event.request_id, PermissionAnswer("deny", message="no")))
        elif isinstance(event, ToolFinished):
            denied = event.block.get("is_error") is True
            found.setdefault(event.call_id, "deny" if denied else "allow")
    return found


@pytest.mark.parametrize(("hook", "mode"), list(TABLE), ids=[" in ".join(key) for key in TABLE])
def test_the_table_of_hooks_and_rules(hook: str, mode: str) -> None:
    settings(HOOKS[hook])
    expected = dict(zip(COMMANDS, TABLE[hook, mode].split(), strict=True))
    assert asyncio.run(judged(mode, COMMANDS)) == expected


REWRITES: dict[tuple[str | None, str], str] = {
    ("allow", "denied"): "deny",
    ("allow", "asked"): "ask",
    ("allow", "allowed"): "allow",
    ("allow", "other"): "allow",
    ("ask", "allowed"): "ask",
    ("ask", "denied"): "deny",
    (None, "denied"): "deny",
    (None, "allowed"): "allow",
    (None, "other"): "ask",
}


@pytest.mark.parametrize(("behavior", "becomes"), list(REWRITES))
def test_a_rewritten_call_is_judged_as_what_it_became(behavior: str | None, becomes: str) -> None:
    changed: dict[str, Any] = {"updatedInput": {"command": f"touch {becomes}"}}
    if behavior is not None:
        changed["permissionDecision"] = behavior
    settings(says(specific("PreToolUse", **changed)))
    assert asyncio.run(judged("default", ("first",))) == {"first": REWRITES[behavior, becomes]}
