"""A tool context for tests of single tools, and the fold of effects that dispatch would do."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hames.tools.base import Tool
from hames.tools.context import Ports, ToolContext
from hames.tools.effects import ReadState
from hames.tools.read_mark import ReadMark
from hames.tools.result import ToolResult


def everywhere(path: Path) -> bool:
    return True


def nowhere(path: Path) -> bool:
    return False


def tool_context(
    folder: Path,
    *,
    may_read: Callable[[Path], bool] = nowhere,
    denied: Callable[[Path], bool] = nowhere,
    env: Mapping[str, str] | None = None,
) -> ToolContext:
    """A session in `folder` whose model has read nothing yet."""
    return ToolContext(
        call_id="toolu_1",
        cwd=folder,
        root=folder,
        directories=(folder,),
        spill=folder / "spill",
        env=env or {},
        reads={},
        ports=Ports(may_read=may_read, denied=denied),
    )


def after(context: ToolContext, result: ToolResult) -> ToolContext:
    """The context of the next call, with the read marks of `result`."""
    reads: dict[Path, ReadMark] = dict(context.reads)
    for effect in result.effects:
        if isinstance(effect, ReadState):
            reads[effect.mark.path] = effect.mark
    return context._replace(reads=reads)


def marked(context: ToolContext, path: Path, *, full: bool = True) -> ToolContext:
    """The context of a model that has seen the present `path`: all of it, or one page."""
    info = path.stat()
    mark = ReadMark(path, info.st_mtime_ns, info.st_size, full=full)
    return after(context, ToolResult("", "", effects=(ReadState(mark),)))


async def call(tool: Tool[Any], context: ToolContext, **given: object) -> ToolResult:
    """Validate the input and run the tool."""
    return await tool.run(tool.parse(given), context)
