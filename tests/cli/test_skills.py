"""Skills and commands in the real program: typed by the user, loaded by the model."""

import json
from pathlib import Path

import pytest

from support.asking import ask, write
from support.fake_api import RecordedRequest, Turn, tool_use, turn

WORK = Path(".claude")
DONE = turn("Done.")


def skill(name: str, text: str) -> Path:
    return write(WORK / "skills" / name / "SKILL.md", text)


def command(name: str, text: str) -> Path:
    return write(WORK / "commands" / f"{name}.md", text)


def test_a_command_becomes_a_hidden_message_before_the_typed_text() -> None:
    command("fix", "Fix number $0 on branch $1.")
    answered = ask("/fix 12 main", DONE)
    assert (answered.code, answered.out) == (0, "Done.\n")
    *_, body, typed = answered.texts()
    assert body == "Fix number 12 on branch main."
    assert typed == "/fix 12 main"


def test_a_skill_says_where_it_lies_and_knows_its_variables() -> None:
    skill("deploy", "Run ${CLAUDE_SKILL_DIR}/go.sh in ${CLAUDE_PROJECT_DIR}.")
    body = ask("/deploy", DONE).texts()[-2]
    folder = Path.cwd() / WORK / "skills" / "deploy"
    assert body.startswith(f"Base directory of this skill: {folder}")
    assert f"Run {folder}/go.sh in {Path.cwd()}." in body


def test_stacked_skills_all_get_the_trailing_text() -> None:
    command("a", "First: $ARGUMENTS")
    command("b", "Second: $ARGUMENTS")
    *_, first, second, typed = ask("/a /b now", DONE).texts()
    assert (first, second, typed) == ("First: now", "Second: now", "/a /b now")


def test_unknown_commands_name_a_near_one_and_ask_no_model() -> None:
    command("deploy", "x")
    answered = ask("/deplyo")
    assert "Did you mean /deploy?" in answered.out
    assert answered.raw == ()


def test_commands_can_be_switched_off() -> None:
    command("fix", "Fix it.")
    answered = ask("/fix", flags=("--disable-slash-commands",))
    assert "Unknown command: /fix" in answered.out
    assert answered.raw == ()


def test_a_skill_for_the_model_alone_is_not_run_by_users() -> None:
    skill("secret", "---\nuser-invocable: false\n---\nx")
    answered = ask("/secret")
    assert answered.code == 1
    assert "for the model alone" in answered.out + answered.err


def test_injected_commands_run_when_the_rules_allow_them() -> None:
    command("log", "---\nallowed-tools: Bash(printf *)\n---\nOut: !`printf '%s' '$(id) @x'`")
    assert ask("/log", DONE).texts()[-2] == "Out: $(id) @x"


def test_arguments_cannot_start_commands() -> None:
    command("say", "You said: $ARGUMENTS")
    assert ask("/say !`touch hacked`", DONE).texts()[-2] == "You said: !`touch hacked`"
    assert not Path("hacked").exists()


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("!`touch made`", "was not run"),
        ("---\nallowed-tools: Bash(ls *)\n---\n!`ls /nowhere-at-all`", "failed"),
        ("---\nshell: powershell\n---\n!`dir`", "wants powershell"),
    ],
)
def test_a_command_that_may_not_run_or_fails_stops_the_invocation(
    body: str, complaint: str
) -> None:
    command("try", body)
    answered = ask("/try")
    assert answered.code == 1
    assert complaint in answered.out + answered.err
    assert answered.raw == ()
    assert not Path("made").exists()


def test_a_deny_rule_beats_the_allowed_tools_of_a_command() -> None:
    command("try", "---\nallowed-tools: Bash\n---\n!`touch made`")
    answered = ask("/try", flags=("--disallowedTools", "Bash(touch *)"))
    assert answered.code == 1
    assert not Path("made").exists()


def test_shell_execution_can_be_switched_off() -> None:
    command("try", "A !`touch made` B")
    settings = json.dumps({"disableSkillShellExecution": True})
    body = ask("/try", DONE, flags=("--settings", settings)).texts()[-2]
    assert body.startswith("A [shell commands of skills are switched off")
    assert not Path("made").exists()


def test_allowed_tools_hold_for_the_turn_only() -> None:
    command("touch", "---\nallowed-tools: Bash(touch *)\n---\nTouch it.")
    call = tool_use("Bash", {"command": "touch one"}, id="t1")
    answered = ask("/touch", turn(call), DONE, flags=("--session-id", SESSION))
    assert Path("one").exists()
    later = tool_use("Bash", {"command": "touch two"}, id="t2")
    again = ask("again", turn(later), DONE, flags=("--resume", SESSION))
    assert not Path("two").exists()
    assert "No permission" in again.results()[-1]
    assert answered.code == 0


