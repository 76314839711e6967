"""Files, precedence, merge: what a session gets from every settings file together."""

import json
from pathlib import Path

import pytest

from hames.settings.collect import apply_env
from hames.settings.permissions.rule_text import RuleSource, RuleText
from hames.settings.snapshot import Origin
from hames.settings.warnings import SettingsWarning
from hames.system.errors import ConfigError
from support.settings_files import World, make_world, write


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.trust()
    return made


def test_no_file_at_all_gives_defaults(world: World) -> None:
    found = world.load()
    assert (found.values, found.rules, found.hooks, dict(found.env)) == ({}, (), (), {})
    assert (found.default_mode, found.model, found.locked) == ("default", None, False)
    assert found.warnings == ()
    assert found.number("cleanupPeriodDays") == 30
    assert found.flag("autoCompactEnabled")
    assert not found.flag("disableAllHooks")


def test_user_and_project_are_merged(world: World) -> None:
    user = {"permissions": {"allow": ["A"]}, "env": {"X": "1", "Y": "1"}, "model": "m1"}
    world.user(user)
    world.shared({"permissions": {"allow": ["B"]}, "env": {"X": "2"}})
    found = world.load()
    assert found.values["permissions"]["allow"] == ["A", "B"]
    assert found.env == {"X": "2", "Y": "1"}
    assert found.model == "m1"


def test_a_scalar_comes_from_the_highest_source(world: World) -> None:
    key = "spinnerTipsEnabled"
    world.shared({key: True})
    world.local({key: False})
    assert world.load().value(key) is False
    assert world.load(flag_settings='{"spinnerTipsEnabled": true}').value(key) is True
    world.policy({key: True})
    assert world.load().value(key) is True
    assert world.load(flag_settings='{"spinnerTipsEnabled": false}').value(key) is True


def test_fallback_models_are_replaced_whole(world: World) -> None:
    world.user({"fallbackModel": ["a", "b"]})
    world.shared({"fallbackModel": ["c"]})
    assert world.load().strings("fallbackModel") == ("c",)


def test_one_bad_rule_costs_only_itself(world: World) -> None:
    path = world.shared('{"permissions": {\n "allow": ["Read", 7,\n "Bash(ls)"]}}')
    found = world.load()
    assert [rule.text for rule in found.rules] == ["Read", "Bash(ls)"]
    text = "expected a string, found a number; left out"
    assert found.warnings == (SettingsWarning("invalid", text, path, "permissions.allow[1]", 2),)


def test_a_broken_file_is_skipped_and_the_session_fails_closed(world: World) -> None:
    world.user({"permissions": {"defaultMode": "acceptEdits", "allow": ["Read"]}})
    path = world.shared('{"permissions": {"deny": ["Bash"]}')
    found = world.load()
    assert [rule.text for rule in found.rules] == ["Read"]
    assert (found.locked, found.default_mode) == (True, "default")
    assert str(found.warnings[0]).startswith(f"{path}: line 1, column")


def test_drop_ins_come_in_name_order(world: World) -> None:
    folder = "managed-settings.d"
    world.policy({"model": "a", "claudeMdExcludes": ["1"]}, f"{folder}/10-a.json")
    world.policy({"model": "b", "claudeMdExcludes": ["2", "1"]}, f"{folder}/20-b.json")
    world.policy({"model": "c"}, f"{folder}/.hidden.json")
    world.policy({"model": "d"}, f"{folder}/x.txt")
    found = world.load()
    assert (found.model, found.strings("claudeMdExcludes")) == ("b", ("1", "2"))


def test_zero_days_of_transcripts_is_an_error(world: World) -> None:
    path = world.user({"cleanupPeriodDays": 0})
    found = world.load()
    text = "must be at least 1; left out"
    assert found.warnings == (SettingsWarning("invalid", text, path, "cleanupPeriodDays", 2),)
    assert found.number("cleanupPeriodDays") == 30


def test_setting_sources_leave_files_out(world: World) -> None:
    world.user({"model": "u"})
    world.shared({"model": "p", "language": "x"})
    world.local({"model": "l"})
    world.policy({"outputStyle": "managed"})
    found = world.load(setting_sources=("user",))
    assert found.values == {"model": "u", "outputStyle": "managed"}
    assert world.load(setting_sources=()).values == {"outputStyle": "managed"}


