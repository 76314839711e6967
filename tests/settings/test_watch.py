"""Changes of settings files are told once, also for files that appear or are replaced."""

import asyncio
import errno
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hames.settings.watch import stamps, watch

FAST: dict[str, Any] = {"quiet": 0.02, "poll": 0.05}


class Told:
    """Collects what the watcher tells."""

    def __init__(self) -> None:
        self.calls: asyncio.Queue[frozenset[Path]] = asyncio.Queue()

    async def __call__(self, changed: frozenset[Path]) -> None:
        await self.calls.put(changed)

    async def next(self) -> frozenset[Path]:
        async with asyncio.timeout(10):
            return await self.calls.get()


def no_watches_left(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "OS file watch limit reached")


@pytest.fixture(params=["events", "no library", "no watches"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "no library":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    if request.param == "no watches":
        fake = types.SimpleNamespace(awatch=no_watches_left)
        monkeypatch.setitem(sys.modules, "watchfiles", fake)
    yield request.param


def replace(path: Path, text: str) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.replace(path)


async def all_changes(path: Path) -> list[frozenset[Path]]:
    told = Told()
    task = asyncio.create_task(watch([path, path.with_name("other.json")], told, **FAST))
    await asyncio.sleep(0)
    seen: list[frozenset[Path]] = []
    path.write_text("{}")
    seen.append(await told.next())
    replace(path, '{"a": 1}')
    seen.append(await told.next())
    path.unlink()
    seen.append(await told.next())
    path.write_text('{"a": 2}')
    seen.append(await told.next())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told.calls.empty()
    return seen


@pytest.mark.usefixtures("backend")
def test_write_replace_removal_and_return_are_told(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    assert asyncio.run(all_changes(path)) == [frozenset({path})] * 4


async def late_folder(path: Path) -> frozenset[Path]:
    told = Told()
    elsewhere = path.parent.parent / "a.json"
    async with asyncio.TaskGroup() as group:
        task = group.create_task(watch([elsewhere, path], told, **FAST))
        await asyncio.sleep(0)
        path.parent.mkdir()
        path.write_text("{}")
        changed = await told.next()
        task.cancel()
    return changed


@pytest.mark.usefixtures("backend")
def test_a_folder_that_appears_later_is_watched_too(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    assert asyncio.run(late_folder(path)) == frozenset({path})


async def linked(path: Path, target: Path) -> frozenset[Path]:
    told = Told()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(watch([path], told, **FAST))
        await asyncio.sleep(0)
        target.write_text('{"a": 1}')
        changed = await told.next()
        task.cancel()
    return changed


@pytest.mark.usefixtures("backend")
def test_a_change_behind_a_link_is_told(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "settings.json"
    target.parent.mkdir()
    target.write_text("{}")
    path = tmp_path / "settings.json"
    path.symlink_to(target)
    assert asyncio.run(linked(path, target)) == frozenset({path})


def test_what_changed_since_the_files_were_read_is_told_first(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    before = stamps([path])
    path.write_text("{}")

    async def changes() -> frozenset[Path]:
        told = Told()
        task = asyncio.create_task(watch([path], told, before=before, **FAST))
        try:
            return await told.next()
        finally:
            task.cancel()

    assert asyncio.run(changes()) == {path}
