"""Builds a wheel as a release does: the source distribution first, the wheel from it."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

BACKEND = (
    "import sys; from setuptools import build_meta; "
    "print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
)


def build_wheel(root: Path, out: Path) -> Path:
    """The wheel of the tree at `root`, in the folder `out`, which is emptied first."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "source"
        _copy_tracked(root, source)
        archive = _build("build_sdist", source, out)
        with tarfile.open(archive) as tar:
            tar.extractall(temporary, filter="data")
        return _build("build_wheel", Path(temporary) / archive.name.removesuffix(".tar.gz"), out)


def _copy_tracked(root: Path, target: Path) -> None:
    """What git knows or would add: leftovers of earlier builds stay behind."""
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout
    for name in listed.decode().split("\0"):
        file = root / name
        if name and file.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target / name)


def _build(step: str, source: Path, out: Path) -> Path:
    done = subprocess.run(
        (sys.executable, "-c", BACKEND, step, str(out)),
        cwd=source,
        check=True,
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )
    return out / done.stdout.splitlines()[-1]