def test_rules_know_their_place(world: World) -> None:
    path = world.shared('{\n "permissions": {\n  "deny": ["Bash(rm *)",\n   "WebFetch"]\n }\n}')
    found = world.load(cli_allow=("Read",))
    source = RuleSource("project", world.project, path)
    assert found.rules == (
        RuleText("deny", "Bash(rm *)", source, 3),
        RuleText("deny", "WebFetch", source, 4),
        RuleText("allow", "Read", RuleSource("cli", world.project)),
    )


def test_origins_name_file_and_line(world: World) -> None:
    user = world.user('{\n "model": "a",\n "permissions": {"allow": ["A"]}}')
    shared = world.shared('{"model": "b",\n\n "permissions": {"allow": ["B"]}}')
    found = world.load()
    assert found.origin("model") == (Origin("project", shared, 1),)
    assert found.origin("permissions.allow") == (
        Origin("user", user, 3),
        Origin("project", shared, 3),
    )
    assert found.origin("language") == ()


def test_directories_of_flags_and_files(world: World) -> None:
    world.user({"permissions": {"additionalDirectories": ["~/a", "/b", "c"]}})
    found = world.load(add_dirs=(Path("../d"),))
    project = world.project
    assert found.directories == (
        project / "../d",
        world.home / "a",
        Path("/b"),
        project / "c",
    )


def test_managed_rules_only(world: World) -> None:
    world.user({"permissions": {"allow": ["A"], "deny": ["D"]}})
    world.policy({"allowManagedPermissionRulesOnly": True, "permissions": {"deny": ["M"]}})
    found = world.load(cli_allow=("C",), cli_deny=("N",))
    assert [rule.text for rule in found.rules] == ["M", "N"]


def test_a_user_file_cannot_set_managed_keys(world: World) -> None:
    path = world.user({"allowManagedPermissionRulesOnly": True, "sandbox": {"bwrapPath": "/x"}})
    found = world.load()
    assert found.values == {"sandbox": {}}
    text = "only managed settings may set this"
    assert found.warnings == (
        SettingsWarning("notice", text, path, "allowManagedPermissionRulesOnly", 2),
        SettingsWarning("notice", text, path, "sandbox.bwrapPath", 4),
    )


def test_hooks_of_all_sources_stay_apart(world: World) -> None:
    one, two = {"Stop": [{"hooks": []}]}, {"Stop": [{"hooks": [], "matcher": "x"}]}
    world.user({"hooks": one})
    world.shared({"hooks": two})
    assert [(b.scope, b.hooks) for b in world.load().hooks] == [("user", one), ("project", two)]


@pytest.mark.parametrize(
    ("lower", "policy", "scopes"),
    [
        ({"disableAllHooks": True}, {}, ["managed"]),
        ({}, {"disableAllHooks": True}, []),
        ({}, {"allowManagedHooksOnly": True}, ["managed"]),
        ({}, {"allowManagedHooksOnly": "yes"}, ["managed"]),
        ({}, {}, ["user", "managed"]),
    ],
)
def test_who_may_stop_hooks(
    world: World, lower: dict[str, object], policy: dict[str, object], scopes: list[str]
) -> None:
    hooks = {"Stop": [{"hooks": []}]}
    world.user({"hooks": hooks, **lower})
    world.policy({"hooks": hooks, **policy})
    assert [block.scope for block in world.load().hooks] == scopes


@pytest.mark.parametrize(
    ("key", "values", "effective"),
    [
        ("disableClaudeAiConnectors", (True, False), True),
        ("crossSessionInbound", ("hold", "accept"), "hold"),
        ("permissions.blockReadsOutsideWorkingDirectories", (True, False), True),
        ("permissions.denyInsteadOfPrompting", (True, False), True),
        ("model", ("a", "b"), "b"),
    ],
)
def test_some_keys_take_the_strictest_value(
    world: World, key: str, values: tuple[object, object], effective: object
) -> None:
    def nested(value: object) -> dict[str, object]:
        parent, _, name = key.rpartition(".")
        return {parent: {name: value}} if parent else {name: value}

    world.user(nested(values[0]))
    world.policy(nested(values[1]))
    assert world.load().value(key) == effective


