"""The events that a transcript recorded."""

import json
from pathlib import Path
from typing import Any

from hames.hooks import events, session_events
from hames.hooks.replay import Recorded, recorded_events


def user(content: Any, **keys: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **keys}


def assistant(*blocks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(blocks)}, **keys}


def result(call_id: str, content: Any, **keys: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **keys}


LS = {"command": "ls"}


def test_a_session_is_told_in_its_order() -> None:
    entries: list[Any] = [
        {"type": "permission-mode", "permissionMode": "default"},
        user("fix it", cwd="/w"),
        assistant({"type": "text", "text": "Looking."}),
        assistant({"type": "tool_use", "id": "t1", "name": "Bash", "input": LS}),
        user([result("t1", "a.py")], toolUseResult={"stdout": "a.py"}, cwd="/w/sub"),
        "not json",
        user([result("t1", "again")]),
        assistant({"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/x"}}),
        user([result("t2", [{"type": "text", "text": "gone"}], is_error=True)]),
        assistant({"type": "text", "text": "Done."}),
        user("<command-name>/x</command-name>"),
        user("caveat", isMeta=True),
        user("thanks"),
        user("summary", isCompactSummary=True),
        assistant({"type": "tool_use", "id": "t3", "name": "Bash", "input": LS}, isSidechain=True),
    ]
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    read = {"file_path": "/x"}
    w, sub = Path("/w"), Path("/w/sub")
    assert list(recorded_events(lines)) == [
        Recorded(2, events.session_start("startup"), w),
        Recorded(2, events.user_prompt_submit("fix it"), w),
        Recorded(4, events.pre_tool_use("Bash", LS, "t1"), w),
        Recorded(4, events.permission_request("Bash", LS), w),
        Recorded(5, events.post_tool_use("Bash", LS, {"stdout": "a.py"}, "t1"), sub),
        Recorded(8, events.pre_tool_use("Read", read, "t2"), sub),
        Recorded(8, events.permission_request("Read", read), sub),
        Recorded(9, events.post_tool_use_failure("Read", read, "t2", "gone"), sub),
        Recorded(13, events.stop(False, "Done."), sub),
        Recorded(13, events.user_prompt_submit("thanks"), sub),
        Recorded(14, session_events.post_compact("auto", "summary"), sub),
    ]


def test_the_last_answer_is_a_stop() -> None:
    lines = [json.dumps(user("hi")), json.dumps(assistant({"type": "text", "text": "Hello."}))]
    assert list(recorded_events(lines))[-1] == Recorded(2, events.stop(False, "Hello."), None)


def test_nothing_is_nothing() -> None:
    assert list(recorded_events([])) == []
    assert list(recorded_events(["[]", "{}", "\x00", '{"type":"user"}'])) == [
        Recorded(4, events.session_start("startup"), None)
    ]
