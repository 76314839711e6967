"""Results too long for the conversation: both ends inline, all of it in a private file."""

from pathlib import Path
from typing import Any

import pytest

from hames.harness.limits import PREVIEW_CHARS, within_limit


def stored(preview: str) -> Path:
    word = next(word for word in preview.split() if word.startswith("/"))
    return Path(word)


@pytest.mark.parametrize("content", ["", "short", "x" * 50, [{"type": "text", "text": "x" * 50}]])
def test_what_fits_stays_as_it_is(content: Any, tmp_path: Path) -> None:
    assert within_limit(content, 50, tmp_path / "spill", "toolu_1") is content
    assert not (tmp_path / "spill").exists()


def test_a_long_text_shows_both_ends_and_where_all_of_it_lies(tmp_path: Path) -> None:
    text = "begin" + "é🙂" * 40_000 + "end"
    shown = within_limit(text, 50_000, tmp_path / "spill", "toolu_1")
    assert isinstance(shown, str)
    assert len(shown) < PREVIEW_CHARS + 500
    assert f"{len(text)} characters" in shown
    assert "begin" in shown
    assert shown.endswith("end")
    assert stored(shown).read_text(encoding="utf-8") == text
    assert stored(shown).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "spill").stat().st_mode & 0o777 == 0o700


def test_other_blocks_are_kept_beside_the_preview(tmp_path: Path) -> None:
    image = {"type": "image", "source": {}}
    parts = [{"type": "text", "text": "a" * 40}, image, {"type": "text", "text": "b" * 40}]
    shown = within_limit(parts, 50, tmp_path / "spill", "toolu_1")
    assert isinstance(shown, list)
    assert [block["type"] for block in shown] == ["text", "image"]
    assert stored(shown[0]["text"]).read_text(encoding="utf-8") == "a" * 40 + "\n" + "b" * 40


def test_without_room_for_the_file_the_ends_remain(tmp_path: Path) -> None:
    (tmp_path / "spill").write_text("in the way", encoding="utf-8")
    shown = within_limit("a" * 60_000 + "z", 50_000, tmp_path / "spill", "toolu_1")
    assert isinstance(shown, str)
    assert shown.endswith("z")
    assert len(shown) < PREVIEW_CHARS + 500


@pytest.mark.parametrize("call_id", ["../../escape", "a/b", "", "x" * 300, "nul\0"])
def test_no_call_id_leads_out_of_the_folder(call_id: str, tmp_path: Path) -> None:
    shown = within_limit("a" * 100, 50, tmp_path / "spill", call_id)
    assert isinstance(shown, str)
    outside = [p for p in tmp_path.rglob("*") if p.is_file() and p.parent != tmp_path / "spill"]
    assert outside == []
