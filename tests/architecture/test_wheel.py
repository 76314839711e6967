"""The built wheel holds the packages and data files of this tree, no more and no less."""

import subprocess
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from support.wheel import build_wheel

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("system", "settings", "hooks", "tools", "harness", "cli")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What the wheel holds, its own metadata aside."""
    with zipfile.ZipFile(build_wheel(ROOT, tmp_path_factory.mktemp("dist"))) as wheel:
        return {name for name in wheel.namelist() if ".dist-info/" not in name}


def tree() -> set[str]:
    """The product's files under their installed names."""
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FOLDERS)
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    paths = (name for name in listed.decode().split("\0") if name and (ROOT / name).exists())
    return {
        str(PurePosixPath("hames", name)).replace("hames/cli/_hames/", "hames/") for name in paths
    }


def test_the_wheel_equals_the_tree(names: set[str]) -> None:
    assert names == tree()


@pytest.mark.parametrize(
    "name",
    [
        "hames/py.typed",
        "hames/cli/commands/demo/project/.claude/settings.json",
        "hames/harness/models/models.toml",
        "hames/harness/prompts/core.md",
        "hames/settings/schema.json",
        "hames/tools/catalog.json",
        "hames/tools/prompts/bash.md",
    ],
)
def test_every_kind_of_data_file_is_there(names: set[str], name: str) -> None:
    assert name in names
