"""The CLAUDE.md chain: order, sources, rules, nested files, worktrees."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hames.settings.memory import load_memory, nested_memory
from hames.settings.memory_files import Memory, MemoryFile, MemoryRequest
from hames.settings.repository import Repository

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return put


@pytest.fixture
def request_(tmp_path: Path) -> MemoryRequest:
    cwd = tmp_path / "work" / "repo" / "app"
    cwd.mkdir(parents=True)
    home = tmp_path / "home"
    return MemoryRequest(cwd, home, home / ".claude", managed_dir=tmp_path / "etc")


def names(memory: Memory, root: Path) -> list[str]:
    return [f"{f.kind} {f.path.relative_to(root)}" for f in memory.files]


def test_the_chain_is_read_from_far_to_near(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    for name in (
        "etc/CLAUDE.md",
        "home/.claude/CLAUDE.md",
        "home/.claude/rules/style/b.md",
        "home/.claude/rules/a.md",
        "work/CLAUDE.md",
        "work/repo/.claude/CLAUDE.md",
        "work/repo/.claude/rules/tests.md",
        "work/repo/CLAUDE.local.md",
        "work/repo/app/CLAUDE.md",
        "work/repo/app/.claude/CLAUDE.md",
        "work/repo/app/below/CLAUDE.md",
    ):
        write(name, f"text of {name}")
    memory = load_memory(request_)
    assert names(memory, tmp_path) == [
        "managed etc/CLAUDE.md",
        "user home/.claude/CLAUDE.md",
        "user home/.claude/rules/a.md",
        "user home/.claude/rules/style/b.md",
        "project work/CLAUDE.md",
        "project work/repo/.claude/CLAUDE.md",
        "project work/repo/.claude/rules/tests.md",
        "local work/repo/CLAUDE.local.md",
        "project work/repo/app/CLAUDE.md",
        "project work/repo/app/.claude/CLAUDE.md",
    ]
    assert memory.files[0] == MemoryFile(
        tmp_path / "etc" / "CLAUDE.md", "managed", "text of etc/CLAUDE.md"
    )
    assert memory.problems == ()


def test_nothing_written_is_nothing_loaded(request_: MemoryRequest) -> None:
    assert load_memory(request_) == Memory()


def test_the_switch_turns_everything_off(write: Write, request_: MemoryRequest) -> None:
    write("etc/CLAUDE.md", "m")
    write("work/repo/app/sub/CLAUDE.md", "s")
    off = replace(request_, env={"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"})
    assert load_memory(off) == Memory()
    assert nested_memory(off, Memory(), request_.cwd / "sub" / "x.py") == Memory()


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ((), ["managed"]),
        (("user",), ["managed", "user"]),
        (("project",), ["managed", "project"]),
        (("local",), ["managed", "local"]),
    ],
)
def test_setting_sources_choose_the_files(
    write: Write, request_: MemoryRequest, sources: tuple[str, ...], expected: list[str]
) -> None:
    write("etc/CLAUDE.md", "m")
    write("home/.claude/CLAUDE.md", "u")
    write("work/repo/app/CLAUDE.md", "p")
    write("work/repo/app/CLAUDE.local.md", "l")
    memory = load_memory(replace(request_, sources=frozenset(sources)))
    assert [f.kind for f in memory.files] == expected


def test_managed_text_from_settings_follows_the_managed_file(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    write("etc/CLAUDE.md", "file")
    memory = load_memory(replace(request_, managed_text="from settings"))
    assert [f.text for f in memory.files] == ["file", "from settings"]
    assert memory.files[1].path == tmp_path / "etc" / "managed-settings.json"


def test_excludes_skip_all_but_managed_files(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    for name in ("etc/CLAUDE.md", "home/.claude/CLAUDE.md", "work/CLAUDE.md"):
        write(name, "x")
    write("work/repo/.claude/rules/r.md", "x")
    excludes = ("/**/etc/*", f"{tmp_path}/work/CLAUDE.md", "~/.claude/*.md", "**/rules/**")
    memory = load_memory(replace(request_, excludes=excludes))
    assert names(memory, tmp_path) == ["managed etc/CLAUDE.md"]


def test_agents_md_stands_in_where_claude_md_is_missing(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    write("work/AGENTS.md", "a")
    write("work/repo/AGENTS.md", "a")
    write("work/repo/.claude/CLAUDE.md", "c")
    assert names(load_memory(request_), tmp_path) == [
        "project work/AGENTS.md",
        "project work/repo/.claude/CLAUDE.md",
    ]
    both = load_memory(replace(request_, instructions=("CLAUDE.md", "AGENTS.md")))
    assert names(both, tmp_path) == [
        "project work/AGENTS.md",
        "project work/repo/.claude/CLAUDE.md",
        "project work/repo/AGENTS.md",
    ]
    only = load_memory(replace(request_, instructions=("CLAUDE.md", "../x")))
    assert names(only, tmp_path) == ["project work/repo/.claude/CLAUDE.md"]


def test_agents_md_is_not_loaded_twice(write: Write, request_: MemoryRequest) -> None:
    agents = write("work/repo/app/AGENTS.md", "a")
    (request_.cwd / "CLAUDE.md").symlink_to(agents)
    both = replace(request_, instructions=("CLAUDE.md", "AGENTS.md"))
    assert [f.text for f in load_memory(both).files] == ["a"]


def test_a_home_above_the_project_is_the_users_not_the_projects(
    tmp_path: Path, write: Write
) -> None:
    write("home/.claude/CLAUDE.md", "user")
    write("home/.claude/rules/r.md", "user rule")
    cwd = tmp_path / "home" / "code"
    cwd.mkdir()
    request = MemoryRequest(cwd, tmp_path / "home", tmp_path / "home" / ".claude")
    assert [f.kind for f in load_memory(request).files] == ["user", "user"]
    no_user = replace(request, sources=frozenset(("project",)))
    assert load_memory(no_user) == Memory()


def test_added_directories_need_the_variable(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    write("other/CLAUDE.md", "o")
    added = replace(request_, added=(tmp_path / "other",))
    assert load_memory(added) == Memory()
    on = replace(added, env={"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1"})
    assert names(load_memory(on), tmp_path) == ["project other/CLAUDE.md"]


def test_a_worktree_inside_its_main_checkout_does_not_load_it_twice(
    tmp_path: Path, write: Write
) -> None:
    main = tmp_path / "work" / "repo"
    tree = main / ".claude" / "worktrees" / "x"
    tree.mkdir(parents=True)
    for name in ("", "repo/", "repo/.claude/worktrees/x/"):
        write(f"work/{name}CLAUDE.md", "text")
    write("work/repo/CLAUDE.local.md", "private notes are in no worktree")
    git = main / ".git"
    repository = Repository(tree, git / "worktrees" / "x", git, main)
    home = tmp_path / "home"
    request = MemoryRequest(tree, home, home / ".claude", repository=repository)
    assert names(load_memory(request), tmp_path) == [
        "project work/CLAUDE.md",
        "local work/repo/CLAUDE.local.md",
        "project work/repo/.claude/worktrees/x/CLAUDE.md",
    ]


def test_rules_with_paths_wait_for_a_matching_file(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    rule = write("work/repo/.claude/rules/ts.md", '---\npaths: ["app/**/*.{ts,tsx}"]\n---\nUse ts')
    memory = load_memory(request_)
    assert memory.files == ()
    base = tmp_path / "work" / "repo"
    globs = ("app/**/*.{ts,tsx}",)
    waiting = MemoryFile(rule, "project", "Use ts", globs, base=base)
    assert memory.conditional == (waiting,)
    assert nested_memory(request_, memory, request_.cwd / "a.py").files == ()
    hit = waiting._replace(reason="path_glob_match")
    assert nested_memory(request_, memory, request_.cwd / "src" / "a.tsx").files == (hit,)
    assert nested_memory(request_, memory, request_.cwd / "a.ts", [rule]).files == ()


@pytest.mark.parametrize(
    "paths",
    [
        "**/*.py",
        '"**/*.py"',
        "src/**, app/{a,b}.py",
        "\n  - **/*.md\n  - app/a.py",
        "[./app/*.py]",
        "\n- '[broken'\n- app/*",
        "/app/a.py",
    ],
)
def test_forms_of_paths(write: Write, request_: MemoryRequest, paths: str) -> None:
    write("work/repo/.claude/rules/r.md", f"---\npaths: {paths}\n---\nR")
    memory = load_memory(request_)
    assert [f.text for f in memory.conditional] == ["R"]
    assert len(nested_memory(request_, memory, request_.cwd / "a.py").files) == 1
    assert nested_memory(request_, memory, request_.cwd / "c.rs").files == () or "*" in paths


def test_a_malformed_pattern_is_named(write: Write, request_: MemoryRequest) -> None:
    path = write("work/repo/.claude/rules/r.md", "---\npaths:\n- '[x'\n- app/*\n---\nR")
    problems = load_memory(request_).problems
    assert [(p.path, "malformed" in p.text) for p in problems] == [(path, True)]


def test_a_rule_matches_through_a_linked_project(tmp_path: Path, write: Write) -> None:
    write("real/.claude/rules/r.md", "---\npaths: src/*.py\n---\nR")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    home = tmp_path / "home"
    for cwd, read in ((link, tmp_path / "real"), (tmp_path / "real", link)):
        request = MemoryRequest(cwd, home, home / ".claude")
        memory = load_memory(request)
        found = nested_memory(request, memory, read / "src" / "a.py")
        assert [f.text for f in found.files] == ["R"]


def test_user_rules_are_relative_to_the_working_directory(
    write: Write, request_: MemoryRequest
) -> None:
    write("home/.claude/rules/r.md", "---\npaths: src/*.py\n---\nR")
    memory = load_memory(request_)
    assert len(nested_memory(request_, memory, request_.cwd / "src" / "a.py").files) == 1
    assert nested_memory(request_, memory, request_.cwd / "a.py").files == ()


def test_reading_below_cwd_adds_the_files_on_the_way_once(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    write("work/repo/app/CLAUDE.md", "known")
    write("work/repo/app/a/CLAUDE.md", "one @extra.md")
    write("work/repo/app/a/extra.md", "extra")
    write("work/repo/app/a/b/AGENTS.md", "two")
    write("work/repo/app/a/b/.claude/rules/r.md", "rule")
    write("work/repo/app/a/b/.claude/rules/js.md", "---\npaths: '*.js'\n---\njs")
    write("work/repo/app/a/b/CLAUDE.local.md", "three")
    memory = load_memory(request_)
    read = request_.cwd / "a" / "b" / "x.py"
    found = nested_memory(request_, memory, read)
    assert [(f.text, f.reason) for f in found.files] == [
        ("one @extra.md", "nested_traversal"),
        ("extra", "include"),
        ("two", "nested_traversal"),
        ("rule", "nested_traversal"),
        ("three", "nested_traversal"),
    ]
    already = [f.path for f in found.files]
    assert nested_memory(request_, memory, read, already).files == ()
    more = nested_memory(request_, memory, read.with_suffix(".js"), already).files
    assert [f.text for f in more] == ["js"]


def test_reading_outside_cwd_adds_nothing(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    write("other/CLAUDE.md", "foreign")
    assert nested_memory(request_, Memory(), tmp_path / "other" / "x.py") == Memory()
    crooked = request_.cwd / ".." / ".." / ".." / "other" / "x.py"
    assert nested_memory(request_, Memory(), crooked) == Memory()


def test_project_rules_follow_the_sources_on_demand_too(
    write: Write, request_: MemoryRequest
) -> None:
    write("work/repo/app/a/CLAUDE.md", "p")
    user_only = replace(request_, sources=frozenset(("user",)))
    assert nested_memory(user_only, Memory(), request_.cwd / "a" / "x") == Memory()


def test_linked_rules_are_followed_and_circles_end(
    tmp_path: Path, write: Write, request_: MemoryRequest
) -> None:
    write("shared/r.md", "shared rule")
    rules = tmp_path / "work" / "repo" / ".claude" / "rules"
    rules.mkdir(parents=True)
    (rules / "team").symlink_to(tmp_path / "shared")
    (tmp_path / "shared" / "back").symlink_to(rules)
    (rules / "self.md").symlink_to(rules / "self.md")
    memory = load_memory(request_)
    assert [f.text for f in memory.files] == ["shared rule"]
    assert [p.path.name for p in memory.problems] == ["self.md"]
