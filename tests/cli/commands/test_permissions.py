"""`hames permissions`: explain, lint and test as people and programs see them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hames.cli.commands.permissions import command

SETTINGS = {
    "permissions": {
        "allow": ["Bash(npm test *)"],
        "deny": ["Bash(rm *)", "Read(.env)"],
    }
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def with_settings(call: str, *more: str) -> Result:
    return run("explain", call, "--settings", json.dumps(SETTINGS), *more)


def test_explain_names_the_decision_the_parts_and_the_rules(project: Path) -> None:
    del project
    done = with_settings("Bash(npm test && rm -rf x)")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "deny: denied by the rule Bash(rm *) of flag (mode default)"
    assert "  allow  npm test: allowed by the rule Bash(npm test *) of flag" in lines
    assert any(line.startswith("  deny   deny rules: denied by the rule") for line in lines)


def test_explain_json_holds_file_and_line_of_a_rule(project: Path) -> None:
    folder = project / ".claude"
    folder.mkdir()
    text = '{\n  "permissions": {\n    "deny": ["Read(.env)"]\n  }\n}\n'
    (folder / "settings.json").write_text(text, encoding="utf-8")
    done = run("explain", "Read(.env)", "--json")
    record = json.loads(done.output)
    assert (record["behavior"], record["place"]) == ("deny", f"{folder}/settings.json:3")


def test_explain_takes_a_mode(project: Path) -> None:
    del project
    done = with_settings("Bash(npm x)", "--mode", "bypassPermissions")
    assert done.output.startswith("allow: ")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("Bash(ls", "no closing parenthesis"),
        ("", "Tool(input)"),
        ("mcp__a__b(x)", "JSON object"),
        ("Agent({)", "no JSON"),
    ],
)
def test_explain_says_what_is_wrong_with_a_call(project: Path, call: str, said: str) -> None:
    del project
    done = run("explain", call)
    assert done.exit_code == 2
    assert said in done.output


def test_lint_exits_1_for_dead_rules_and_0_for_sound_ones(project: Path) -> None:
    del project
    sound = run("lint", "--settings", json.dumps(SETTINGS))
    assert (sound.exit_code, sound.output) == (0, "3 rules, nothing to say\n")
    dead = json.dumps({"permissions": {"allow": ["Write(src/**)"]}})
    done = run("lint", "--settings", dead, "--json")
    assert done.exit_code == 1
    assert json.loads(done.output)["text"] == "is never consulted; write `Edit(src/**)`"


def test_lint_strict_counts_warnings(project: Path) -> None:
    del project
    broad = json.dumps({"permissions": {"allow": ["Bash"]}})
    assert run("lint", "--settings", broad).exit_code == 0
    assert run("lint", "--settings", broad, "--strict").exit_code == 1


def case(name: str, expect: str, **more: object) -> dict[str, object]:
    given = {"command": "ls"}
    return {"id": name, "cwd": "/repo", "tool": "Bash", "input": given, "expect": expect, **more}


def write_cases(folder: Path, *cases: dict[str, object]) -> str:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("row", "verdict", "code"),
    [
        (case("a", "allow"), "ok", 0),
        (case("a", "deny"), "unsafe", 1),
        (case("a", "deny", ask=["Bash(ls *)"]), "soft", 1),
        (case("a", "allow", ask=["Bash(ls *)"]), "noise", 3),
        (case("a", "deny", ask=["Bash(ls *)"], also_ok=["ask"]), "ok", 0),
        (case("a", "deny", advisory=True), "advisory", 0),
    ],
)
def test_cases_are_classed_and_decide_the_exit_code(
    project: Path, row: dict[str, object], verdict: str, code: int
) -> None:
    done = run("test", write_cases(project, row), "--json")
    record = json.loads(done.output)
    assert (record["id"], record["class"], done.exit_code) == ("a", verdict, code)
    assert record["trace"]


def test_noise_below_the_limit_passes(project: Path) -> None:
    path = write_cases(project, case("a", "allow", ask=["Bash"]))
    assert run("test", path, "--max-noise", "1").exit_code == 0


def test_a_case_makes_its_files(project: Path) -> None:
    row: dict[str, object] = {
        "id": "link",
        "cwd": "$ROOT/repo",
        "tool": "Read",
        "input": {"file_path": "$ROOT/repo/link"},
        "deny": ["Read(/$ROOT/out/**)"],
        "setup": [
            {"path": "repo", "dir": True},
            {"path": "out/key", "file": "x"},
            {"path": "repo/link", "symlink": "$ROOT/out/key"},
        ],
        "expect": "deny",
    }
    assert run("test", write_cases(project, row)).exit_code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "JSON object"),
        ('{"id": "a"}', "`cwd`"),
        (json.dumps(case("a", "maybe")), "`expect`"),
        (json.dumps(case("a", "allow", mode="auto")), "`mode`"),
        (json.dumps(case("a", "allow", deny="Bash")), "`deny`"),
    ],
)
def test_a_broken_case_file_is_named_with_its_line(project: Path, line: str, said: str) -> None:
    path = project / "bad.jsonl"
    path.write_text("\n" + line, encoding="utf-8")
    done = run("test", str(path))
    assert done.exit_code == 2
    assert f"{path}:2: " in done.output
    assert said in done.output
