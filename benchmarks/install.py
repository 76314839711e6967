"""A fresh environment that holds the wheel of this tree, compiled, as users have it."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from support.wheel import build_wheel

ROOT = Path(__file__).resolve().parents[1]


def install(folder: Path) -> Path:
    """The bin folder of an environment in `folder`; made anew only when the wheel differs."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build_wheel(ROOT, folder / "dist")
    constraints = ROOT / "constraints.txt"
    state = hashlib.sha256(wheel.read_bytes() + constraints.read_bytes()).hexdigest()
    environment, mark = folder / "venv", folder / "venv" / "hames-wheel"
    if not mark.exists() or mark.read_text(encoding="utf-8") != state:
        _make(environment, wheel, constraints)
        mark.write_text(state, encoding="utf-8")
    return environment / "bin"


def _make(environment: Path, wheel: Path, constraints: Path) -> None:
    shutil.rmtree(environment, ignore_errors=True)
    # The real interpreter: a version manager's shim alone costs 70 ms.
    interpreter = Path(sys.executable).resolve()
    _run(interpreter, "-m", "venv", environment)
    _run(
        environment / "bin" / "python",
        *("-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check", "--compile"),
        *("--constraint", constraints, f"hames[media] @ {wheel.as_uri()}"),
    )


def plain_environment() -> Mapping[str, str]:
    """The environment of this process without what would change how Python starts."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}


def _run(*argv: str | Path) -> None:
    subprocess.run([str(word) for word in argv], check=True, env=dict(plain_environment()))
