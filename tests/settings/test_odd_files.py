"""Settings files as people really have them: what is good counts, what is not is named."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hames.settings.parse import FILE_LIMIT
from support.settings_files import World, make_world

GOOD = '{"model": "m", "permissions": {"deny": ["D"]}}'


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.trust()
    return made


def outcome(world: World) -> tuple[str | None, list[str], bool, list[str]]:
    """Model, deny rules, locked, and the warnings without their place."""
    found = world.load()
    texts = [f"{w.key}: {w.text}" if w.key else w.text for w in found.warnings]
    return found.model, [r.text for r in found.rules], found.locked, texts


LENIENT = "comments or trailing commas were accepted; other programs may refuse this file"
ASKED = "; until it is fixed every call that is not read-only is asked"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\ufeff" + GOOD, []),
        (GOOD.replace(", ", ",\r\n"), []),
        (GOOD.replace(", ", ",\r"), []),
        (f"// mine\n{GOOD} /* end */", [LENIENT]),
        ('{"model": "m", "permissions": {"deny": ["D",],},}', [LENIENT]),
        ('{"$schema": "https://x", "colour": [1], ' + GOOD[1:], []),
        ('{"model": "x", ' + GOOD[1:], ['"model" stands twice in one object; the last one counts']),
        (f" \n\n{GOOD}\n\n", []),
        (GOOD.replace("D", "\\u0044"), []),
    ],
    ids=["bom", "crlf", "cr", "comments", "commas", "unknown", "twice", "blank lines", "escape"],
)
def test_texts_that_are_read_whole(world: World, text: str, told: list[str]) -> None:
    world.user("")
    (world.home / ".claude" / "settings.json").write_bytes(text.encode())
    assert outcome(world) == ("m", ["D"], False, told)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ('"hooks": "x"', "hooks: expected an object, found a string; left out"),
        ('"permissions": []', "permissions: expected an object, found a list; left out"),
        (
            '"permissions": {"deny": {"D": 1}}',
            "permissions.deny: expected a list, found an object; left out",
        ),
        (
            '"permissions": {"deny": ["D", {"tool": "Bash"}]}',
            "permissions.deny[1]: expected a string, found an object; left out",
        ),
        (
            '"permissions": {"ask": [null]}',
            "permissions.ask[0]: expected a string, found null; left out",
        ),
        (
            '"deniedMcpServers": ["x"]',
            "deniedMcpServers[0]: expected an object, found a string; left out",
        ),
    ],
)
def test_a_protection_of_the_wrong_kind_locks(world: World, entry: str, told: str) -> None:
    world.user(f'{{"model": "m", {entry}}}')
    found = outcome(world)
    assert (found[0], found[2], found[3]) == ("m", True, [told])


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (
            '"permissions": {"deny": "D"}',
            "permissions.deny: expected a list; taken as a list of one",
        ),
        (
            '"permissions": {"deny": ["D"], "allow": "A"}',
            "permissions.allow: expected a list, found a string; left out",
        ),
        (
            '"permissions": {"deny": ["D"], "allow": [["A"]]}',
            "permissions.allow[0]: expected a string, found a list; left out",
        ),
        (
            '"permissions": {"deny": ["D"], "defaultMode": "yolo"}',
            "permissions.defaultMode: expected one of "
            '"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "manual", '
            'found "yolo"; left out',
        ),
        (
            '"permissions": {"deny": ["D"], "denyInsteadOfPrompting": "yes"}',
            "permissions.denyInsteadOfPrompting: expected true or false, found a string; "
            "taken as true",
        ),
        (
            '"permissions": {"deny": ["D"]}, "autoCompactEnabled": 1',
            "autoCompactEnabled: expected true or false, found a number; left out",
        ),
        (
            '"permissions": {"deny": ["D"]}, "cleanupPeriodDays": true',
            "cleanupPeriodDays: expected a whole number, found true; left out",
        ),
        (
            '"permissions": {"deny": ["D"]}, "skillListingBudgetFraction": 0',
            "skillListingBudgetFraction: must be more than 0; left out",
        ),
        (
            '"permissions": {"deny": ["D"]}, "fallbackModel": ["a", "b", "c", "d"]',
            "fallbackModel: only the first 3 count",
        ),
        (
            '"permissions": {"deny": ["D"]}, "env": {"N": 1, "L": []}',
            'env.N: read as the string "1"; env.L: expected a string, found a list; left out',
        ),
        (
            '"permissions": {"deny": ["D"]}, "allowedHttpHookUrls": "*"',
            "allowedHttpHookUrls: expected a list, found a string; taken as []",
        ),
        (
            '"permissions": {"deny": ["D"]}, "statusLine": {"type": "command", "command": 3}',
            "statusLine.command: expected a string, found a number; left out",
        ),
    ],
)
def test_an_entry_of_the_wrong_kind_costs_only_itself(world: World, entry: str, told: str) -> None:
    world.user(f'{{"model": "m", {entry}}}')
    model, rules, locked, texts = outcome(world)
    assert (model, rules, locked, "; ".join(texts)) == ("m", ["D"], False, told)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"null", "it holds null, an object {...} was expected"),
        (b"[]", "it holds a list, an object {...} was expected"),
        (b'"x"', "it holds a string, an object {...} was expected"),
        (b"{", "line 1, column 2: Expecting property name enclosed in double quotes"),
        (b'{"a": 1,\n "b" 2}', "line 2, column 6: Expecting ':' delimiter"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b"{\n\xff}", "line 2: it is not UTF-8 text"),
        ("{}".encode("utf-16"), "line 1: it is not UTF-8 text"),
        (b"[" * 200_000, "it is nested too deeply"),
        (b'{"a": "' + b"x" * FILE_LIMIT + b'"}', "it is larger than 16 MiB"),
    ],
    ids=["null", "list", "string", "cut", "colon", "nan", "latin", "utf16", "deep", "huge"],
)
def test_what_nothing_can_read_fails_closed(world: World, data: bytes, told: str) -> None:
    world.user("")
    (world.home / ".claude" / "settings.json").write_bytes(data)
    world.local(GOOD)
    assert outcome(world) == ("m", ["D"], True, [told + ASKED])


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_dangling(path: Path) -> None:
    path.symlink_to("nothing")


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (make_pipe, "it is not a regular file (device, FIFO, or socket)"),
        (Path.mkdir, "it is a directory"),
        (make_loop, "its links run in a circle"),
        (make_dangling, "it is a link to a file that does not exist"),
        (make_device, "it is not a regular file (device, FIFO, or socket)"),
    ],
)
@pytest.mark.timeout(10)
def test_what_is_no_file_never_blocks_the_start(
    world: World, make: Callable[[Path], None], told: str
) -> None:
    path = world.home / ".claude" / "settings.json"
    path.parent.mkdir()
    make(path)
    world.local(GOOD)
    assert outcome(world) == ("m", ["D"], True, [told + ASKED])


def test_an_empty_file_holds_nothing_and_locks_nothing(world: World) -> None:
    world.user(" \n")
    told = "the file is empty; write {} or remove it"
    assert outcome(world) == (None, [], False, [told])


def test_three_mebibytes_are_read(world: World) -> None:
    rules = ",\n".join(f'"Bash(command-{n} *)"' for n in range(120_000))
    world.user(f'{{"model": "m", "permissions": {{"deny": [{rules}]}}}}')
    found = world.load()
    assert (found.model, len(found.rules), found.warnings) == ("m", 120_000, ())


def test_a_file_where_the_folder_should_be_is_no_settings_file(world: World) -> None:
    (world.project / ".claude").write_text("x")
    assert outcome(world) == (None, [], False, [])


def test_a_managed_file_that_is_broken_locks_and_its_drop_ins_count(world: World) -> None:
    world.policy("{")
    world.policy(GOOD, "managed-settings.d/10.json")
    model, rules, locked, _ = outcome(world)
    assert (model, rules, locked) == ("m", ["D"], True)


def test_managed_keys_of_the_wrong_kind_fail_closed(world: World) -> None:
    world.policy(
        {
            "allowedMcpServers": "all",
            "availableModels": 1,
            "allowManagedHooksOnly": "x",
            "allowManagedMcpServersOnly": "x",
            "disableCommandPluginSources": 0,
            "enforceAvailableModels": "x",
            "forceLoginOrgUUID": 7,
            "requiredMinimumVersion": 7,
        }
    )
    assert world.load().values == {
        "allowedMcpServers": [],
        "availableModels": [],
        "allowManagedHooksOnly": True,
        "allowManagedMcpServersOnly": True,
        "disableCommandPluginSources": True,
        "enforceAvailableModels": True,
        "forceLoginOrgUUID": "",
    }


CHILD = """
import os, sys
from pathlib import Path
from hames.settings.check import load_catalog
from hames.settings.layers import read_layer
path, catalog = Path(sys.argv[1]), load_catalog()
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
loaded = read_layer("user", path, path.parent, catalog)
print(loaded.layer, loaded.warnings[0].kind, loaded.warnings[0].text)
"""


def test_a_file_its_user_may_not_read_fails_closed(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(GOOD)
    path.chmod(0o000)
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", CHILD, str(path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"None locked it cannot be read: permission denied{ASKED}\n"
