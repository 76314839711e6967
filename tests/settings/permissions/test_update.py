"""Permission updates of dialogs, clients and hooks: read all or nothing, written as read."""

from typing import Any

import pytest

from hames.settings.permissions.update import (
    BadUpdate,
    DirectoryUpdate,
    ModeUpdate,
    RuleUpdate,
    RuleValue,
    parse_updates,
    update_json,
)

ADD: dict[str, Any] = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}, {"toolName": "WebSearch"}],
    "behavior": "allow",
    "destination": "localSettings",
}
MODE: dict[str, Any] = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
FOLDERS: dict[str, Any] = {
    "type": "addDirectories",
    "directories": ["/a"],
    "destination": "session",
}


def test_updates_are_read_and_written_as_they_were() -> None:
    updates = parse_updates([ADD, MODE, FOLDERS])
    assert updates == (
        RuleUpdate(
            "addRules",
            (RuleValue("Bash", "npm test *"), RuleValue("WebSearch")),
            "allow",
            "localSettings",
        ),
        ModeUpdate("acceptEdits", "session"),
        DirectoryUpdate("addDirectories", ("/a",), "session"),
    )
    assert [update_json(update) for update in updates] == [ADD, MODE, FOLDERS]
    assert str(RuleValue("Bash", "npm test *")) == "Bash(npm test *)"


def test_no_updates_are_none() -> None:
    assert parse_updates(None) == ()


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({**ADD, "rules": [{"toolName": "Bash", "ruleContent": None}]}, "ruleContent"),
        ({**ADD, "rules": [{"ruleContent": "x"}]}, "toolName"),
        ({**ADD, "rules": "Bash"}, "rules"),
        ({**ADD, "behavior": "maybe"}, "behavior"),
        ({**ADD, "destination": "nowhere"}, "destination"),
        ({**MODE, "mode": "yolo"}, "mode"),
        ({**FOLDERS, "directories": [1]}, "directories"),
        ({"destination": "session"}, "type"),
        ("text", "object"),
    ],
)
def test_one_bad_entry_voids_the_list(bad: Any, named: str) -> None:
    with pytest.raises(BadUpdate, match=named):
        parse_updates([ADD, bad])


def test_something_else_than_a_list_is_refused() -> None:
    with pytest.raises(BadUpdate, match="list"):
        parse_updates({"type": "setMode"})
