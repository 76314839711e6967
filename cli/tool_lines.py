"""How a tool call looks: one line for the call, few for its result. Pure."""

from hames.cli.paint import Paint
from hames.harness.events import ToolFinished, ToolStarted
from hames.system.text import cut, settle_progress, visible
from hames.system.types import JsonObject, as_list, as_object, is_object

MAX_LINES = 12
MAX_WIDTH = 200
MAX_ARGUMENT = 120
INDENT = "  "

_ARGUMENTS = ("command", "file_path", "notebook_path", "pattern", "url", "query", "description")
_LINE_RESULTS = ("Read", "Glob", "Grep", "Write")


def call_line(paint: Paint, name: str, argument: str, style: str = "accent") -> str:
    """`● Bash(npm test)`; the sign carries the colour of `style`."""
    argument = one_line(argument)
    shown = f"({argument})" if argument else ""
    return f"{paint(style, paint.sign('call'))} {paint('bold', shown_name(name))}{shown}"


def shown_name(name: str) -> str:
    """The name of a tool for people: `server: tool` for one of an MCP server."""
    if name.startswith("mcp__"):
        server, _, tool = name.removeprefix("mcp__").partition("__")
        return visible(f"{server}: {tool}")
    return visible(name)


def one_line(text: str) -> str:
    """The first line, cut, with a sign that there is more."""
    first, *rest = visible(text).strip().split("\n")
    shown = cut(first.replace("\t", " "), MAX_ARGUMENT)
    return shown + ("…" if rest or len(shown) < len(first) else "")


def argument_of(given: JsonObject, cwd: str = "") -> str:
    """What a call is about, from its input; paths below `cwd` are shown relative to it."""
    for key in _ARGUMENTS:
        value = given.get(key)
        if isinstance(value, str) and value:
            return relative(value, cwd) if key.endswith("_path") else value
    return next((str(v) for v in given.values() if isinstance(v, str | int | float)), "")


def relative(text: str, cwd: str) -> str:
    """A path without the folder it lies in, also after the ` in ` of a search."""
    if not cwd:
        return text
    inside = f"{cwd.rstrip('/')}/"
    return text.removeprefix(inside).replace(f" in {inside}", " in ").removesuffix(f" in {cwd}")


def started_argument(event: ToolStarted, cwd: str) -> str:
    """What a running call is about; commands are shown as they are."""
    return event.summary if event.name == "Bash" else relative(event.summary, cwd)


def result_lines(paint: Paint, event: ToolFinished) -> list[str]:
    """What a finished call shows below its line, indented and coloured."""
    structured = as_object(event.structured) or {}
    if event.block.get("is_error") is True:
        return _indented(paint, "bad", shortened(_text_of(event.block)))
    patch = as_list(structured.get("structuredPatch"))
    if patch:
        return diff_lines(paint, patch)
    if event.name in _LINE_RESULTS:
        return _indented(paint, "dim", [_told(event, structured)])
    return _indented(paint, "dim", shortened(_output(event, structured)))


def _told(event: ToolFinished, structured: JsonObject) -> str:
    """One line in place of a result that people need not read."""
    file = as_object(structured.get("file")) or {}
    if event.name == "Read":
        if structured.get("type") == "file_unchanged":
            return "Unchanged since it was read"
        lines = file.get("numLines")
        return f"Read {count(lines, 'line')}" if isinstance(lines, int) else "Read the file"
    if event.name == "Write":
        return f"Wrote {count(len(str(structured.get('content', '')).splitlines()), 'line')}"
    if structured.get("mode") == "content":
        return f"Found {count(_number(structured.get('numLines')), 'line')}"
    return f"Found {count(_number(structured.get('numFiles')), 'file')}"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def count(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def diff_lines(paint: Paint, patch: list[JsonObject]) -> list[str]:
    """A structured patch with line numbers; a first line counts what changed."""
    rows: list[str] = []
    added = removed = 0
    last = max((_number(h.get("newStart")) + _number(h.get("newLines")) for h in patch), default=0)
    width = len(str(last))
    for at, hunk in enumerate(patch):
        if at:
            rows.append(paint("dim", f"{INDENT}{paint.sign('more'):>{width}}"))
        number = _number(hunk.get("newStart"))
        for line in map(str, as_list(hunk.get("lines"))):
            kind, text = line[:1], visible(line[1:]).replace("\t", "    ")[:MAX_WIDTH]
            if kind == "\\":
                continue
            style = {"+": "added", "-": "removed"}.get(kind, "dim")
            added += kind == "+"
            removed += kind == "-"
            shown = " " * width if kind == "-" else f"{number:>{width}}"
            rows.append(f"{INDENT}{paint('dim', shown)} {paint(style, f'{kind} {text}')}")
            number += kind != "-"
    return [paint("dim", f"{INDENT}{_changes(added, removed)}"), *rows]


def _changes(added: int, removed: int) -> str:
    parts = [
        f"{verb} {count(number, 'line')}"
        for verb, number in (("Added", added), ("removed" if added else "Removed", removed))
        if number
    ]
    return ", ".join(parts) or "Nothing changed"


def unified_lines(paint: Paint, diff: str) -> list[str]:
    """A unified diff in colour, as questions show it; nothing is folded away."""
    rows: list[str] = []
    for line in visible(diff).replace("\t", "    ").split("\n"):
        style = {"+": "added", "-": "removed"}.get(line[:1], "dim")
        rows.append(INDENT + paint(style, line))
    return rows


def shortened(text: str) -> list[str]:
    """The first and last lines of a text, made visible, and how many are between them."""
    lines = visible(settle_progress(text)).rstrip("\n").split("\n")
    lines = [line.replace("\t", "    ")[:MAX_WIDTH] for line in lines]
    if len(lines) <= MAX_LINES:
        return lines
    half = MAX_LINES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} more lines …", *lines[-half:]]


def _output(event: ToolFinished, structured: JsonObject) -> str:
    """The output of a command, or the text that the model gets."""
    if isinstance(structured.get("stdout"), str):
        parts = (structured["stdout"], str(structured.get("stderr") or ""))
        text = "\n".join(part.rstrip("\n") for part in parts if part.strip())
        return text or "(no output)"
    return _text_of(event.block)


def _indented(paint: Paint, style: str, lines: list[str]) -> list[str]:
    return [INDENT + paint(style, line) for line in lines]


def _text_of(block: JsonObject) -> str:
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(
        str(part.get("text")) if part.get("type") == "text" else f"[{part.get('type')}]"
        for part in as_list(content)
        if is_object(part)
    )
