"""Questions to the user: what they show, what can be chosen, what an answer means. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hames.cli.paint import Paint
from hames.cli.tool_lines import INDENT, unified_lines
from hames.harness.events import Asked
from hames.harness.ops import PermissionAnswer
from hames.settings.trust_question import TrustItem, TrustQuestion
from hames.system.text import visible
from hames.system.types import JsonObject, as_list, as_object

DECLINED = "The user declined this call and says: "

_KINDS = {
    "hook": "Commands that run by themselves (hooks)",
    "program": "Programs that hames starts",
    "variable": "Variables",
    "rule": "What is allowed without asking",
    "directory": "Further folders",
    "mode": "Permission mode",
    "server": "MCP servers",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer; `key` is the letter or digit that gives it. `asks_text` wants a line more."""

    key: str
    label: str
    asks_text: bool = False


@dataclass(slots=True)
class Dialog:
    """A question on the screen: `answered` gets the key and the typed text, once.

    `body` is styled and safe; `cancel` is the key that Esc stands for. `request_id` names the
    question of the engine behind it.
    """

    title: str
    body: list[str]
    choices: Sequence[Choice]
    answered: Callable[[str, str], None]
    cancel: str
    request_id: str = ""
    selected: int = 0

    def move(self, step: int) -> None:
        """Highlight another choice; the ends meet."""
        self.selected = (self.selected + step) % len(self.choices)

    def find(self, key: str) -> Choice | None:
        """The choice of a key or of its number."""
        for at, choice in enumerate(self.choices, 1):
            if key in (choice.key, str(at)):
                return choice
        return None


def permission_dialog(
    asked: Asked, paint: Paint, reply: Callable[[PermissionAnswer], None]
) -> Dialog:
    """May this call run? The whole command or diff is shown."""
    display, payload = asked.display, asked.payload
    title = visible(str(display.get("title", "A tool wants to run")))
    body = [f"{paint('warn', '?')} {paint('bold', title)}"]
    if display.get("diff"):
        body += unified_lines(paint, str(display["diff"]))
    else:
        text = visible(str(display.get("text", ""))).replace("\t", "    ")
        body += [INDENT + line for line in text.split("\n")]
    if display.get("reason"):
        body.append(paint("dim", f"{INDENT}{visible(str(display['reason']))}"))
    updates = tuple(u for u in as_list(payload.get("permission_suggestions")) if as_object(u))
    choices = [Choice("y", "Yes")]
    if updates:
        choices.append(Choice("a", f"Yes, and {suggestion_label(updates)}"))
    choices += [
        Choice("n", "No, and stop here (esc)"),
        Choice("t", "No, and tell hames what to do instead", asks_text=True),
    ]

    def answered(key: str, text: str) -> None:
        reply(permission_answer(key, text, updates))

    return Dialog(body[0], body, choices, answered, "n", asked.request_id)


def permission_answer(key: str, text: str, updates: Sequence[JsonObject]) -> PermissionAnswer:
    """What a key means: y once, a with the suggested updates, t no with a word, else no."""
    match key:
        case "y":
            return PermissionAnswer("allow")
        case "a":
            return PermissionAnswer("allow", updates=tuple(updates))
        case "t" if text.strip():
            return PermissionAnswer("deny", message=DECLINED + text.strip())
        case _:
            return PermissionAnswer("deny", interrupt=True)


def suggestion_label(updates: Sequence[JsonObject]) -> str:
    """`don't ask again for npm test * in this project`."""
    parts: list[str] = []
    for update in updates:
        where = "in this session" if update.get("destination") == "session" else "in this project"
        match update.get("type"):
            case "addRules":
                rules = ", ".join(_rule(rule) for rule in as_list(update.get("rules")))
                parts.append(f"don't ask again for {rules} {where}")
            case "setMode" if update.get("mode") == "acceptEdits":
                parts.append(f"accept all edits {where}")
            case "setMode":
                parts.append(f"change to mode {visible(str(update.get('mode')))}")
            case "addDirectories":
                folders = ", ".join(str(name) for name in as_list(update.get("directories")))
                parts.append(f"allow work in {visible(folders)} {where}")
            case _:
                parts.append(f"apply {visible(str(update.get('type')))}")
    return " and ".join(parts)


def _rule(rule: object) -> str:
    given = as_object(rule) or {}
    content = given.get("ruleContent")
    name = str(given.get("toolName"))
    if content is None:
        return visible(name)
    return visible(str(content) if name == "Bash" else f"{name}({content})").replace("\n", " ")


def trust_dialog(
    question: TrustQuestion, paint: Paint, answered: Callable[[str, str], None]
) -> Dialog:
    """Do you trust this folder? Shows what would become active."""
    title = f"{paint('warn', '?')} {paint('bold', 'Do you trust the files in this folder?')}"
    body = [title, f"{INDENT}{visible(str(question.folder))}", ""]
    if question.items:
        body.append(f"{INDENT}With a yes its settings take effect:")
        body += _trust_items(question.items, paint)
    else:
        text = "hames will read files here, and with your permission change them and run commands."
        body.append(paint("dim", f"{INDENT}{text}"))
    for problem in question.problems:
        body.append(paint("warn", f"{INDENT}{visible(problem)}"))
    if not question.stored:
        body.append(paint("dim", f"{INDENT}The answer holds for this session only."))
    choices = (Choice("y", "Yes, I trust it"), Choice("n", "No, exit (esc)"))
    return Dialog(title, body, choices, answered, "n", selected=1)


def _trust_items(items: Sequence[TrustItem], paint: Paint) -> list[str]:
    rows: list[str] = []
    kind = ""
    for item in items:
        if item.kind != kind:
            kind = item.kind
            rows.append(f"{INDENT}{paint('bold', _KINDS[kind])}")
        place = item.path.name if item.line is None else f"{item.path.name}:{item.line}"
        text = visible(item.text).replace("\n", "\\n")
        note = paint("dim", f"  {visible(place)}")
        rows.append(f"{INDENT}  {paint('bad' if item.risky else '', text)}{note}")
    return rows
