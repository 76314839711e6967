"""Which session file is meant by an id, the beginning of one, or a title."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hames.harness.errors import NoConversation, UsageError
from hames.harness.sessions import SessionFiles
from hames.settings import paths

IDS = [f"{digit * 8}-2222-4333-8444-555555555555" for digit in "abc"]


def files(cwd: Path) -> SessionFiles:
    return SessionFiles(os.environ, Path(os.environ["HOME"]), cwd)


def store(cwd: Path, session_id: str, *more: dict[str, object], prompt: bool = True) -> Path:
    path = files(cwd).path(session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    user = {"type": "user", "uuid": "u", "parentUuid": None, "message": {"content": "x"}}
    lines = [*([user] if prompt else []), *more]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def title(text: str, kind: str = "custom") -> dict[str, object]:
    return {"type": f"{kind}-title", f"{kind}Title": text}


def test_an_id_is_found_here_first_then_in_exactly_one_other_project(tmp_path: Path) -> None:
    here, there, elsewhere = (tmp_path / name for name in ("here", "there", "elsewhere"))
    for folder in (here, there, elsewhere):
        folder.mkdir()
    mine, other = store(here, IDS[0]), store(there, IDS[1])
    store(there, IDS[0])
    assert files(here).find(IDS[0]) == mine
    assert files(here).find(IDS[0].upper()) == mine
    assert files(here).find(IDS[1]) == other
    store(elsewhere, IDS[1])
    with pytest.raises(NoConversation, match=f"No conversation found with session ID: {IDS[1]}"):
        files(here).find(IDS[1])


def test_a_file_without_a_message_is_no_session() -> None:
    store(Path.cwd(), IDS[0], title("mine"), prompt=False)
    for wanted in (IDS[0], IDS[0][:8]):
        with pytest.raises(NoConversation):
            files(Path.cwd()).find(wanted)


@pytest.mark.parametrize("length", [6, 8, 9, 13, 20, 35])
def test_the_beginning_of_an_id_is_enough(length: int) -> None:
    first, second = store(Path.cwd(), IDS[0]), store(Path.cwd(), IDS[1])
    assert files(Path.cwd()).find(IDS[0][:length]) == first
    assert files(Path.cwd()).find(IDS[1][:length].upper()) == second


def test_a_beginning_that_is_too_short_or_not_unique_is_refused() -> None:
    store(Path.cwd(), IDS[0])
    other = store(Path.cwd(), IDS[0][:-1] + "6")
    with pytest.raises(NoConversation):
        files(Path.cwd()).find("aaaaa")
    with pytest.raises(UsageError, match="2 sessions") as refused:
        files(Path.cwd()).find("aaaaaa")
    assert other.stem in str(refused.value)


def test_a_title_is_the_newest_of_its_kind() -> None:
    path = store(Path.cwd(), IDS[0], title("old"), title("made up", "ai"), title("new"))
    store(Path.cwd(), IDS[1], title("another"))
    for wanted in ("new", "made up"):
        assert files(Path.cwd()).find(wanted) == path
    for wanted in ("old", "ne", "NEW", ""):
        with pytest.raises(NoConversation):
            files(Path.cwd()).find(wanted)
    store(Path.cwd(), IDS[2], title("new"))
    with pytest.raises(UsageError, match=f"2 sessions are called 'new'.*{IDS[0]}, {IDS[2]}"):
        files(Path.cwd()).find("new")


def test_damaged_lines_and_other_files_do_not_matter() -> None:
    path = store(Path.cwd(), IDS[0], title("mine"))
    with path.open("ab") as file:
        file.write(b'{"customTitle"\n\xff"customTitle"\n[1,"aiTitle"]\n')
    (path.parent / "notes.jsonl").write_text('{"customTitle":"mine"}\n', encoding="utf-8")
    (path.parent / f"{IDS[1]}.jsonl").mkdir()
    assert files(Path.cwd()).find("mine") == path
    assert files(Path.cwd()).newest() == path


def test_all_checkouts_of_a_repository_share_their_sessions(tmp_path: Path) -> None:
    main, linked, second = (tmp_path / name for name in ("main", "linked", "second"))
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    subprocess.run([*git, "-C", str(main), "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    for tree in (linked, second):
        subprocess.run([*git, "-C", str(main), "worktree", "add", "-q", str(tree)], check=True)
    path = store(linked, IDS[0], title("work"))
    for place in (main, linked, second):
        assert files(place).find(IDS[0]) == path
        assert files(place).find("work") == path
    assert files(main).newest() is None


def test_a_long_path_is_found_under_the_hash_of_another_program(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["x" * 60] * 4)
    deep.mkdir(parents=True)
    path = store(deep, IDS[0])
    other = path.parent.with_name(path.parent.name[:201] + "other")
    shutil.move(path.parent, other)
    assert files(deep).find(IDS[0]) == other / path.name
    assert files(deep).newest() == other / path.name
    assert paths.project_directory(os.environ, Path(os.environ["HOME"]), deep) != other
