"""The example folder is what it says: every file loads without a complaint."""

import shutil
from pathlib import Path

from hames.settings.definition_load import DefinitionRequest, load_definitions
from hames.settings.definitions import Places
from hames.settings.memory import load_memory
from hames.settings.memory_files import MemoryRequest
from hames.settings.plugins import PluginRequest
from hames.settings.substitute import Arguments, render

EXAMPLE = Path(__file__).parents[2] / ".claude-example"


def test_the_example_loads_cleanly(tmp_path: Path) -> None:
    work = tmp_path / "work"
    shutil.copytree(EXAMPLE, work / ".claude")
    home = tmp_path / "home"
    memory = load_memory(MemoryRequest(work, home, home / ".claude"))
    assert [f.path.name for f in memory.files] == ["CLAUDE.md"]
    assert "maintainers" not in memory.files[0].text
    assert [f.globs for f in memory.conditional] == [("tests/**/*.py", "src/**/*_test.{py,pyi}")]
    places = Places(work, home / ".claude")
    found = load_definitions(DefinitionRequest(places, PluginRequest(home / ".claude")))
    assert [a.name for a in found.agents] == ["test-runner"]
    assert [s.name for s in found.skills] == ["explain", "release-notes"]
    assert [s.name for s in found.styles] == ["Reviewer"]
    assert (memory.problems, found.problems) == ((), ())
    notes = found.skills[1]
    rendered = render(notes.body, Arguments("v1", notes.arguments), {"CLAUDE_SKILL_DIR": "/s"})
    assert "since `v1`" in rendered.text
    assert "/s/layout.md" in rendered.text
    assert [i.command for i in rendered.shell] == ["git tag --sort=-creatordate"]
