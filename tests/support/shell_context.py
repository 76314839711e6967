"""The context of a call whose child processes see the environment of the test."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from hames.tools.context import Ports, ToolContext
from hames.tools.read_mark import ReadMark
from support.tool_context import nowhere, tool_context


def shell_context(
    root: Path,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    reads: Mapping[Path, ReadMark] | None = None,
    progress: Callable[[str], None] = lambda _: None,
    denied: Callable[[Path], bool] = nowhere,
) -> ToolContext:
    """A session in `root`, now in `cwd`, that spills beside `root`; `env` adds to the test's."""
    context = tool_context(root, env={**os.environ, **(env or {})})
    return context._replace(
        cwd=cwd or root,
        spill=root.parent / "spill",
        reads=reads or {},
        ports=Ports(progress=progress, denied=denied),
    )
