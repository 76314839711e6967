"""The context of a tool call in a test."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from hames.tools.context import Ports, ReadMark, ToolContext


def tool_context(
    root: Path,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    reads: Mapping[Path, ReadMark] | None = None,
    progress: Callable[[str], None] = lambda _: None,
    denied: Callable[[Path], bool] = lambda _: False,
) -> ToolContext:
    """A context with `root` as the only directory and the environment of the test plus `env`."""
    return ToolContext(
        call_id="toolu_1",
        cwd=cwd or root,
        root=root,
        directories=(root,),
        spill=root.parent / "spill",
        env={**os.environ, **(env or {})},
        reads=reads or {},
        ports=Ports(progress=progress, denied=denied),
    )
