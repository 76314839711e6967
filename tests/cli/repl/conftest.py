"""A trusted folder, a fake API and a terminal for every test."""

import json
from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import FakeApiThread, running_fake_api
from support.screen import Start, Terminal, hames_terminal, repl_env


@pytest.fixture
def api() -> Generator[FakeApiThread]:
    """An API that refuses nothing by the end of the test."""
    with running_fake_api() as running:
        yield running
        assert running.refusals == []


@pytest.fixture
def trusted(tmp_path: Path) -> Path:
    """The working directory, with a record of trust."""
    folder = (tmp_path / "work").resolve()
    config = {"projects": {str(folder): {"hasTrustDialogAccepted": True}}}
    (tmp_path / "home" / ".claude.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.fixture
def start(api: FakeApiThread, trusted: Path) -> Start:
    """Starts hames in the trusted folder."""
    del trusted

    def run(*arguments: str, **options: Any) -> AbstractContextManager[Terminal]:
        variables = options.pop("variables", {})
        return hames_terminal(*arguments, env=repl_env(api.url, **variables), **options)

    return run
