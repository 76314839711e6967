"""Places one may not look into are skipped or named; nothing crashes for an ordinary user."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CODE = """
import os, sys
from pathlib import Path
from hames.settings.definition_load import DefinitionRequest, load_definitions
from hames.settings.definitions import Places
from hames.settings.memory import load_memory
from hames.settings.memory_files import MemoryRequest
from hames.settings.plugins import PluginRequest
from hames.settings.repository import find_repository
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
base = Path(sys.argv[1])
cwd, config = base / "work", base / "config"
memory = load_memory(MemoryRequest(cwd, base, config, repository=find_repository(cwd)))
plugins = PluginRequest(config, (base / "closed",))
found = load_definitions(DefinitionRequest(Places(cwd, config), plugins))
print([f.text for f in memory.files], [s.name for s in found.skills], len(found.plugins))
for problem in (*memory.problems, *found.problems):
    print(problem.path.relative_to(base), problem.text)
"""


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that other users can reach; pytest's own is private."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        path.chmod(0o755)
    shutil.rmtree(folder)


def test_what_cannot_be_read_is_named(base: Path) -> None:
    for name in ("work/.claude", "config/skills/shut", "config/skills/open", "config/rules/x"):
        (base / name).mkdir(parents=True)
    (base / "closed").mkdir()
    (base / "work" / "CLAUDE.md").write_text("secret")
    (base / "work" / "CLAUDE.local.md").write_text("fine @.claude/x.md")
    (base / "config" / "skills" / "open" / "SKILL.md").write_text("Open")
    shut = ("work/CLAUDE.md", "work/.claude", "config/skills/shut", "config/rules/x", "closed")
    for name in shut:
        (base / name).chmod(0)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(base)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "build" / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "['fine @.claude/x.md'] ['open'] 0",
        "config/rules/x cannot be read (permission denied)",
        "work/CLAUDE.md cannot be read (permission denied)",
        "work/.claude/CLAUDE.md cannot be read (permission denied)",
        "work/.claude/rules cannot be read (permission denied)",
        "closed is no plugin folder that can be read",
        "work/.claude/skills cannot be read (permission denied)",
        "work/.claude/agents cannot be read (permission denied)",
        "config/skills/shut/SKILL.md cannot be read (permission denied)",
        "work/.claude/skills cannot be read (permission denied)",
        "work/.claude/commands cannot be read (permission denied)",
        "work/.claude/output-styles cannot be read (permission denied)",
    ]
