#!/usr/bin/env python3
"""Formatter (PostToolUse, Edit and Write): tidies the file that was just written.

Python files go through ruff when it is installed. Without it, trailing blanks are removed
and the last line gets its end. What could not be mended is told to the model.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path


def tidy(path: Path) -> bool:
    """Remove trailing blanks; whether anything changed."""
    text = path.read_text(encoding="utf-8")
    clean = "".join(line.rstrip() + "\n" for line in text.splitlines())
    if clean != text:
        path.write_text(clean, encoding="utf-8")
    return clean != text


def complaints(path: Path) -> str:
    """What ruff still has to say after it mended what it could."""
    ruff = shutil.which("ruff")
    if ruff is None or path.suffix != ".py":
        return ""
    subprocess.run([ruff, "format", "--quiet", str(path)], check=False, capture_output=True)
    done = subprocess.run(
        [ruff, "check", "--fix", "--quiet", "--output-format=concise", str(path)],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() if done.returncode else ""


def main() -> None:
    given = json.load(sys.stdin)
    path = Path(given["tool_input"].get("file_path", ""))
    if path.suffix not in {".py", ".md", ".txt", ".sh", ".toml"} or not path.is_file():
        return
    changed = tidy(path)
    found = complaints(path)
    if found:
        print(json.dumps({"decision": "block", "reason": f"{path} needs work:\n{found}"}))
    elif changed:
        note = f"{path.name} was formatted after your edit; read it before you edit it again."
        told = {"hookEventName": "PostToolUse", "additionalContext": note}
        print(json.dumps({"hookSpecificOutput": told}))


if __name__ == "__main__":
    main()
