"""Estimates per layer, and their three presentations."""

import pytest

from hames.harness.context_report import (
    CHARS_PER_TOKEN,
    ContextReport,
    Item,
    Layer,
    Row,
    chars_per_token,
    context_report,
    estimate_tokens,
    report_chart,
    report_json,
)

LAYERS = (
    Layer("System prompt", (Item("core", 700), Item("environment", 70))),
    Layer("Tools", (Item("Read", 350),)),
    Layer("Deferred tools", (Item("WebFetch", 3500),), deferred=True),
)


@pytest.mark.parametrize(
    ("chars", "tokens", "expected"),
    [(4000, 1000, 4.0), (0, 10, CHARS_PER_TOKEN), (10, 0, 3.5), (100, 100, 3.5), (9000, 1, 3.5)],
)
def test_ratio_of_the_last_usage(chars: int, tokens: int, expected: float) -> None:
    assert chars_per_token(chars, tokens) == expected


def test_tokens_are_rounded_up() -> None:
    assert [estimate_tokens(n) for n in (0, 1, 7, 8)] == [0, 1, 2, 3]


def test_rows_add_up_to_the_window() -> None:
    report = context_report("m", 1000, LAYERS, buffer=100)
    assert report == ContextReport(
        "m",
        1000,
        320,
        (
            Row("System prompt", 220, 0.22, (("core", 200), ("environment", 20))),
            Row("Tools", 100, 0.1, (("Read", 100),)),
            Row("Deferred tools", 1000, 1.0, (("WebFetch", 1000),), True),
            Row("Free", 580, 0.58),
            Row("Compaction buffer", 100, 0.1),
        ),
    )


def test_a_full_window_has_no_negative_room() -> None:
    report = context_report("m", 200, LAYERS, buffer=100)
    assert [row.tokens for row in report.rows[-2:]] == [0, 0]
    assert context_report("m", 0, ()).rows == (Row("Free", 0, 0.0),)


def test_json() -> None:
    report = report_json(context_report("m", 1000, LAYERS[:1]))
    assert report == {
        "model": "m",
        "window": 1000,
        "used": 220,
        "percentage": 22.0,
        "layers": [
            {
                "name": "System prompt",
                "tokens": 220,
                "deferred": False,
                "items": [{"name": "core", "tokens": 200}, {"name": "environment", "tokens": 20}],
            },
            {"name": "Free", "tokens": 780, "deferred": False, "items": []},
        ],
    }


def test_chart() -> None:
    report = context_report("m", 1000, LAYERS)
    assert report_chart(report).splitlines() == [
        "m: 320 of 1,000 tokens (32.0 %)",
        "",
        "System prompt     220  █████████",
        "Tools             100  ████",
        "Deferred tools  1,000  (deferred, not sent)",
        "Free              680  ███████████████████████████",
    ]
    assert "                  200  core" in report_chart(report, details=True)
