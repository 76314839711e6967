"""Local plugins: manifests, marketplaces that are folders, namespaces."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hames.cli.commands.plugin import command
from hames.settings.definition_load import DefinitionRequest, load_definitions
from hames.settings.definitions import Places, Plugin
from hames.settings.plugin_manifest import Origin, read_plugin
from hames.settings.plugins import PluginRequest, load_plugins
from hames.settings.text_files import Problem

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return put


def manifest(write: Write, folder: str, **fields: Any) -> None:
    write(f"{folder}/.claude-plugin/plugin.json", json.dumps(fields))


def test_a_whole_plugin(tmp_path: Path, write: Write) -> None:
    manifest(write, "p", name="tools", version="1.2.0", agents=["./more"], skills="./own")
    write("p/skills/deploy/SKILL.md", "---\nname: ship\n---\nDeploy")
    write("p/skills/plain/SKILL.md", "Plain")
    write("p/own/extra/SKILL.md", "Extra")
    write("p/SKILL.md", "Root")
    write("p/commands/git/fix.md", "Fix")
    write("p/agents/ignored.md", "---\nname: no\n---\n")
    write("p/more/sub/check.md", "---\npermissionMode: bypassPermissions\nhooks: {}\n---\nCheck")
    write("p/output-styles/s.md", "---\nname: S\nforce-for-plugin: true\n---\nStyle")
    config = tmp_path / "home" / ".claude"
    places = Places(tmp_path / "work", config)
    found = load_definitions(DefinitionRequest(places, PluginRequest(config, (tmp_path / "p",))))
    assert found.problems == ()
    assert [s.name for s in found.skills] == [
        "tools:extra",
        "tools:git:fix",
        "tools:plain",
        "tools:ship",
        "tools:tools",
    ]
    assert all(s.plugin == found.plugins[0] for s in found.skills)
    assert [(a.name, a.mode, a.hooks, a.source) for a in found.agents] == [
        ("tools:sub:check", None, None, "plugin")
    ]
    assert [(s.name, s.forced) for s in found.styles] == [("tools:S", True)]


def test_a_folder_without_manifest_is_named_after_itself(tmp_path: Path) -> None:
    (tmp_path / "My Plugin").mkdir()
    plugin = read_plugin(Origin(tmp_path / "My Plugin", tmp_path), [])
    root = tmp_path / "My Plugin"
    data = tmp_path / "plugins" / "data" / "my-plugin"
    assert plugin == Plugin("my-plugin", "my-plugin", root, data, manifest={"name": "my-plugin"})


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "`name` must be lower-case words"),
        ({"name": "Bad Name"}, "'Bad Name'"),
        ({"name": "a", "version": 1}, "`version` must be str"),
        ({"name": "a", "skills": "skills"}, "must begin with `./`"),
        ({"name": "a", "agents": ["./../x"]}, "not hold `..`"),
        ({"name": "a", "commands": ["./gone"]}, "does not exist"),
        ({"name": "a", "commands": ["./link"]}, "leads out of the plugin"),
        ({"name": "a", "agents": {"x": 1}}, "`agents` must be str or list"),
    ],
)
def test_a_wrong_manifest_refuses_the_plugin(
    tmp_path: Path, write: Write, fields: dict[str, Any], text: str
) -> None:
    manifest(write, "p", **fields)
    (tmp_path / "p" / "link").symlink_to(tmp_path / "home")
    problems: list[Problem] = []
    assert read_plugin(Origin(tmp_path / "p", tmp_path), problems) is None
    assert [text in str(p) for p in problems] == [True]


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000, '"x"', "\0"])
def test_a_manifest_that_is_no_object(tmp_path: Path, write: Write, content: str) -> None:
    write("p/.claude-plugin/plugin.json", content)
    problems: list[Problem] = []
    assert read_plugin(Origin(tmp_path / "p", tmp_path), problems) is None
    assert len(problems) == 1


def market(tmp_path: Path, write: Write, *entries: dict[str, Any]) -> PluginRequest:
    content = {"name": "m", "owner": {"name": "o"}, "plugins": list(entries)}
    write("market/.claude-plugin/marketplace.json", json.dumps(content))
    known = {"m": {"source": {"source": "directory", "path": str(tmp_path / "market")}}}
    return PluginRequest(tmp_path, enabled={"a@m": True, "b@m": False}, marketplaces=known)


def test_enabled_plugins_of_a_directory_marketplace(tmp_path: Path, write: Write) -> None:
    manifest(write, "market/plugins/a", name="a", description="from the plugin")
    manifest(write, "market/plugins/b", name="b")
    request = market(
        tmp_path,
        write,
        {"name": "a", "source": "./plugins/a", "description": "from the market"},
        {"name": "b", "source": "./plugins/b"},
    )
    problems: list[Problem] = []
    (plugin,) = load_plugins(request, problems)
    assert (plugin.id, plugin.description, problems) == ("a@m", "from the plugin", [])
    assert plugin.data == tmp_path / "plugins" / "data" / "a-m"


def test_an_entry_that_is_not_strict_is_the_manifest(tmp_path: Path, write: Write) -> None:
    (tmp_path / "market" / "a").mkdir(parents=True)
    entry = {"name": "a", "source": "./a", "strict": False, "version": "3"}
    (plugin,) = load_plugins(market(tmp_path, write, entry), [])
    assert (plugin.name, plugin.version) == ("a", "3")


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "a", "source": "../outside"},
        {"name": "a", "source": {"source": "github", "repo": "x/y"}},
        {"name": "other", "source": "./a"},
        {},
    ],
)
def test_entries_that_cannot_be_used(tmp_path: Path, write: Write, entry: dict[str, Any]) -> None:
    problems: list[Problem] = []
    assert load_plugins(market(tmp_path, write, entry), problems) == ()
    assert ["holds no plugin 'a'" in p.text for p in problems] == [True]


def test_unknown_and_remote_marketplaces_are_named(tmp_path: Path) -> None:
    known = {"r": {"source": {"source": "github", "repo": "x/y"}}, "bad": 3}
    enabled = {"a@r": True, "a@none": True, "a@bad": True}
    problems: list[Problem] = []
    request = PluginRequest(tmp_path, enabled=enabled, marketplaces=known)
    assert load_plugins(request, problems) == ()
    assert len(problems) == 3
    assert all("local folders" in p.text for p in problems)


def test_a_missing_folder_or_catalogue_is_named(tmp_path: Path) -> None:
    known = {"m": {"source": {"source": "directory", "path": str(tmp_path)}}}
    problems: list[Problem] = []
    request = PluginRequest(tmp_path, (tmp_path / "none",), {"a@m": True}, known)
    assert load_plugins(request, problems) == ()
    assert ["is no plugin folder" in problems[0].text, "does not exist" in problems[1].text] == [
        True,
        True,
    ]


def test_a_skill_folder_with_a_manifest_is_a_plugin(tmp_path: Path, write: Write) -> None:
    manifest(write, "home/.claude/skills/kit", name="kit")
    write("home/.claude/skills/kit/SKILL.md", "Kit")
    write("home/.claude/skills/kit/skills/two/SKILL.md", "Two")
    config = tmp_path / "home" / ".claude"
    places = Places(tmp_path / "work", config)
    found = load_definitions(DefinitionRequest(places, PluginRequest(config)))
    assert [p.id for p in found.plugins] == ["kit@skills-dir"]
    assert [s.name for s in found.skills] == ["kit:kit", "kit:two"]
    off = PluginRequest(config, enabled={"kit@skills-dir": False})
    assert load_definitions(DefinitionRequest(places, off)).plugins == ()


def test_list_shows_plugins_and_problems(tmp_path: Path, write: Write) -> None:
    manifest(write, "p", name="tools", version="1.0")
    write("p/skills/x/SKILL.md", "X")
    arguments = ["list", "--plugin-dir", str(tmp_path / "p"), "--plugin-dir", str(tmp_path / "q")]
    plain = CliRunner().invoke(command, arguments)
    assert plain.exit_code == 0
    assert f"tools 1.0  1 skills, 0 agents, 0 styles  {tmp_path / 'p'}" in plain.output
    assert "is no plugin folder" in plain.output
    rows = json.loads(CliRunner().invoke(command, [*arguments[:3], "--json"]).output)
    assert [(row["id"], row["skills"]) for row in rows] == [("tools", ["tools:x"])]
    assert "no plugins" in CliRunner().invoke(command, ["list"]).output


def test_list_reads_the_settings(tmp_path: Path, write: Write) -> None:
    manifest(write, "market/a", name="a")
    request = market(tmp_path, write, {"name": "a", "source": "./a"})
    settings = {
        "enabledPlugins": dict(request.enabled),
        "extraKnownMarketplaces": dict(request.marketplaces),
    }
    write("home/.claude/settings.json", json.dumps(settings))
    output = CliRunner().invoke(command, ["list"]).output
    assert output.startswith("a@m  0 skills")


def test_validate(tmp_path: Path, write: Write) -> None:
    manifest(write, "p", name="tools")
    write("p/skills/x/SKILL.md", "X")
    good = CliRunner().invoke(command, ["validate", str(tmp_path / "p")])
    assert (good.exit_code, good.output) == (0, f"{tmp_path / 'p'}: valid\n")
    write("p/agents/a.md", "---\nname: a\ndescription: x: y\n---\n")
    bad = CliRunner().invoke(command, ["validate", str(tmp_path / "p"), "--json"])
    report = json.loads(bad.output)
    assert (bad.exit_code, report["valid"], report["problems"][0]["line"]) == (1, False, 3)
    none = CliRunner().invoke(command, ["validate", str(tmp_path / "home")])
    assert (none.exit_code, "has no .claude-plugin/plugin.json" in none.output) == (1, True)
    manifest(write, "p", name="Bad")
    twice = CliRunner().invoke(command, ["validate", str(tmp_path / "p")])
    assert (twice.exit_code, twice.output.count("lower-case words")) == (1, 1)
