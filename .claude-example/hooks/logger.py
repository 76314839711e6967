#!/usr/bin/env python3
"""Logger (PostToolUse and PostToolUseFailure, every tool): one line per call.

The lines go to `.claude/log/tools.jsonl` of the project. Contents of files and results are
left out, so that the log holds no secrets. It runs with "async": nobody waits for it.
"""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

TOLD = ("file_path", "notebook_path", "path", "pattern", "command", "url", "description")


def main() -> None:
    given = json.load(sys.stdin)
    tool_input = given.get("tool_input", {})
    line = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "session": given["session_id"],
        "tool": given["tool_name"],
        "ok": given["hook_event_name"] == "PostToolUse",
        "input": {key: str(tool_input[key])[:200] for key in TOLD if key in tool_input},
    }
    folder = Path(os.environ.get("CLAUDE_PROJECT_DIR", ".")) / ".claude" / "log"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "tools.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
