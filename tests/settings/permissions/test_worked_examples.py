"""Worked examples of the decision order: rules, mode, call, answer."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import Answer, HookVerdict, Mode, facts_of
from hames.settings.permissions.policy import Locks, Policy, compile_policy
from hames.settings.permissions.rule_text import Behavior, RuleSource, RuleText, SourceKind

P = Path("/w/p")
HOME = Path("/h")
KINDS: tuple[SourceKind, ...] = ("user", "managed", "cli", "turn", "session")
BEHAVIORS: dict[str, Behavior] = {"allow": "allow", "ask": "ask", "deny": "deny"}


@dataclass(frozen=True)
class Example:
    """One row; `rules` are `allow X`, `ask X`, `deny X`, with `user:` for user settings."""

    rules: list[str]
    mode: Mode
    tool: str
    given: dict[str, Any]
    expect: str
    hook: HookVerdict | None = None
    directories: list[str] = field(default_factory=list[str])
    locks: Locks = Locks()
    needs_user: bool = False
    answer: Answer | None = None
    sandboxed: bool = False


def bash(command: str, **more: Any) -> dict[str, Any]:
    return {"command": command, **more}


def path(name: str) -> dict[str, Any]:
    return {"file_path": name}


def source(kind: SourceKind) -> RuleSource:
    root = {"user": HOME / ".claude"}.get(kind, P)
    return RuleSource(kind, root)


def rule_text(line: str) -> RuleText:
    kind: SourceKind = "project"
    for name in KINDS:
        if line.startswith(f"{name}:"):
            kind, line = name, line.partition(":")[2]
    behavior, _, text = line.partition(" ")
    return RuleText(BEHAVIORS[behavior], text, source(kind))


def policy_of(example: Example) -> Policy:
    return compile_policy(
        [rule_text(line) for line in example.rules],
        root=P,
        home=HOME,
        directories=tuple(Path(name) for name in example.directories),
        locks=example.locks,
    )


def example(
    rules: str | list[str], mode: Mode, tool: str, given: Any, expect: str, **more: Any
) -> Example:
    listed = [rules] if isinstance(rules, str) and rules else list(rules)
    if isinstance(given, str):
        given = bash(given) if tool in ("Bash", "Monitor") else path(given)
    return Example(listed, mode, tool, given, expect, **more)


def fetch(url: str) -> dict[str, Any]:
    return {"url": url, "prompt": "x"}


BYPASS: Mode = "bypassPermissions"
EXAMPLES = {
    1: example("", "default", "Read", "/w/p/a.py", "allow"),
    2: example("", "default", "Read", "/etc/hosts", "ask"),
    3: example("", "dontAsk", "Read", "/etc/hosts", "deny"),
    4: example("", BYPASS, "Read", "/etc/hosts", "allow"),
    5: example("allow Read(//etc/**)", "default", "Read", "/etc/hosts", "allow"),
    6: example("allow Read(/etc/**)", "default", "Read", "/etc/hosts", "ask"),
    7: example("deny Read(.env)", BYPASS, "Read", "/w/p/sub/.env", "deny"),
    8: example("deny Read(.env)", "default", "Read", "/w/.env", "ask"),
    9: example("deny Read(./.env)", "default", "Read", "/w/p/sub/.env", "allow"),
    10: example("deny Read(//**/.env)", "default", "Read", "/x/.env", "deny"),
    11: example("user:deny Read(/secrets/**)", "default", "Read", "/w/p/secrets/a", "allow"),
    12: example("deny Read(secrets/**)", "default", "Read", "/w/p/x/secrets/a", "deny"),
    13: example("allow Edit(src/**)", "default", "Edit", "/w/p/src/a.ts", "allow"),
    14: example("allow Edit(src/**)", "default", "Edit", "/w/p/v/src/a.ts", "ask"),
    15: example("deny Edit(src/**)", "acceptEdits", "Edit", "/w/p/v/src/a.ts", "deny"),
    16: example("allow Edit(**/src/**)", "default", "Write", "/w/p/v/src/a.ts", "allow"),
    17: example("allow Write(src/**)", "default", "Write", "/w/p/src/a.ts", "ask"),
    18: example("deny Write", "acceptEdits", "Write", "/w/p/a", "deny"),
    19: example("deny Read(.env)", "acceptEdits", "Write", "/w/p/.env", "deny"),
    20: example(
        "deny Read(nb.ipynb)",
        "acceptEdits",
        "NotebookEdit",
        {"notebook_path": "/w/p/nb.ipynb"},
        "allow",
    ),
    21: example("", "default", "Edit", "/w/p/a", "ask"),
    22: example("", "acceptEdits", "Edit", "/w/p/a", "allow"),
    23: example("", "acceptEdits", "Edit", "/w/other/a", "ask"),
    24: example("", "acceptEdits", "Edit", "/w/other/a", "allow", directories=["/w/other"]),
    25: example("allow Edit", "plan", "Edit", "/w/p/a", "ask"),
    26: example("", "acceptEdits", "Write", "/w/p/.claude/settings.json", "ask"),
    27: example("allow Edit(.claude/**)", "default", "Write", "/w/p/.claude/x", "ask"),
    28: example("", BYPASS, "Write", "/w/p/.git/hooks/x", "allow"),
    29: example("", "dontAsk", "Write", "/w/p/.mcp.json", "deny"),
    30: example("allow Edit", "dontAsk", "Edit", "/w/p/a", "allow"),
    31: example("", "dontAsk", "Edit", "/w/p/a", "deny"),
    34: example("", "default", "Bash", "ls -la", "allow"),
    35: example("ask Bash(ls *)", "default", "Bash", "ls -la", "ask"),
    36: example("deny Bash(ls *)", "default", "Bash", "ls", "deny"),
    37: example("allow Bash(ls *)", "default", "Bash", "lsof -i", "allow"),
    38: example("", "default", "Bash", "npm test", "ask"),
    39: example("allow Bash(npm test)", "default", "Bash", "npm test", "allow"),
    40: example("allow Bash(npm test)", "default", "Bash", "npm test -- x", "ask"),
    41: example("allow Bash(npm test *)", "default", "Bash", "npm test", "allow"),
    42: example("allow Bash(npm test:*)", "default", "Bash", "npm test -- x", "allow"),
    43: example("allow Bash(npm*)", "default", "Bash", "npmx y", "allow"),
    44: example("allow Bash(git:* push)", "default", "Bash", "git x push", "ask"),
    45: example("allow Bash(git * main)", "default", "Bash", "git push origin main", "allow"),
    46: example(
        ["allow Bash(git *)", "deny Bash(git push *)"],
        "default",
        "Bash",
        "git push origin x",
        "deny",
    ),
    47: example("allow Bash(git commit *)", "default", "Bash", "git  commit   -m x", "allow"),
    48: example("allow Bash(npm test *)", "default", "Bash", "npm test && rm -rf x", "ask"),
    49: example("allow Bash(npm test *)", "default", "Bash", "cd sub && npm test", "allow"),
    50: example("allow Bash(npm test *)", "default", "Bash", "npm test | head", "allow"),
    51: example("deny Bash(rm *)", BYPASS, "Bash", "echo a; rm b", "deny"),
    52: example("deny Bash(rm *)", "default", "Bash", "FOO=1 rm b", "deny"),
    53: example("allow Bash(npm test *)", "default", "Bash", "NODE_ENV=test npm test", "allow"),
    54: example("allow Bash(npm test *)", "default", "Bash", "FOO=1 npm test", "ask"),
    55: example("allow Bash(npm test *)", "default", "Bash", "timeout 30 npm test", "allow"),
    56: example("allow Bash(grep *)", "default", "Bash", "git ls-files | xargs grep x", "allow"),
    57: example("allow Bash(mytool *)", "default", "Bash", "ls | xargs -n1 mytool", "ask"),
    58: example("allow Bash(watch *)", "default", "Bash", "watch ls", "ask"),
    59: example("allow Bash(watch ls)", "default", "Bash", "watch ls", "allow"),
    60: example("deny Bash(rm *)", "default", "Bash", "sudo rm x", "deny"),
    61: example("allow Bash(find *)", "default", "Bash", "find . -delete", "ask"),
    62: example("", "default", "Bash", "find . -name x", "allow"),
    63: example("", "default", "Bash", "ls *.ts", "allow"),
    64: example("", "default", "Bash", "sort *.txt", "ask"),
    65: example("", "default", "Bash", "ls > out.txt", "ask"),
    66: example("allow Edit(out.txt)", "default", "Bash", "ls > out.txt", "allow"),
    67: example("", "default", "Bash", "ls 2>/dev/null", "allow"),
    68: example(
        "allow Bash(git commit *)", "default", "Bash", "git commit -m x > .git/y", "ask"
    ),
    69: example("deny Read(.env)", "default", "Bash", "cat .env", "deny"),
    70: example(
        ["deny Read(.env)", "allow Bash(python *)"],
        "default",
        "Bash",
        "python -c \"open('.env')\"",
        "allow",
    ),
    71: example("deny Bash(rm *)", "default", "Bash", "echo $(rm x)", "deny"),
    72: example(
        ["deny Bash(git push *)", "allow Bash(sh *)"],
        "default",
        "Bash",
        "sh -c 'git push o'",
        "allow",
    ),
    73: example("", "acceptEdits", "Bash", "mkdir d && touch d/x", "allow"),
    74: example("", "acceptEdits", "Bash", "LANG=C rm d/x", "allow"),
    75: example("", "acceptEdits", "Bash", "cp a /tmp/a", "ask"),
    76: example("allow Bash", "default", "Bash", "rm -rf ~", "ask"),
    77: example("allow Bash", "dontAsk", "Bash", "rm -rf /", "deny"),
    78: example("", BYPASS, "Bash", 'rm -rf "$D"/*', "ask"),
    79: example("", "default", "Bash", "rm -rf /usr", "ask", hook=HookVerdict("allow")),
    80: example("", BYPASS, "Bash", "rm -rf build", "allow"),
    81: example("ask Bash(git push *)", BYPASS, "Bash", "git push", "ask"),
    82: example(
        ["ask Bash(git push *)", "allow Bash"], "dontAsk", "Bash", "git push", "deny"
    ),
    83: example("", "default", "Bash", "echo " + "a" * 9996, "ask"),
    84: example("", "default", "Bash", "cd /w/other && git status", "ask"),
    85: example("", "plan", "Bash", "npm run build", "ask"),
    86: example("", "dontAsk", "Bash", "git status", "allow"),
    87: example(
        "deny Bash(run_in_background:true)",
        "default",
        "Bash",
        bash("npm start", run_in_background=True),
        "deny",
    ),
    88: example("allow Bash(command:npm *)", "default", "Bash", "npm x", "ask"),
    89: example(
        "allow WebFetch(domain:example.com)",
        "default",
        "WebFetch",
        fetch("https://EXAMPLE.com./a"),
        "allow",
    ),
    90: example(
        "allow WebFetch(domain:*.example.com)",
        "default",
        "WebFetch",
        fetch("https://example.com"),
        "ask",
    ),
    91: example(
        "allow WebFetch(domain:example.*)",
        "default",
        "WebFetch",
        fetch("https://example.evil.com"),
        "ask",
    ),
    92: example(
        "deny WebFetch(domain:*)", "default", "WebFetch", fetch("https://a.test"), "deny"
    ),
    93: example("allow mcp__github", "default", "mcp__github__get_issue", {}, "allow"),
    94: example("allow mcp__github__get_*", "default", "mcp__github__delete", {}, "ask"),
    95: example("allow mcp__*", "default", "mcp__github__get_issue", {}, "ask"),
    96: example("deny mcp__*", BYPASS, "mcp__github__x", {}, "deny"),
    97: example("allow mcp__s", BYPASS, "mcp__s__grant", {}, "ask", needs_user=True),
    98: example("deny Agent(Explore)", "default", "Agent", {"subagent_type": "Explore"}, "deny"),
    99: example("deny Agent(model:opus)", "default", "Agent", {"prompt": "x"}, "allow"),
    100: example(
        "allow Skill(review-pr *)",
        "default",
        "Skill",
        {"skill": "review-pr", "args": "12"},
        "allow",
    ),
    102: example(
        ["managed:deny Bash(curl *)", "cli:allow Bash(curl *)"],
        "default",
        "Bash",
        "curl x",
        "deny",
    ),
    103: example(
        ["user:allow Bash(npm x)", "deny Bash(npm x)"], "default", "Bash", "npm x", "deny"
    ),
    105: example("deny Bash(npm *)", "default", "Bash", "npm x", "deny"),
    107: example("allow Bash", "default", "Bash", "npm x", "deny", hook=HookVerdict("deny")),
    108: example(
        "deny Bash(npm *)", "default", "Bash", "npm x", "deny", hook=HookVerdict("allow")
    ),
    109: example(
        "ask Bash(npm *)", "default", "Bash", "npm x", "ask", hook=HookVerdict("allow")
    ),
    110: example("", "default", "Bash", "npm x", "allow", answer=Answer("allow")),
    111: example(
        "allow Bash(npm *)", "default", "Bash", "npm x", "allow", answer=Answer("deny")
    ),
    112: example("", "default", "Bash", "npm x", "deny", answer=Answer("deny")),
    113: example("turn:allow Bash(npm *)", "default", "Bash", "npm x", "allow"),
    114: example("", "default", "Bash", "npm x", "ask"),
    117: example("", "acceptEdits", "Bash", "ls > out.txt", "allow"),
    118: example(
        "", BYPASS, "Write", "/tmp/x", "deny", locks=Locks(block_writes_outside=True)
    ),
    119: example(
        "allow Read", "default", "Read", "/etc/hosts", "deny", locks=Locks(True)
    ),
    120: example(
        "", "default", "Bash", "npm x", "deny", locks=Locks(deny_instead_of_prompting=True)
    ),
    121: example("", "plan", "Edit", "/w/p/a", "ask", hook=HookVerdict("allow")),
    122: example(
        ["allow Bash(ls:*)", "deny Bash(lsof)"], "default", "Bash", "lsof", "deny"
    ),
    123: example(
        "allow Bash(docker *)", "default", "Bash", "docker exec c rm -rf /x", "allow"
    ),
    124: example("ask Bash", "default", "Bash", "npm x", "allow", sandboxed=True),
    125: example("ask Bash(npm *)", "default", "Bash", "npm x", "ask", sandboxed=True),
}  # fmt: skip


@pytest.mark.parametrize("number", EXAMPLES)
def test_a_worked_example_is_decided_as_written(number: int) -> None:
    row = EXAMPLES[number]
    policy = policy_of(row)
    facts = facts_of(
        policy, row.tool, row.given, P, needs_user=row.needs_user, sandboxed=row.sandboxed
    )
    decision = decide(policy, facts, row.mode, row.hook, row.answer)
    assert decision.behavior == row.expect, decision


def test_a_link_is_denied_by_a_rule_on_its_target(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "ssh").mkdir()
    (tmp_path / "ssh" / "id").write_text("key", encoding="utf-8")
    (tmp_path / "p" / "k").symlink_to(tmp_path / "ssh" / "id")
    rules = [
        RuleText("allow", "Read(./**)", RuleSource("project", tmp_path / "p")),
        RuleText("deny", "Read(~/ssh/**)", RuleSource("project", tmp_path / "p")),
    ]
    for chosen, expect in ((rules, "deny"), (rules[:1], "ask")):
        policy = compile_policy(chosen, root=tmp_path / "p", home=tmp_path)
        facts = facts_of(policy, "Read", path(str(tmp_path / "p" / "k")), tmp_path / "p")
        assert decide(policy, facts, "default").behavior == expect


def test_a_deny_rule_through_a_link_holds_where_the_link_leads(tmp_path: Path) -> None:
    root = tmp_path / "Work"
    (tmp_path / "Real" / "deep").mkdir(parents=True)
    (root / "Docs").mkdir(parents=True)
    (root / "Docs" / "In").symlink_to(tmp_path / "Real")
    source = RuleSource("project", root)
    for rule in (f"Read(/{root}/Docs/In/**)", "Read(/Docs/In/deep/*)", "Read(~/Work/Docs/In/**)"):
        policy = compile_policy([RuleText("deny", rule, source)], root=root, home=tmp_path)
        facts = facts_of(policy, "Read", path(str(tmp_path / "Real" / "deep" / "a")), root)
        assert decide(policy, facts, "bypassPermissions").behavior == "deny", rule


def test_deny_rules_on_whole_tools_take_them_from_the_list() -> None:
    rules = [rule_text("deny Write"), rule_text("deny mcp__*"), rule_text("deny Bash(rm *)")]
    policy = compile_policy(rules, root=P, home=HOME)
    names = ["Write", "Edit", "Bash", "mcp__github__x", "EndConversation"]
    assert policy.removed_tools(names) == {"Write", "mcp__github__x"}


def test_rules_that_cannot_work_are_named() -> None:
    rules = [
        rule_text("allow Write(src/**)"),
        rule_text("allow mcp__*"),
        rule_text("deny Bash(command:npm *)"),
        rule_text("deny bash"),
    ]
    policy = compile_policy(rules, root=P, home=HOME)
    assert policy.problems == (
        "project: allow rule `Write(src/**)` is never consulted; write `Edit(src/**)`",
        "project: allow rule `mcp__*` is skipped: an allow rule may use `*` only after"
        " `mcp__<server>__`",
        "project: deny rule `Bash(command:npm *)` is ignored: `command` is the main field of Bash",
        "project: deny rule `bash` names no known tool; did you mean `Bash`?",
    )
