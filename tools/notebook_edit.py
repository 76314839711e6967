"""NotebookEdit: one cell of a notebook replaced, inserted or deleted."""

import secrets
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hames.system.encoding import TextFile, UnencodableText, decode_file
from hames.system.lock import file_locked
from hames.system.save import FileStat, replace_file
from hames.system.text import clean
from hames.system.types import JsonObject
from hames.tools.base import Tool
from hames.tools.context import ToolContext
from hames.tools.known import after_change, full_knowledge
from hames.tools.notebook import joined, language_of
from hames.tools.notebook_text import NotebookText
from hames.tools.paths import absolute_path, lock_key, missing, real_for_writing
from hames.tools.result import ToolError, ToolResult
from hames.tools.saving import change_file, load, original

CellType = Literal["code", "markdown"]
EditMode = Literal["replace", "insert", "delete"]


class NotebookEditInput(BaseModel):
    """Which cell, and what becomes of it."""

    model_config = ConfigDict(extra="forbid")

    notebook_path: str = Field(description="Absolute path of the notebook")
    new_source: str = Field(description="The new source of the cell")
    cell_id: str | None = Field(
        default=None, description="The cell to change, or the one to insert after"
    )
    cell_type: CellType | None = Field(default=None, description="Required for insert")
    edit_mode: EditMode = Field(default="replace")


class NotebookEdit(Tool[NotebookEditInput]):
    """Changes one cell; the rest of the file keeps its bytes."""

    name = "NotebookEdit"
    input_model = NotebookEditInput

    async def run(self, args: NotebookEditInput, ctx: ToolContext) -> ToolResult:
        path = absolute_path(args.notebook_path, ctx.cwd)
        if path.suffix != ".ipynb":
            raise ToolError(f"{path} is no notebook (.ipynb). Use Edit for other files.")
        if args.edit_mode == "insert" and args.cell_type is None:
            raise ToolError("insert needs cell_type: code or markdown.")
        if args.edit_mode != "insert" and args.cell_id is None:
            raise ToolError(f"{args.edit_mode} needs cell_id, which Read shows for every cell.")
        return await change_file(path, _change, path, args, ctx)

    def lock_key(self, args: NotebookEditInput) -> str | None:
        return lock_key(args.notebook_path)

    def summary(self, args: NotebookEditInput) -> str:
        cell = args.cell_id or "the start"
        return f"{args.edit_mode} at {cell} of {args.notebook_path}"


def _change(path: Path, args: NotebookEditInput, ctx: ToolContext) -> ToolResult:
    real = real_for_writing(path, ctx)
    try:
        with file_locked(real):
            return _change_locked(path, real, args, ctx)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolError(missing(path, ctx.cwd)) from error


def _change_locked(path: Path, real: Path, args: NotebookEditInput, ctx: ToolContext) -> ToolResult:
    loaded = load(real)
    full_knowledge(path, real, loaded.info, ctx)
    file = decode_file(loaded.data)
    notebook = _parsed(path, file.text)
    changed, cell, old_source = _applied(notebook, args)
    info = replace_file(real, _encoded(path, file, changed), expect=FileStat.of(loaded.info))
    structured: JsonObject = {
        "new_source": args.new_source,
        "cell_id": cell["id"],
        "cell_type": cell["cell_type"],
        "language": language_of(notebook.data),
        "edit_mode": args.edit_mode,
        "notebook_path": str(path),
        "original_file": original(file.text),
        "updated_file": original(changed),
    }
    if old_source is not None:
        structured["old_source"] = old_source
    done = {"replace": "Replaced", "insert": "Inserted", "delete": "Deleted"}[args.edit_mode]
    return ToolResult(
        f"{done} cell {cell['id']} of {path}.",
        structured,
        (after_change(real, info, full=True),),
    )


def _parsed(path: Path, text: str) -> NotebookText:
    try:
        return NotebookText(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{path} is no notebook that can be changed: {error}.") from error


def _encoded(path: Path, file: TextFile, changed: str) -> bytes:
    try:
        return file.encode(changed)
    except UnencodableText as error:
        raise ToolError(f"{path} cannot take new_source: {error}.") from error


def _applied(notebook: NotebookText, args: NotebookEditInput) -> tuple[str, JsonObject, str | None]:
    """The new text, id and type of the cell concerned, and its old source."""
    source = clean(args.new_source)
    at = -1 if args.cell_id is None else notebook.find(args.cell_id)
    if args.edit_mode == "insert":
        cell = _new_cell(args.cell_type or "code", source, with_id=notebook.has_ids)
        shown = {"id": cell.get("id", f"cell-{at + 1}"), "cell_type": cell["cell_type"]}
        return notebook.inserted(at + 1, cell), shown, None
    old = notebook.cells[at]
    kind = args.cell_type or str(old.get("cell_type", "code"))
    shown = {"id": args.cell_id, "cell_type": kind}
    old_source = joined(old.get("source"))
    if args.edit_mode == "delete":
        return notebook.deleted(at), shown, old_source
    return notebook.replaced(at, _with_source(old, kind, source)), shown, old_source


def _new_cell(kind: str, source: str, *, with_id: bool) -> JsonObject:
    cell: JsonObject = {"cell_type": kind, "metadata": {}, "source": _lines(source)}
    if with_id:
        cell["id"] = secrets.token_hex(4)
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return dict(sorted(cell.items()))


def _with_source(old: JsonObject, kind: str, source: str) -> JsonObject:
    """The cell with new source; results of the old source are dropped."""
    as_string = isinstance(old.get("source"), str)
    cell = old | {"cell_type": kind, "source": source if as_string else _lines(source)}
    if kind == "code":
        return cell | {"execution_count": None, "outputs": []}
    return {key: cell[key] for key in cell if key not in ("execution_count", "outputs")}


def _lines(source: str) -> list[str]:
    """The source as notebooks store it: lines with their line ends."""
    lines = [line + "\n" for line in source.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]
