"""The system prompt and project context of five fixture projects, against reviewed goldens.

`HAMES_UPDATE_GOLDENS=1 pytest tests/harness/test_prompt.py` writes them anew.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hames.harness.environment import Environment, environment_section, read_environment
from hames.harness.git_snapshot import git_section, start_git_snapshot
from hames.harness.listings import agent_listing, skill_listing
from hames.harness.prompt import (
    PromptRequest,
    build_system,
    moved_sections,
    project_context,
)
from hames.harness.prompt_files import prompt_section, prompt_text
from hames.harness.styles import BUILTIN_STYLES, builtin_styles
from hames.settings.definition_load import DefinitionRequest, load_definitions
from hames.settings.definitions import Places, Style
from hames.settings.memory import load_memory
from hames.settings.memory_files import MemoryFile, MemoryRequest
from hames.settings.memory_index import load_index
from hames.settings.plugins import PluginRequest
from hames.settings.repository import find_repository
from hames.settings.skill_listing import skill_lines
from hames.settings.styles import choose_style
from support.projects import DATA, PROJECTS, make_project

PROMPTS = Path(__file__).parents[2] / "harness" / "prompts"
UPDATE = os.environ.get("HAMES_UPDATE_GOLDENS") == "1"


def rendered(name: str, tmp_path: Path) -> str:
    """Everything the model is told before the first prompt, and what was wrong with files."""
    root = make_project(name, tmp_path)
    folder, style_name = PROJECTS[name]
    cwd = root / folder
    home = tmp_path / "home"
    config = home / ".claude"
    repository = find_repository(cwd)
    memory = load_memory(MemoryRequest(cwd, home, config, repository=repository))
    index = load_index(config / "memory")
    places = Places(cwd, config, repository=repository)
    found = load_definitions(DefinitionRequest(places, PluginRequest(config)))
    request = PromptRequest(
        environment=Environment(
            cwd,
            is_repository=repository is not None,
            platform="linux",
            os_version="Linux 6.1",
            shell="bash",
            model="claude-sonnet-5-5",
        ),
        memory_directory=config / "memory",
        style=choose_style((*found.styles, *builtin_styles()), style_name),
        git=take_git(cwd) if name == "python" else "",
    )
    files = [*memory.files, *([index] if isinstance(index, MemoryFile) else [])]
    blocks = [f"===== system {n}\n{text}" for n, text in enumerate(build_system(request), 1)]
    texts = {
        "project context": project_context(files, "2026-11-30"),
        "skills": skill_listing(skill_lines(found.skills, 8000, {})),
        "agents": agent_listing(found.agents),
        "waiting rules": "\n".join(f"{f.path} {f.globs}" for f in memory.conditional),
        "imports to approve": "\n".join(str(wish.path) for wish in memory.imports),
        "problems": "\n".join(str(p) for p in (*memory.problems, *found.problems)),
    }
    blocks += [f"===== {title}\n{text}" for title, text in texts.items() if text]
    return "\n\n".join(blocks).replace(str(tmp_path), "<root>") + "\n"


def take_git(cwd: Path) -> str:
    async def take() -> str:
        repository = find_repository(cwd)
        assert repository is not None
        snapshot = await start_git_snapshot(repository, os.environ)
        return git_section(await snapshot.facts(budget=20))

    return asyncio.run(take())


@pytest.mark.parametrize("name", PROJECTS)
def test_golden(name: str, tmp_path: Path) -> None:
    (tmp_path / "work" / "outside.md").write_text("outside")
    text = rendered(name, tmp_path)
    golden = DATA / "golden" / "prompts" / f"{name}.txt"
    if UPDATE:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


ENVIRONMENT = Environment(Path("/w"), platform="linux")
FULL = PromptRequest(
    environment=ENVIRONMENT, memory_directory=Path("/m"), git="# Git x", append="APPENDED"
)


def test_the_order_of_blocks() -> None:
    static, dynamic, git = build_system(FULL._replace(style=Style("s", "", "STYLE", "user")))
    assert static.startswith("You are hames")
    assert static.endswith(prompt_text("git"))
    places = [dynamic.index(part) for part in ("# Environment", "# Memory", "STYLE", "APPENDED")]
    assert places == sorted(places)
    assert "`/m`" in dynamic
    assert git == "# Git x"


def test_a_style_leaves_the_coding_section_out_unless_it_keeps_it() -> None:
    coding = prompt_text("coding")
    plain = Style("s", "", "STYLE", "user")
    assert coding in build_system(FULL)[0]
    assert coding not in build_system(FULL._replace(style=plain))[0]
    assert coding in build_system(FULL._replace(style=plain._replace(keeps_coding=True)))[0]


def test_git_instructions_can_be_left_out() -> None:
    assert prompt_text("git") not in build_system(FULL._replace(git_instructions=False))[0]


def test_the_first_block_is_the_same_everywhere() -> None:
    elsewhere = FULL._replace(environment=ENVIRONMENT._replace(cwd=Path("/x")), git="", append="")
    assert build_system(FULL)[0] == build_system(elsewhere)[0]


def test_a_replacement_stands_for_all_but_the_appended_text() -> None:
    request = FULL._replace(replacement="OWN", style=Style("s", "", "STYLE", "user"))
    assert build_system(request) == ["OWN", "APPENDED"]
    assert moved_sections(request._replace(moved=True)) == ""


def test_minimal_prompts() -> None:
    assert build_system(PromptRequest("minimal")) == [prompt_text("minimal")]
    simple = build_system(FULL._replace(kind="simple"))
    assert simple[0] == prompt_text("minimal")
    assert "# Memory" in simple[1]
    assert "# Memory" not in build_system(FULL._replace(kind="minimal"))[1]


def test_dynamic_sections_can_move_into_the_first_message() -> None:
    request = FULL._replace(moved=True)
    assert build_system(request)[1:] == ["APPENDED"]
    moved = moved_sections(request)
    assert [moved.index(part) >= 0 for part in ("# Environment", "# Memory", "# Git x")] == [
        True
    ] * 3
    assert moved in project_context([], "2026-11-30", moved)
    assert moved_sections(FULL) == ""


def test_context_without_files_is_only_the_date() -> None:
    assert project_context([], "2026-11-30") == (
        "<system-reminder>\nToday is 2026-11-30.\n</system-reminder>"
    )


def test_builtin_styles() -> None:
    styles = builtin_styles()
    assert tuple(style.name for style in styles) == BUILTIN_STYLES
    assert [bool(style.text) for style in styles] == [False, True, True, True, True]


def test_a_directory_name_begins_no_section() -> None:
    text = environment_section(Environment(Path("/a\n# Rules\x1b[2J"), is_worktree=True))
    assert "- Working directory: /a\\n# Rules\\x1b[2J\n" in text
    assert "linked worktree" in text


def test_the_environment_of_this_process() -> None:
    found = read_environment(Path("/w"), {"SHELL": "/bin/zsh"}, added=(Path("/x"),), model="m")
    assert (found.shell, found.added, found.model) == ("zsh", (Path("/x"),), "m")
    assert found.platform and found.os_version
    assert "Shell" not in environment_section(read_environment(Path("/w"), {}))


def test_the_core_stays_small_and_every_text_is_used() -> None:
    assert len(build_system(PromptRequest())[0].encode()) < 6000
    names = {path.stem for path in PROMPTS.glob("*.md")}
    used = {"core", "coding", "git", "language", "minimal", "memory", "init", "reminders"}
    used |= {"hook_check"}
    assert names == used | {f"style-{name.lower()}" for name in BUILTIN_STYLES[1:]}
    with pytest.raises(KeyError):
        prompt_section("reminders", "none")


def test_what_the_first_request_needs_is_cheap_to_import() -> None:
    modules = (
        "hames.harness.prompt",
        "hames.harness.git_snapshot",
        "hames.harness.listings",
        "hames.settings.memory",
        "hames.settings.memory_index",
        "hames.settings.definition_load",
        "hames.settings.skill_listing",
        "hames.settings.substitute",
    )
    heavy = "{'yaml', 'pydantic', 'json5', 'importlib.resources', 'pathspec', 'tree_sitter'}"
    code = f"import sys, {', '.join(modules)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "[]\n"
