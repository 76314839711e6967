"""`/memory` says what counts, what waits and what is wrong; `/init` is a prompt."""

from pathlib import Path

from hames.harness.memory_report import init_prompt, memory_report
from hames.settings.memory_files import ImportRequest, Memory, MemoryFile
from hames.settings.text_files import Problem


def test_everything_is_listed() -> None:
    claude = Path("/r/CLAUDE.md")
    memory = Memory(
        files=(
            MemoryFile(claude, "project", "a\nb"),
            MemoryFile(Path("/r/x.md"), "project", "x", parent=claude),
        ),
        conditional=(MemoryFile(Path("/r/t.md"), "project", "t", ("*.py", "*.pyi")),),
        imports=(ImportRequest(Path("/o\n.md"), claude),),
        problems=(Problem(Path("/r/p.md"), "is a directory"),),
    )
    index = MemoryFile(Path("/m/MEMORY.md"), "auto", "i")
    assert memory_report(memory, index, Path("/m")) == (
        "Loaded:\n"
        "  /r/CLAUDE.md (project, 2 lines)\n"
        "  /r/x.md (project, 1 lines), imported by /r/CLAUDE.md\n"
        "  /m/MEMORY.md (auto, 1 lines)\n\n"
        "Rules that wait for a matching file:\n"
        "  /r/t.md (project, 1 lines), for *.py, *.pyi\n\n"
        "Imports outside the project, not approved:\n"
        "  /o\\n.md, imported by /r/CLAUDE.md\n\n"
        "Problems:\n"
        "  /r/p.md: is a directory\n\n"
        "Auto memory: /m"
    )


def test_nothing_to_list() -> None:
    assert memory_report(Memory(), None, None) == (
        "No instruction files are loaded.\n\nAuto memory: off"
    )


def test_init() -> None:
    assert init_prompt(" ").startswith("Write a CLAUDE.md")
    assert init_prompt("be brief").endswith("The user adds: be brief")
