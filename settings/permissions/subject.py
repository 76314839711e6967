"""What a tool call touches. Paths are resolved here, once; everything after is pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SubjectKind = Literal["path", "command", "url", "name"]
Access = Literal["read", "write", "run", "use"]

_READS = {"Read": "file_path", "Grep": "path", "Glob": "path"}
_WRITES = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing a call touches; `real` is the resolved path, None when it cannot be resolved."""

    kind: SubjectKind
    value: str
    access: Access
    real: str | None = None


def named_subjects(name: str, given: Mapping[str, Any], cwd: Path) -> list[Subject]:
    """The subjects of a call by the public name of its tool; unknown names give the bare name."""
    for table, access in ((_READS, "read"), (_WRITES, "write")):
        field = table.get(name)
        if field is not None:
            path = cwd / str(given.get(field) or cwd)
            real = str(path.resolve())
            return [Subject("path", str(path), "write" if access == "write" else "read", real)]
    if name in ("Bash", "Monitor"):
        return [Subject("command", str(given.get("command", "")), "run")]
    return [Subject("name", name, "use")]
