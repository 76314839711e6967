"""Permission cases: a policy, a call and the expected answer per line, run and classed."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import Facts, HookVerdict, Mode, effective_mode, facts_of
from hames.settings.permissions.policy import Policy, compile_policy
from hames.settings.permissions.rule_text import Behavior, RuleSource, RuleText
from hames.settings.permissions.trace import Decision

HOME = Path("/home/dev")
"""The home directory that cases are judged with."""

CaseClass = Literal["ok", "unsafe", "soft", "noise", "advisory"]

_MODES = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
_BEHAVIORS = ("allow", "ask", "deny")


class CaseError(ValueError):
    """A case file that cannot be read; the text names the line and the field."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How one case went; `decision` holds the trace."""

    id: str
    expect: str
    got: str
    verdict: CaseClass
    decision: Decision


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a JSON-lines file. Raises CaseError with the line that is wrong."""
    found: list[dict[str, Any]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except ValueError as error:
            raise CaseError(f"{path}:{number}: is no JSON: {error}") from error
        problem = _problem(case)
        if problem:
            raise CaseError(f"{path}:{number}: {problem}")
        found.append(case)
    return found


def _problem(case: object) -> str | None:
    if not isinstance(case, dict):
        return "a case is a JSON object"
    return _field_problem(cast("dict[str, Any]", case))


def _field_problem(case: dict[str, Any]) -> str | None:
    for name, wanted in (("id", str), ("cwd", str), ("tool", str), ("input", dict)):
        if not isinstance(case.get(name), wanted):
            return f"`{name}` is missing or of the wrong type"
    if case.get("mode", "default") not in _MODES:
        return f"`mode` must be one of {', '.join(_MODES)}"
    if case.get("expect") not in _BEHAVIORS:
        return f"`expect` must be one of {', '.join(_BEHAVIORS)}"
    for name in (*_BEHAVIORS, "additional_directories", "also_ok"):
        value: object = case.get(name, [])
        items = cast("list[object]", value) if isinstance(value, list) else [None]
        if not all(isinstance(item, str) for item in items):
            return f"`{name}` must be a list of strings"
    return None


def run_cases(cases: Iterable[dict[str, Any]]) -> Iterator[CaseResult]:
    """Decide each case in a fresh temporary root and class the answer."""
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="hames-case-") as folder:
            root = Path(folder).resolve()
            for item in case.get("setup", ()):
                _set_up(root, item)
            decision = _decide(_with_root(case, str(root)))
        yield CaseResult(
            case["id"],
            case["expect"],
            decision.behavior,
            classify(case, decision.behavior),
            decision,
        )


def classify(case: dict[str, Any], got: str) -> CaseClass:
    """The class of an answer: unsafe and soft must not happen, noise only rarely."""
    expect = case["expect"]
    if got == expect or got in case.get("also_ok", ()):
        return "ok"
    if case.get("advisory"):
        return "advisory"
    if got == "allow":
        return "unsafe"
    return "soft" if expect == "deny" else "noise"


def _set_up(root: Path, item: dict[str, Any]) -> None:
    path = root / str(item["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    if item.get("dir"):
        path.mkdir(exist_ok=True)
    elif "symlink" in item:
        path.symlink_to(str(item["symlink"]).replace("$ROOT", str(root)))
    else:
        path.write_text(str(item.get("file", "")), encoding="utf-8")


def _with_root(value: object, root: str) -> Any:
    """The case with `$ROOT` replaced in every text."""
    if isinstance(value, str):
        return value.replace("$ROOT", root)
    if isinstance(value, list):
        return [_with_root(item, root) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value)
        return {key: _with_root(item, root) for key, item in pairs.items()}
    return value


def _decide(case: dict[str, Any]) -> Decision:
    policy, facts = _prepare(case)
    mode: Mode = case.get("mode", "default")
    subagent = case.get("subagent")
    if subagent is not None:
        mode = effective_mode(mode, subagent.get("permission_mode"))
    hook = HookVerdict(case["hook"]) if case.get("hook") else None
    return decide(policy, facts, mode, hook)


def _prepare(case: dict[str, Any]) -> tuple[Policy, Facts]:
    cwd = Path(case["cwd"])
    root = Path(case.get("project_root") or cwd)
    trusted = case.get("trusted", True)
    user = case.get("rules_from") == "user"
    source = RuleSource("user", HOME / ".claude") if user else RuleSource("project", root)
    behaviors: tuple[Behavior, ...] = ("allow", "ask", "deny") if trusted else ("ask", "deny")
    rules = [RuleText(kind, text, source) for kind in behaviors for text in case.get(kind, ())]
    directories = [cwd] if cwd != root else []
    if trusted:
        directories.extend(Path(path) for path in case.get("additional_directories", ()))
    policy = compile_policy(rules, root=root, home=HOME, directories=tuple(directories))
    return policy, facts_of(policy, case["tool"], case["input"], cwd)
