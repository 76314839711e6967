"""`lint` names rules that do nothing, less or more than they seem to."""

import pytest

from hames.settings.permissions.lint import lint
from support.permission_calls import policy_of


def found(*lines: str) -> list[tuple[str, str, str]]:
    return [(issue.level, str(issue.rule), issue.text) for issue in lint(policy_of(lines))]


@pytest.mark.parametrize(
    ("line", "level", "text"),
    [
        ("allow Write(src/**)", "error", "is never consulted; write `Edit(src/**)`"),
        ("deny bash", "error", "names no known tool; did you mean `Bash`?"),
        ("allow mcp__*", "error", "is skipped"),
        ("deny Bash(command:rm *)", "error", "is ignored"),
        ("allow Bash(npm test && ls)", "error", "never matches"),
        ("allow Bash(watch *)", "error", "approves nothing"),
        ("allow Bash(python3 *)", "warning", "lets `python3` run any code"),
        ("allow Bash(sh -c *)", "warning", "lets `sh` run any code"),
        ("allow Bash(sudo *)", "warning", "lets `sudo` run any other command"),
        ("allow Bash(git * main)", "warning", "has a `*` before the subcommand"),
        ("allow Bash(npm*)", "warning", "also covers other words that begin with `npm`"),
        ("allow Bash(git:* push)", "warning", "holds `:*` inside"),
        ("allow Bash", "warning", "approves every command"),
        ("allow Edit(//**)", "warning", "covers nearly every file"),
        ("allow Read(/etc/**)", "warning", "begins at /repo"),
        ("allow Read([a)", "error", "is no valid path pattern"),
        ("deny Read(../x)", "error", "matches nothing above its anchor"),
        ("allow Agent", "", ""),
        ("allow Bash(npm run *)", "", ""),
        ("deny Bash(rm *)", "", ""),
        ("allow Edit(src/**)", "", ""),
        ("deny Read(.env)", "", ""),
        ("allow mcp__github", "", ""),
    ],
)
def test_a_single_rule(line: str, level: str, text: str) -> None:
    issues = found(line)
    if not level:
        assert issues == []
    else:
        assert any(issue[0] == level and text in issue[2] for issue in issues), issues


@pytest.mark.parametrize(
    ("lines", "rule", "text"),
    [
        (["allow Bash(aws s3 ls)", "deny Bash(aws *)"], "Bash(aws s3 ls)", "it is denied by"),
        (["allow Bash(git push *)", "ask Bash(git *)"], "Bash(git push *)", "it is asked because"),
        (["ask Bash(rm *)", "deny Bash"], "Bash(rm *)", "it is denied by"),
        (["allow Edit(docs/**)", "deny Edit(/docs/**)"], "Edit(docs/**)", "it is denied by"),
        (["allow mcp__a__b", "deny mcp__a"], "mcp__a__b", "it is denied by"),
        (["allow Bash(npm test)", "allow Bash(npm *)"], "Bash(npm test)", "adds nothing to"),
        (["deny Read(.env)", "deny Read(.env)"], "Read(.env)", "stands already in"),
        (
            ["allow WebFetch(domain:a.test)", "deny WebFetch(domain:*.test)"],
            "WebFetch(domain:a.test)",
            "it is denied by",
        ),
    ],
)
def test_rules_against_each_other(lines: list[str], rule: str, text: str) -> None:
    assert any(issue[1] == rule and text in issue[2] for issue in found(*lines)), found(*lines)


def test_rules_that_only_overlap_are_fine() -> None:
    assert found("allow Bash(npm run *)", "deny Bash(npm run deploy)", "deny Read(a/.env)") == []


def test_an_issue_names_place_and_fix() -> None:
    (issue,) = lint(policy_of(["allow Bash(watch ls *)"]))[:1]
    assert str(issue) == (
        "project: error: allow `Bash(watch ls *)` approves nothing: `watch` runs other commands"
        " and needs exact rules. Write the whole command without `*`."
    )
