"""The library reads what there is, imports nothing for what there is not, and notices changes."""

import os
from pathlib import Path

import pytest

from hames.harness.errors import UsageError
from hames.harness.later_files import readers
from hames.harness.library import Library, Readers
from hames.harness.run_config import RunConfig
from hames.harness.start import prepare
from support.asking import write


def library(make: object = readers, **fields: object) -> Library:
    config = RunConfig(Path.cwd())._replace(**fields)
    return Library(prepare(config, os.environ), make)  # type: ignore[arg-type]  # fakes of tests


def unused() -> Readers:
    raise AssertionError("there is nothing to read")


def test_an_empty_project_needs_no_readers() -> None:
    empty = library(unused)
    assert (empty.memory, empty.definitions, empty.skills) == (None, None, ())
    assert empty.read_index() == (None, None)
    assert empty.refresh() is False


@pytest.mark.parametrize("mode", ["bare", "safe"])
def test_bare_and_safe_sessions_read_nothing(mode: str) -> None:
    write(Path("CLAUDE.md"), "x")
    write(Path(".claude/commands/fix.md"), "x")
    off = library(unused, **{mode: True})
    assert (off.memory, off.definitions, off.memory_folder) == (None, None, None)


def test_changed_added_and_removed_files_are_noticed() -> None:
    path = write(Path(".claude/commands/fix.md"), "old")
    found = library()
    assert [skill.body for skill in found.skills] == ["old"]
    assert found.refresh() is False
    path.write_text("new")
    os.utime(path, ns=(1, 1))
    assert found.refresh() is True
    assert [skill.body for skill in found.skills] == ["new"]
    write(Path(".claude/commands/git/add.md"), "x")
    assert found.refresh() is True
    assert [skill.name for skill in found.skills] == ["fix", "git:add"]
    path.unlink()
    assert found.refresh() is True
    assert [skill.name for skill in found.skills] == ["git:add"]


def test_memory_stays_as_it_was_when_the_conversation_began() -> None:
    path = write(Path("CLAUDE.md"), "old")
    found = library()
    path.write_text("new")
    first = found.memory
    path.write_text("newer")
    assert found.memory is first
    reread = found.read_memory()
    assert reread is not None
    assert [file.text for file in reread.files] == ["newer"]


def test_imports_from_outside_wait_for_an_agreement(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.md", "Outside law.")
    write(Path("CLAUDE.md"), f"See @{outside}")
    asked = library().read_memory()
    assert asked is not None
    assert [wish.path for wish in asked.imports] == [outside]
    record = f'{{"projects": {{"{Path.cwd()}": {{"hasClaudeMdExternalIncludesApproved": true}}}}}}'
    write(Path.home() / ".claude.json", record)
    agreed = library().read_memory()
    assert agreed is not None
    assert [file.path for file in agreed.files][-1] == outside


def test_the_agent_of_the_session() -> None:
    write(Path(".claude/agents/guide.md"), "---\nname: guide\ndescription: d\n---\nGuide.")
    agent = library(agent="guide").main_agent
    assert agent is not None
    assert agent.prompt == "Guide."
    assert library().main_agent is None
    assert library(settings='{"agent": "nobody"}').main_agent is None
    with pytest.raises(UsageError, match="there are: guide"):
        _ = library(agent="nobody").main_agent
