"""Hooks of plugins, skills and agents."""

import json
from pathlib import Path
from typing import Any

from hames.hooks.from_definitions import agent_hooks, plugin_hooks, skill_hooks
from hames.hooks.spec import Command, HookSource, HookSpec
from hames.hooks.spec import Plugin as Facts
from hames.settings.definitions import Agent, Plugin, Skill
from support.hook_session import command

STOP: dict[str, Any] = {"Stop": [{"hooks": [command("x")]}]}


def plugin(root: Path, manifest: dict[str, Any], **files: Any) -> Plugin:
    for name, value in files.items():
        path = root / name.replace("__", "/")
        path = path.with_suffix(".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
    return Plugin("p", "p@local", root, root / "data", manifest=manifest)


def test_a_plugin_has_its_default_file_and_what_it_names(tmp_path: Path) -> None:
    given = plugin(
        tmp_path,
        {"hooks": ["./hooks/hooks.json", "./more.json"]},
        hooks__hooks={"description": "d", "hooks": STOP},
        more={"hooks": {"Stop": [{"hooks": [command("y")]}]}},
    )
    config = plugin_hooks(given, {"key": "v"}, forced=True)
    facts = Facts("p", tmp_path, tmp_path / "data", {"key": "v"})

    def source(name: str) -> HookSource:
        return HookSource("plugin", "Plugin p@local", tmp_path / name, "p@local", facts, True)

    assert config.problems == ()
    assert config.specs == tuple(
        HookSpec("Stop", Command(text), source(name), where="Stop[0].hooks[0]")
        for text, name in (("x", "hooks/hooks.json"), ("y", "more.json"))
    )


def test_hooks_may_stand_in_the_manifest(tmp_path: Path) -> None:
    for held in (STOP, {"hooks": STOP}):
        config = plugin_hooks(plugin(tmp_path, {"hooks": held}))
        assert [spec.summary for spec in config.specs] == ["x"]


def test_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    given = plugin(
        tmp_path / "p",
        {"hooks": ["./none.json", "../outside.json"]},
        hooks__hooks="{broken",
    )
    texts = [problem.text for problem in plugin_hooks(given).problems]
    assert texts == ["is not valid JSON", "does not exist", "lies outside of the plugin"]


def test_a_plugin_without_hooks_has_none(tmp_path: Path) -> None:
    config = plugin_hooks(plugin(tmp_path, {}))
    assert (config.specs, config.problems) == ((), ())


def test_a_skill_brings_hooks(tmp_path: Path) -> None:
    skill = Skill("s", "d", "b", "user", tmp_path / "SKILL.md", tmp_path, hooks=STOP)
    [spec] = skill_hooks(skill).specs
    assert (spec.event, spec.source.kind, spec.source.label) == ("Stop", "skill", "Skill s")


def test_an_agent_brings_hooks_unless_a_plugin_or_an_untrusted_folder_does(tmp_path: Path) -> None:
    def events(source: Any, trusted: bool) -> list[str]:
        agent = Agent("a", "d", "p", source, tmp_path / "a.md", hooks=STOP)
        return [spec.event for spec in agent_hooks(agent, trusted=trusted).specs]

    assert events("user", False) == ["SubagentStop"]
    assert events("project", True) == ["SubagentStop"]
    assert events("project", False) == []
    assert events("plugin", True) == []