@pytest.mark.parametrize(
    ("flags", "hooks", "helper", "line"),
    [
        ({}, ["user", "flag", "managed"], "f", True),
        ({"bare": True}, [], "f", True),
        ({"safe_mode": True}, ["managed"], "f", False),
    ],
)
def test_bare_and_safe_mode_leave_customizations_out(
    world: World, flags: dict[str, bool], hooks: list[str], helper: str, line: bool
) -> None:
    block = {"hooks": {"Stop": [{"hooks": []}]}}
    world.user({**block, "apiKeyHelper": "u", "statusLine": {"command": "x"}})
    world.policy(block)
    found = world.load(flag_settings=json.dumps({**block, "apiKeyHelper": "f"}), **flags)
    assert [b.scope for b in found.hooks] == hooks
    assert found.text("apiKeyHelper") == helper
    assert ("statusLine" in found.values) == line
    world.shared({"apiKeyHelper": "p"})
    assert world.load(bare=True).text("apiKeyHelper") is None


def test_an_empty_variable_removes_that_of_the_shell(world: World) -> None:
    world.user({"env": {"A": "", "B": "2", "C=D": "x", "E": "\u0000"}})
    shell = {"A": "1", "B": "1", "EMPTY": ""}
    assert apply_env(shell, world.load().env) == {"B": "2", "EMPTY": ""}


def test_managed_lists_stand_alone(world: World) -> None:
    world.user({"availableModels": ["a"], "enforceAvailableModels": True})
    world.policy({"availableModels": ["b"]})
    found = world.load()
    assert found.strings("availableModels") == ("b",)
    assert not found.flag("enforceAvailableModels")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("manual", "default"),
        ("auto", "default"),
        ("plan", "plan"),
        ("dontAsk", "dontAsk"),
        ("bypassPermissions", "bypassPermissions"),
    ],
)
def test_start_modes_of_the_user(world: World, mode: str, expected: str) -> None:
    world.user({"permissions": {"defaultMode": mode}})
    assert world.load().default_mode == expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("auto", "acceptEdits"), ("bypassPermissions", "default"), ("plan", "plan")],
)
def test_start_modes_of_a_trusted_project(world: World, mode: str, expected: str) -> None:
    world.user({"permissions": {"defaultMode": "acceptEdits"}})
    world.shared({"permissions": {"defaultMode": mode}})
    assert world.load().default_mode == expected


def test_bypass_can_be_switched_off(world: World) -> None:
    world.user({"permissions": {"defaultMode": "bypassPermissions"}})
    world.shared({"permissions": {"disableBypassPermissionsMode": True}})
    found = world.load()
    assert found.bypass_disabled
    assert found.default_mode == "default"


def test_the_home_directory_as_project_reads_the_user_file_once(world: World) -> None:
    world.user({"permissions": {"allow": ["A"]}})
    found = world.load(cwd=world.home)
    assert [rule.source.kind for rule in found.rules] == ["user"]


class TestFlagSettings:
    def test_a_file_anchors_at_its_folder(self, world: World, tmp_path: Path) -> None:
        path = write(tmp_path / "x" / "s.json", {"permissions": {"deny": ["Read(/a)"]}})
        found = world.load(flag_settings=str(path))
        assert found.rules[0].source == RuleSource("flag", path.parent, path)

    @pytest.mark.parametrize("text", ["{", "[]", '{"a": }'])
    def test_a_broken_text_is_an_error(self, world: World, text: str) -> None:
        with pytest.raises(ConfigError, match="--settings is not a JSON object"):
            world.load(flag_settings=text)

    def test_a_missing_file_is_an_error(self, world: World) -> None:
        with pytest.raises(ConfigError, match="Settings file not found: "):
            world.load(flag_settings="nothing.json")

    def test_a_large_file_is_an_error(self, world: World, tmp_path: Path) -> None:
        path = write(tmp_path / "big.json", "{" + " " * (2 << 20) + "}")
        with pytest.raises(ConfigError) as caught:
            world.load(flag_settings=str(path))
        assert str(caught.value) == f"Settings file exceeds the 2MiB limit: {path}"

    def test_a_device_is_an_error(self, world: World) -> None:
        with pytest.raises(ConfigError) as caught:
            world.load(flag_settings="/dev/null")
        text = "Cannot use settings file (Not a regular file (device, FIFO, or socket)): /dev/null"
        assert str(caught.value) == text
