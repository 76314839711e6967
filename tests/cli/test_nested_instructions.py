"""Instructions, rules and skills that come with the files that the model works on."""

import json
from pathlib import Path

from support.asking import ask, write
from support.fake_api import RecordedRequest, Turn, tool_use, turn

DONE = turn("Done.")
SESSION = "11111111-2222-4333-8444-555555555555"


def read(path: str, id: str = "t1") -> Turn:
    return turn(tool_use("Read", {"file_path": str(Path(path).absolute())}, id=id))


def test_nested_files_come_once_with_the_first_read_below_them() -> None:
    write(Path("app/CLAUDE.md"), "Nested law.")
    write(Path("app/a.txt"), "a")
    write(Path("app/b.txt"), "b")
    answered = ask("go", read("app/a.txt"), read("app/b.txt", "t2"), DONE)
    assert "Nested law." not in json.dumps(answered.bodies[0])
    assert any("Nested law." in text for text in answered.texts(1))
    assert json.dumps(answered.bodies[2]).count("Nested law.") == 1


def test_a_resumed_session_knows_what_was_shown() -> None:
    write(Path("app/CLAUDE.md"), "Nested law.")
    write(Path("app/a.txt"), "a")
    write(Path("app/b.txt"), "b")
    ask("go", read("app/a.txt"), DONE, flags=("--session-id", SESSION))
    again = ask("more", read("app/b.txt", "t2"), DONE, flags=("--resume", SESSION))
    assert json.dumps(again.bodies[-1]).count("Nested law.") == 1


def test_two_reads_of_one_message_bring_it_once() -> None:
    write(Path("app/CLAUDE.md"), "Nested law.")
    write(Path("app/a.txt"), "a")
    write(Path("app/b.txt"), "b")
    calls = [
        tool_use("Read", {"file_path": str(Path(f"app/{n}.txt").absolute())}, id=n) for n in "ab"
    ]
    answered = ask("go", turn(*calls), DONE)
    assert json.dumps(answered.bodies[1]).count("Nested law.") == 1


def test_rules_with_paths_wait_for_a_matching_file() -> None:
    write(Path(".claude/rules/ts.md"), "---\npaths: ['src/**/*.ts']\n---\nUse const.")
    write(Path("src/a.py"), "")
    write(Path("src/b.ts"), "x")
    answered = ask("go", read("src/a.py"), read("src/b.ts", "t2"), DONE)
    assert "Use const." not in json.dumps(answered.bodies[1])
    assert any("Use const." in text for text in answered.texts(2))


def test_nested_skills_are_listed_and_can_be_loaded() -> None:
    write(Path("app/.claude/skills/fix/SKILL.md"), "---\ndescription: Fixes\n---\nFix the app.")
    write(Path("app/a.txt"), "a")
    load = turn(tool_use("Skill", {"skill": "fix"}, id="t2"))
    answered = ask("go", read("app/a.txt"), load, DONE, flags=("--session-id", SESSION))
    assert any("- fix: Fixes" in text for text in answered.texts(1))
    assert answered.texts(2)[-1].endswith("Fix the app.")
    again = turn(tool_use("Skill", {"skill": "fix"}, id="t3"))
    resumed = ask("again", again, DONE, flags=("--resume", SESSION))
    assert "is loaded" in resumed.results()[0]


def test_skills_with_paths_wake_up() -> None:
    text = "---\ndescription: About SQL\npaths: '*.sql'\n---\nx"
    write(Path(".claude/skills/sql/SKILL.md"), text)
    write(Path("a.sql"), "select 1")
    answered = ask("go", read("a.sql"), DONE)
    assert not any("- sql" in text for text in answered.texts(0))
    assert any("- sql: About SQL" in text for text in answered.texts(1))


def test_switched_off_instructions_stay_off() -> None:
    write(Path("app/CLAUDE.md"), "Nested law.")
    write(Path("app/a.txt"), "a")
    for flags, env in ((("--safe-mode",), {}), ((), {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"})):
        answered = ask("go", read("app/a.txt"), DONE, flags=flags, env=env)
        assert "Nested law." not in json.dumps(answered.bodies[1])


def test_seeded_files_are_known_to_be_unchanged() -> None:
    write(Path("CLAUDE.md"), "Project law.\n")
    answered = ask("go", read("CLAUDE.md"), DONE)
    assert "has not changed" in answered.results()[0]


def test_a_file_with_left_out_comments_is_read_in_full() -> None:
    write(Path("CLAUDE.md"), "<!-- hidden -->\nProject law.\n")
    assert "hidden" in ask("go", read("CLAUDE.md"), DONE).results()[0]


def test_a_file_that_somebody_changed_is_told_once() -> None:
    path = write(Path("a.txt"), "old")

    def change(request: RecordedRequest) -> Turn:
        del request
        path.write_text("newer")
        return read("b.txt", "t2")

    write(Path("b.txt"), "b")
    answered = ask("go", read("a.txt"), change, read("b.txt", "t3"), DONE)
    assert any("a.txt was changed since you read it" in text for text in answered.texts(2))
    assert json.dumps(answered.bodies[3]).count("was changed since you read it") == 1


def test_a_change_by_a_command_is_told_by_its_result_alone() -> None:
    write(Path("a.txt"), "old")
    command = turn(tool_use("Bash", {"command": "echo newer > a.txt"}, id="t2"))
    flags = ("--allowedTools", "Bash", "--permission-mode", "acceptEdits")
    answered = ask("go", read("a.txt"), command, DONE, flags=flags)
    assert "Changed since you read them" in answered.results()[0]
    assert "was changed since" not in json.dumps(answered.bodies[2])


def test_plan_mode_is_told_when_it_begins_and_when_it_ends() -> None:
    flags = ("--session-id", SESSION, "--permission-mode", "plan")
    planned = ask("go", DONE, flags=flags)
    plan = Path.home() / ".claude" / "plans" / f"{SESSION}.md"
    assert any("Plan mode is on" in text and str(plan) in text for text in planned.texts())
    after = ask("now do it", DONE, flags=("--resume", SESSION))
    assert any("Plan mode is off" in text for text in after.texts())
    last = ask("more", DONE, flags=("--resume", SESSION))
    assert not any("Plan mode" in text for text in last.texts())


def test_memory_is_written_unasked_and_kept_short() -> None:
    folder = Path.home() / "notes"
    folder.mkdir()
    settings = json.dumps({"autoMemoryDirectory": str(folder)})
    good = {"file_path": str(folder / "user.md"), "content": "Likes tea."}
    long = {"file_path": str(folder / "MEMORY.md"), "content": "line\n" * 300}
    calls = (tool_use("Write", good, id="t1"), tool_use("Write", long, id="t2"))
    answered = ask("go", turn(*calls), DONE, flags=("--settings", settings))
    assert (folder / "user.md").read_text() == "Likes tea."
    assert (folder / "MEMORY.md").exists()
    assert "140 lines" in answered.results()[1]
