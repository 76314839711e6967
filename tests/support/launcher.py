"""hames as a program that other programs can start by its path."""

import sys
from pathlib import Path


def hames_launcher(folder: Path) -> Path:
    """An executable in `folder` that runs the hames under test."""
    path = folder / "hames"
    found = [entry for entry in sys.path if entry]
    path.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        f"sys.path[:0] = {found!r}\n"
        "from hames.cli.main import main\n"
        "main()\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path
