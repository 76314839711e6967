"""The rule grammar: one line of a permission list becomes a Rule, or a text that says why not."""

import re
from dataclasses import dataclass
from typing import Literal

from hames.settings.permissions.names import (
    BARE_ONLY,
    EDIT_TOOLS,
    FIELDS,
    KNOWN,
    MAIN_FIELDS,
    NEVER_CONSULTED,
    READ_TOOLS,
    REMOVED,
    SHELL_TOOLS,
    canonical,
)
from hames.settings.permissions.paths import Anchors, PathPattern, parse_path_pattern
from hames.settings.permissions.rule_text import RuleText

RuleKind = Literal[
    "tool", "glob", "server", "command", "path", "domain", "agent", "skill", "param", "inert"
]

_PARAM = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*:\s*(.*?)\s*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9_.*\- ]+")
_SERVER = re.compile(r"mcp__(.+?)(?:__(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled rule. `tool` is canonical or a glob; `content` is what stood in parentheses.

    `parts` is the text pattern cut at its `*`s; `boundary` says that a trailing ` *` also
    matches nothing. An `inert` rule is kept for explanations and never matches.
    """

    text: RuleText
    tool: str
    kind: RuleKind
    content: str = ""
    parts: tuple[str, ...] = ()
    boundary: bool = False
    field: str = ""
    path: PathPattern | None = None
    problem: str | None = None

    def __str__(self) -> str:
        return self.text.text

    @property
    def place(self) -> str:
        """Where the rule stands, for people: `file:line`, or the kind of its source."""
        source = self.text.source
        if source.path is None:
            return source.kind
        return f"{source.path}:{self.text.line}" if self.text.line else str(source.path)


def parse_rule(text: RuleText, anchors: Anchors) -> Rule:
    """Compile one rule; what cannot work comes back `inert` with its problem."""
    name, content, problem = _split(text.text.strip())
    name = canonical(name)
    if problem is None:
        problem = _name_problem(name, text)
    if problem is not None:
        return Rule(text, name, "inert", content, problem=problem)
    if content in ("", "*"):
        return _bare(text, name)
    return _with_content(text, name, content, anchors)


def _split(text: str) -> tuple[str, str, str | None]:
    opening = text.find("(")
    if opening < 0:
        problem = None if _NAME.fullmatch(text) else "is no tool name"
        return text, "", problem
    if not text.endswith(")"):
        return text[:opening], "", "has no closing parenthesis at its end"
    name, content = text[:opening].strip(), text[opening + 1 : -1].strip()
    if not _NAME.fullmatch(name):
        return name, content, "has no tool name before its parenthesis"
    return name, content, None


def _name_problem(name: str, text: RuleText) -> str | None:
    if "*" not in name or text.behavior != "allow":
        return None
    head = name[: name.index("*")]
    if name.startswith("mcp__") and head.count("__") >= 2 and not head.startswith("mcp____"):
        return None
    return "is skipped: an allow rule may use `*` only after `mcp__<server>__`"


def _bare(text: RuleText, name: str) -> Rule:
    server = _SERVER.fullmatch(name)
    if server and server[2] in (None, "", "*") and "*" not in server[1]:
        return Rule(text, f"mcp__{server[1]}", "server")
    if "*" in name:
        return Rule(text, name, "glob", parts=tuple(name.split("*")))
    return Rule(text, name, "tool", problem=_unknown_name(name, text))


def _unknown_name(name: str, text: RuleText) -> str | None:
    if name in KNOWN or name in REMOVED or "_" in name:
        return None
    known = {tool.lower(): tool for tool in KNOWN}
    hint = known.get(name.lower())
    return f"names no known tool; did you mean `{hint}`?" if hint else "names no known tool"


def _with_content(text: RuleText, name: str, content: str, anchors: Anchors) -> Rule:
    param = _PARAM.fullmatch(content)
    prefix = text.behavior == "allow" and name in SHELL_TOOLS and content.endswith(":*")
    if param and _is_param(name, param[1]) and not (prefix and param[1] not in MAIN_FIELDS):
        return _param_rule(text, name, content, param[1], param[2])
    if name in SHELL_TOOLS or name == "PowerShell":
        parts, boundary = command_parts(content)
        return Rule(text, name, "command", content, parts, boundary)
    if name in ("Read", "Edit"):
        return _path_rule(text, name, content, anchors)
    if name in NEVER_CONSULTED:
        instead = f"{NEVER_CONSULTED[name]}({content})"
        return Rule(text, name, "inert", content, problem=f"is never consulted; write `{instead}`")
    if name == "WebFetch":
        return _domain_rule(text, content)
    if name in ("Agent", "Skill"):
        return _named_rule(text, name, content)
    return Rule(text, name, "inert", content, problem=_no_content(name))


def _no_content(name: str) -> str:
    if name.startswith("mcp__"):
        return "is skipped: MCP rules take `param:value` in parentheses, in deny and ask"
    if name in BARE_ONLY:
        return f"is skipped: `{name}` takes no parentheses"
    return "names no known tool" if name not in KNOWN else "has no meaning for this tool"


def _is_param(tool: str, field: str) -> bool:
    if tool.startswith("mcp__") or "*" in tool:
        return True
    if tool == "WebFetch" and field == "domain":
        return False
    return field in FIELDS.get(tool, frozenset())


def _param_rule(text: RuleText, tool: str, content: str, field: str, value: str) -> Rule:
    problem = None
    if text.behavior == "allow":
        problem = "is skipped: parameter rules work in deny and ask only"
    elif not tool.startswith("mcp__") and field in MAIN_FIELDS:
        problem = f"is ignored: `{field}` is the main field of {tool}"
    if problem is not None:
        return Rule(text, tool, "inert", content, problem=problem)
    return Rule(text, tool, "param", content, tuple(value.split("*")), field=field)


def command_parts(content: str) -> tuple[tuple[str, ...], bool]:
    """A command pattern cut at its `*`s, and whether a trailing ` *` may match nothing."""
    if content.endswith(":*"):
        content = content[:-2] + " *"
    parts = tuple(content.split("*"))
    boundary = len(parts) == 2 and parts[1] == "" and parts[0].endswith(" ")
    return parts, boundary


def _path_rule(text: RuleText, name: str, content: str, anchors: Anchors) -> Rule:
    pattern = parse_path_pattern(content, text.behavior, anchors)
    if isinstance(pattern, str):
        return Rule(text, name, "inert", content, problem=pattern)
    return Rule(text, name, "path", content, path=pattern)


def _domain_rule(text: RuleText, content: str) -> Rule:
    head, _, host = content.partition(":")
    host = host.strip().lower().rstrip(".")
    if head.strip() != "domain" or not host or "/" in host:
        return Rule(text, "WebFetch", "inert", content, problem="must read `WebFetch(domain:host)`")
    if host == "*":
        return Rule(text, "WebFetch", "tool")
    return Rule(text, "WebFetch", "domain", host)


def _named_rule(text: RuleText, name: str, content: str) -> Rule:
    kind: RuleKind = "agent" if name == "Agent" else "skill"
    parts, boundary = command_parts(content)
    return Rule(text, name, kind, content, parts, boundary)


def governed_tools(rule: Rule) -> tuple[str, ...]:
    """The tools a bare rule speaks for: Read covers searching, Edit covers every file edit."""
    if rule.tool == "Read":
        return tuple(READ_TOOLS)
    if rule.tool == "Edit":
        return tuple(EDIT_TOOLS)
    return (rule.tool,)
