"""Agents, skills, commands and styles: places, precedence, names, odd files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hames.settings.agents import load_agents
from hames.settings.definition_load import DefinitionRequest, load_definitions
from hames.settings.definitions import Agent, Definitions, Places, Skill, Style
from hames.settings.plugins import PluginRequest
from hames.settings.repository import Repository
from hames.settings.skills import awakened_skills, find_skill, load_skills, nested_skills
from hames.settings.styles import choose_style, load_styles
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


@pytest.fixture
def places(tmp_path: Path) -> Places:
    root = tmp_path / "work" / "repo"
    cwd = root / "app"
    cwd.mkdir(parents=True)
    git = root / ".git"
    repository = Repository(root, git, git, root)
    config = tmp_path / "home" / ".claude"
    return Places(cwd, config, tmp_path / "etc", repository)


def agent(name: str, note: str = "") -> str:
    return f"---\nname: {name}\ndescription: about {note or name}\n---\nPrompt of {name}\n"


def skill(note: str) -> str:
    return f"---\ndescription: {note}\n---\nBody of {note}\n"


def test_the_higher_source_of_an_agent_wins(write: Write, places: Places) -> None:
    write("etc/.claude/agents/a.md", agent("one", "managed"))
    write("work/repo/app/.claude/agents/deep/b.md", agent("two", "near"))
    write("work/repo/.claude/agents/b.md", agent("two", "far"))
    write("work/.claude/agents/c.md", agent("outside", "above the repository"))
    write("home/.claude/agents/d.md", agent("two", "user"))
    write("home/.claude/agents/e.md", agent("three", "user"))
    flags = {
        "one": {"description": "flag", "prompt": "p"},
        "four": {"description": "flag", "prompt": "p", "maxTurns": 3, "background": True},
    }
    problems: list[Problem] = []
    found = load_agents(places, flags, problems)
    assert [(a.name, a.source, a.description) for a in found] == [
        ("four", "flag", "flag"),
        ("one", "managed", "about managed"),
        ("three", "user", "about user"),
        ("two", "project", "about near"),
    ]
    assert (found[0].max_turns, found[0].background) == (3, True)
    assert problems == []


def test_every_field_of_an_agent(write: Write, places: Places) -> None:
    path = write(
        "home/.claude/agents/x.md",
        "---\nname: x\ndescription: Use when: needed\ntools: Read, Bash(git log *, git diff *)\n"
        "disallowedTools: [Write]\nmodel: opus\npermissionMode: plan\nmaxTurns: 7\n"
        "skills:\n- a\n- b\nmemory: project\nbackground: yes\neffort: high\nisolation: worktree\n"
        "color: cyan\ninitialPrompt: go\nhooks:\n  Stop:\n    - hooks: []\nmcpServers: [srv]\n"
        "---\n\nThe prompt\n",
    )
    problems: list[Problem] = []
    assert load_agents(places, {}, problems) == (
        Agent(
            name="x",
            description="Use when: needed",
            prompt="The prompt",
            source="user",
            path=path,
            tools=("Read", "Bash(git log *, git diff *)"),
            disallowed=("Write",),
            model="opus",
            mode="plan",
            max_turns=7,
            skills=("a", "b"),
            memory="project",
            effort="high",
            color="cyan",
            background=True,
            isolation="worktree",
            initial_prompt="go",
            hooks={"Stop": [{"hooks": []}]},
            servers=["srv"],
        ),
    )
    assert [(p.line, "not valid YAML" in p.text) for p in problems] == [(3, True)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\ndescription: x\n---\n", "`name` is missing"),
        ("---\nname: a b\ndescription: x\n---\n", "may not hold spaces"),
        ("---\nname: -x\ndescription: x\n---\n", "nor begin with `-`"),
        ("---\nname: a:b\ndescription: x\n---\n", "`:`"),
        ("---\nname: a\n---\n", "`description` is missing"),
        ("# Notes for people", None),
        ("", None),
    ],
)
def test_agents_that_cannot_be_used_are_named(
    write: Write, places: Places, text: str, problem: str | None
) -> None:
    path = write("home/.claude/agents/x.md", text)
    problems: list[Problem] = []
    assert load_agents(places, {}, problems) == ()
    assert [p.path for p in problems] == ([path] if problem else [])
    assert all(problem and problem in p.text for p in problems)


def test_wrong_types_cost_one_field_and_are_named(write: Write, places: Places) -> None:
    write(
        "home/.claude/agents/x.md",
        "---\nname: x\ndescription: d\nmaxTurns: many\nbackground: perhaps\neffort: 11\n"
        "color: [red]\npermissionMode: {a: b}\ntools: 3\n---\nP",
    )
    problems: list[Problem] = []
    (found,) = load_agents(places, {}, problems)
    assert (found.max_turns, found.background, found.effort, found.color) == (
        None,
        False,
        None,
        None,
    )
    assert found.tools == ("3",)
    assert sorted(p.line or 0 for p in problems) == [4, 5, 6, 7, 8]


def test_sources_and_added_directories(tmp_path: Path, write: Write, places: Places) -> None:
    write("home/.claude/agents/u.md", agent("u"))
    write("work/repo/.claude/agents/p.md", agent("p"))
    write("extra/.claude/agents/e.md", agent("e"))
    some = places._replace(sources=frozenset(("project",)), added=(tmp_path / "extra",))
    assert [a.name for a in load_agents(some, {}, [])] == ["e", "p"]
    none = places._replace(sources=frozenset[str]())
    assert load_agents(none, {}, []) == ()


def test_skills_win_by_place_and_over_commands(write: Write, places: Places) -> None:
    write("home/.claude/skills/deploy/SKILL.md", skill("personal"))
    write("work/repo/app/.claude/skills/deploy/SKILL.md", skill("project"))
    write("work/repo/app/.claude/skills/near/SKILL.md", skill("near"))
    write("work/repo/.claude/skills/near/SKILL.md", skill("far"))
    write("work/repo/.claude/skills/synced/SKILL.md", skill("reserved"))
    write("work/repo/.claude/skills/empty/notes.md", skill("no skill file"))
    write("home/.claude/commands/near.md", skill("a command of that name"))
    write("home/.claude/commands/git/fix.md", skill("command"))
    found = load_skills(places, {}, [])
    assert [(s.name, s.description, s.is_command) for s in found] == [
        ("deploy", "personal", False),
        ("git:fix", "command", True),
        ("near", "near", False),
    ]
    assert find_skill(found, "git:fix") == find_skill(found, "fix") == found[1]
    assert find_skill(found, "none") is None


def test_every_field_of_a_skill(write: Write, places: Places) -> None:
    path = write(
        "home/.claude/skills/x/SKILL.md",
        "---\nname: Shown\ndescription: What\nwhen_to_use: Then\nargument-hint: [file] [n]\n"
        "arguments: file n\ndisable-model-invocation: yes\nuser-invocable: no\n"
        "allowed-tools: Bash(git add *) Read, Grep\ndisallowed-tools: [Write]\nmodel: inherit\n"
        "effort: low\ncontext: fork\nagent: Explore\nbackground: off\npaths: '*.py, a/{b,c}'\n"
        "shell: bash\nhooks: {}\nlicense: MIT\n---\n\nBody\n",
    )
    assert load_skills(places, {}, []) == (
        Skill(
            name="x",
            description="What Then",
            body="Body",
            source="user",
            path=path,
            directory=path.parent,
            label="Shown",
            argument_hint="[file] [n]",
            arguments=("file", "n"),
            listed=False,
            user_invocable=False,
            allowed=("Bash(git add *)", "Read", "Grep"),
            disallowed=("Write",),
            effort="low",
            fork=True,
            agent="Explore",
            background=False,
            paths=("*.py", "a/{b,c}"),
            hooks={},
        ),
    )


def test_a_skill_without_a_header_describes_itself(write: Write, places: Places) -> None:
    write("home/.claude/skills/x/SKILL.md", "# Title\n\nDoes a thing\nin two lines.\n\nMore.")
    (found,) = load_skills(places, {}, [])
    assert (found.description, found.listed) == ("Does a thing in two lines.", True)


def test_overrides(write: Write, places: Places) -> None:
    for name in ("a", "b", "c", "d"):
        write(f"home/.claude/skills/{name}/SKILL.md", skill(name))
    choices = {"a": "off", "b": "name-only", "c": "user-invocable-only", "d": "on"}
    found = load_skills(places, choices, [])
    assert [(s.name, s.name_only, s.listed) for s in found] == [
        ("b", True, True),
        ("c", False, False),
        ("d", False, True),
    ]


def test_a_linked_skill_loads_once(tmp_path: Path, write: Write, places: Places) -> None:
    write("store/SKILL.md", skill("shared"))
    folder = tmp_path / "home" / ".claude" / "skills"
    folder.mkdir(parents=True)
    (folder / "a").symlink_to(tmp_path / "store")
    (folder / "b").symlink_to(tmp_path / "store")
    (folder / "loop").symlink_to(folder / "loop")
    assert [s.name for s in load_skills(places, {}, [])] == ["a"]


def test_nested_skills_come_with_a_touched_file(write: Write, places: Places) -> None:
    write("work/repo/app/.claude/skills/deploy/SKILL.md", skill("top"))
    write("work/repo/app/web/.claude/skills/deploy/SKILL.md", skill("web"))
    write("work/repo/app/web/.claude/skills/lint/SKILL.md", skill("lint"))
    write("work/repo/app/web/ui/.claude/skills/lint/SKILL.md", skill("ui lint"))
    known = load_skills(places, {}, [])
    assert [s.name for s in known] == ["deploy"]
    found = nested_skills(places, places.cwd / "web" / "ui" / "x.ts", known, [])
    assert [(s.name, s.description) for s in found] == [
        ("web:deploy", "web"),
        ("lint", "lint"),
        ("web/ui:lint", "ui lint"),
    ]
    again = nested_skills(places, places.cwd / "web" / "y.ts", (*known, *found), [])
    assert again == ()
    assert nested_skills(places, places.cwd.parent / "x", known, []) == ()


def test_styles(write: Write, places: Places) -> None:
    path = write(
        "work/repo/.claude/output-styles/s.md",
        "---\nname: Terse\ndescription: d\nkeep-coding-instructions: true\n---\nBe terse.\n",
    )
    write("home/.claude/output-styles/Terse.md", "user's")
    write("home/.claude/output-styles/plain.md", "Plain.")
    found = load_styles(places, [])
    terse = Style("Terse", "d", "Be terse.", "project", path, True)
    assert found[0] == terse
    assert choose_style(found, "terse") == terse
    assert choose_style(found, "PLAIN") == found[1]
    assert choose_style(found, "none") is None
    forced = terse._replace(name="p:F", forced=True)
    assert choose_style((*found, forced), "plain") == forced


def test_one_call_loads_all_and_survives_all(tmp_path: Path, write: Write, places: Places) -> None:
    home = tmp_path / "home" / ".claude"
    write("home/.claude/agents/ok.md", agent("ok"))
    (home / "agents" / "bin.md").write_bytes(b"\0\0")
    (home / "skills").write_text("a file where a folder belongs")
    (home / "commands").mkdir()
    (home / "commands" / "loop.md").symlink_to(home / "commands" / "loop.md")
    found = load_definitions(DefinitionRequest(places, PluginRequest(home)))
    assert [a.name for a in found.agents] == ["ok"]
    assert [p.path.name for p in found.problems] == ["bin.md", "loop.md"]
    empty = places._replace(config_dir=tmp_path / "none")
    request = DefinitionRequest(empty, PluginRequest(tmp_path / "none"))
    assert load_definitions(request) == Definitions()


def test_skills_with_paths_wait_for_a_matching_file(write: Write, places: Places) -> None:
    write("home/.claude/skills/a/SKILL.md", "---\npaths: ./src/**/*.ts\n---\nA")
    write("home/.claude/skills/b/SKILL.md", "B")
    skills = load_skills(places, {}, [])
    touched = places.cwd / "src" / "x.ts"
    assert [s.name for s in awakened_skills(places, touched, skills)] == ["a"]
    assert awakened_skills(places, places.cwd / "x.ts", skills) == ()
    assert awakened_skills(places, places.cwd.parent / "src" / "x.ts", skills) == ()
