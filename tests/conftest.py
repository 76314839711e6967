"""Every test gets its own home, config folder and working directory, and no credentials."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "hames",
    max_examples=int(os.environ.get("HAMES_EXAMPLES", "500")),
    deadline=None,
    # The same code gives the same answer in CI; everywhere else examples are always new.
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("hames")

_DROPPED = ("ANTHROPIC_", "CLAUDE", "HAMES_", "BASH_", "MCP_", "DISABLE_", "ENABLE_", "GIT_")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Every test begins with the usual umask and leaves it behind for the next one."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HOME, the config folder and the working directory lie in `tmp_path`."""
    for name in list(os.environ):
        if name.startswith(_DROPPED) or name.upper() in _PROXIES:
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(work)
