"""`hames prompt` and `hames context`: what a first turn would send, without sending it."""

import json
from pathlib import Path
from typing import Any

from support.asking import ask, write
from support.fake_api import running_fake_api, turn
from support.run import run_hames


def test_the_printed_request_is_the_one_that_is_sent() -> None:
    write(Path("CLAUDE.md"), "Use tabs.")
    flags = ("--append-system-prompt", "MORE", "--permission-mode", "plan")
    sent = ask("hello there", turn("Done."), flags=(*flags, "--session-id", SESSION)).raw[0]
    done = run_hames("prompt", "--json", "hello there", *flags, "--session-id", OTHER, model=None)
    assert done.code == 0, done.err
    printed = done.out.replace(OTHER, SESSION)
    assert json.loads(printed) == json.loads(sent)
    assert not list((Path.home() / ".claude" / "projects").rglob(f"{OTHER}.jsonl"))


SESSION = "11111111-2222-4333-8444-555555555555"
OTHER = "11111111-2222-4333-8444-666666666666"


def test_people_see_every_part_with_its_cache_marks() -> None:
    done = run_hames("prompt", "what now?", model=None)
    assert "----- system 1," in done.out
    assert "cache mark at its end" in done.out
    assert "what now?" in done.out
    assert "Bash: Runs a command line" in done.out


def test_what_fills_the_window_is_told_by_layer() -> None:
    write(Path("CLAUDE.md"), "Use tabs. " * 100)
    write(Path(".claude/skills/deploy/SKILL.md"), "---\ndescription: Ships\n---\nx")
    done = run_hames("context", "--json", model=None)
    layers: dict[str, Any] = {row["name"]: row for row in json.loads(done.out)["layers"]}
    assert list(layers) == ["System prompt", "Tools", "Memory", "Skills", "Messages", "Free"]
    assert layers["Memory"]["items"][0]["name"] == str(Path("CLAUDE.md").absolute())
    assert layers["Memory"]["tokens"] > 200
    assert [item["name"] for item in layers["Skills"]["items"]] == ["deploy"]
    assert "Bash" in [item["name"] for item in layers["Tools"]["items"]]
    chart = run_hames("context", model=None).out
    assert "tokens (" in chart
    assert "CLAUDE.md" in chart


def test_the_service_counts_where_it_can() -> None:
    with running_fake_api() as api:
        done = run_hames("context", "--json", url=api.url, model=None)
        counted = [r for r in api.requests if r.path.startswith("/v1/messages/count_tokens")]
        assert len(counted) == 1
        assert api.calls == []
        assert api.refusals == []
    guessed = run_hames("context", "--json", model=None)
    assert json.loads(done.out)["used"] != json.loads(guessed.out)["used"]


def test_wrong_flags_are_one_line() -> None:
    done = run_hames("prompt", "--add-dir", "/nowhere-at-all", model=None)
    assert (done.code, done.out) == (1, "")
    assert "/nowhere-at-all is not a directory" in done.err