SESSION = "11111111-2222-4333-8444-555555555555"


def test_model_effort_and_taken_tools_hold_for_the_rest_of_the_turn() -> None:
    command("deep", "---\nmodel: claude-opus-5\neffort: max\ndisallowed-tools: Write\n---\nThink.")
    call = tool_use("Write", {"file_path": str(Path("f").absolute()), "content": "x"}, id="t1")
    flags = ("--session-id", SESSION, "--permission-mode", "acceptEdits")
    answered = ask("/deep", turn(call), DONE, flags=flags)
    assert [body["model"] for body in answered.bodies] == ["claude-opus-5"] * 2
    assert answered.bodies[0]["output_config"]["effort"] == "max"
    assert not Path("f").exists()
    after = ask("next", DONE, flags=("--resume", SESSION))
    assert after.bodies[0]["model"] != "claude-opus-5"


def test_files_that_a_command_mentions_are_attached_where_they_may_be_read(
    tmp_path: Path,
) -> None:
    write(Path("notes.md"), "Remember the milk.")
    secret = write(tmp_path / "secret.txt", "hunter2")
    command("read", f"See @notes.md and @{secret} and @missing.md.")
    texts = "\n".join(ask("/read", DONE).texts())
    assert "Remember the milk." in texts
    assert "hunter2" not in texts
    assert f"{secret} was not attached" in texts
    assert "@missing.md" in texts


def test_the_model_sees_the_listing_and_loads_a_skill_as_a_hidden_message() -> None:
    skill("deploy", "---\ndescription: Ships the shop\n---\nShip $ARGUMENTS.")
    skill("mine", "---\ndescription: Private\ndisable-model-invocation: true\n---\nx")
    call = tool_use("Skill", {"skill": "deploy", "args": "now"}, id="t1")
    refused = tool_use("Skill", {"skill": "mine"}, id="t2")
    unknown = tool_use("Skill", {"skill": "nothing"}, id="t3")
    again = tool_use("Skill", {"skill": "deploy", "args": "now"}, id="t4")
    answered = ask("go", turn(call, refused, unknown), turn(again), DONE)
    listing = next(text for text in answered.texts(0) if "Ships the shop" in text)
    assert "- deploy: Ships the shop" in listing
    assert "mine" not in listing
    assert "is loaded" in answered.results(1)[0]
    assert "Only the user may run 'mine'" in answered.results(1)[1]
    assert "There is no skill 'nothing'" in answered.results(1)[2]
    assert answered.texts(1)[-1].endswith("Ship now.")
    assert "already loaded above" in answered.texts(2)[-1]


def test_a_skill_that_brings_rights_needs_a_rule() -> None:
    skill("strong", "---\ndescription: d\nallowed-tools: Bash\n---\nBe strong.")
    call = tool_use("Skill", {"skill": "strong"}, id="t1")
    assert "No permission" in ask("go", turn(call), DONE).results()[0]
    allowed = ask("go", turn(call), DONE, flags=("--allowedTools", "Skill(strong)"))
    assert "is loaded" in allowed.results()[0]


def test_a_changed_skill_is_read_again() -> None:
    path = skill("deploy", "---\ndescription: Ships\n---\nOld.")
    load = tool_use("Skill", {"skill": "deploy"}, id="t1")

    def edit(request: RecordedRequest) -> Turn:
        del request
        path.write_text("---\ndescription: Ships all\n---\nNewer.")
        return turn(load)

    answered = ask("go", edit, DONE)
    assert any(text.endswith("Newer.") for text in answered.texts())
    assert any("- deploy: Ships all" in text for text in answered.texts())


def test_skills_of_plugins_have_their_name_before_them(tmp_path: Path) -> None:
    plugin = tmp_path / "tools"
    write(plugin / ".claude-plugin" / "plugin.json", json.dumps({"name": "shop"}))
    write(plugin / "skills" / "open" / "SKILL.md", "Root: ${CLAUDE_PLUGIN_ROOT}")
    answered = ask("/shop:open", DONE, flags=("--plugin-dir", str(plugin)))
    assert answered.texts()[-2].endswith(f"Root: {plugin}")


def test_a_forked_skill_runs_here_and_says_so() -> None:
    command("far", "---\ncontext: fork\n---\nGo far.")
    flags = ("--output-format", "stream-json", "--verbose")
    answered = ask("/far", DONE, flags=flags)
    assert answered.texts()[-2] == "Go far."
    assert "asks for a subagent" in answered.out + answered.err
