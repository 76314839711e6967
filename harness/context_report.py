"""How much of the window each layer of a request takes: estimates, rows, JSON, a bar chart."""

from collections.abc import Iterable
from dataclasses import dataclass

from hames.system.types import JsonObject

CHARS_PER_TOKEN = 3.5
"""Until a real usage is known."""

_PLAUSIBLE = (1.5, 8.0)
_BAR = 40


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a layer, such as one tool, memory file, skill or server."""

    name: str
    chars: int


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer in the order of the request. Deferred ones are not sent and do not count."""

    name: str
    items: tuple[Item, ...]
    deferred: bool = False

    @property
    def chars(self) -> int:
        """Characters of all items."""
        return sum(item.chars for item in self.items)


@dataclass(frozen=True, slots=True)
class Row:
    """A layer, or the free room or the buffer, in tokens; `share` is of the window."""

    name: str
    tokens: int
    share: float
    items: tuple[tuple[str, int], ...] = ()
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class ContextReport:
    """The whole window. `used` counts layers that are sent; the last rows are free and buffer."""

    model: str
    window: int
    used: int
    rows: tuple[Row, ...]


def chars_per_token(request_chars: int, input_tokens: int) -> float:
    """The ratio of the last request with a real usage; implausible values give the default."""
    if request_chars <= 0 or input_tokens <= 0:
        return CHARS_PER_TOKEN
    low, high = _PLAUSIBLE
    ratio = request_chars / input_tokens
    return ratio if low <= ratio <= high else CHARS_PER_TOKEN


def estimate_tokens(chars: int, ratio: float = CHARS_PER_TOKEN) -> int:
    """Tokens of a text, rounded up."""
    return -int(-chars // ratio)


def context_report(
    model: str,
    window: int,
    layers: Iterable[Layer],
    *,
    ratio: float = CHARS_PER_TOKEN,
    buffer: int = 0,
) -> ContextReport:
    """Rows per layer, then free room and the `buffer` tokens kept for compaction."""
    rows = [_row(layer, window, ratio) for layer in layers]
    used = sum(row.tokens for row in rows if not row.deferred)
    free = max(0, window - used - buffer)
    rows.append(Row("Free", free, _share(free, window)))
    if buffer:
        kept = max(0, min(buffer, window - used))
        rows.append(Row("Compaction buffer", kept, _share(kept, window)))
    return ContextReport(model, window, used, tuple(rows))


def report_json(report: ContextReport) -> JsonObject:
    """The report as the public JSON of `hames context --json`."""
    return {
        "model": report.model,
        "window": report.window,
        "used": report.used,
        "percentage": round(100 * _share(report.used, report.window), 1),
        "layers": [
            {
                "name": row.name,
                "tokens": row.tokens,
                "deferred": row.deferred,
                "items": [{"name": name, "tokens": tokens} for name, tokens in row.items],
            }
            for row in report.rows
        ],
    }


def report_chart(report: ContextReport, *, details: bool = False) -> str:
    """Text with one bar per row; `details` adds every item, largest first."""
    percent = 100 * _share(report.used, report.window)
    head = f"{report.model}: {report.used:,} of {report.window:,} tokens ({percent:.1f} %)"
    width = max((len(row.name) for row in report.rows), default=0)
    largest = max((len(f"{row.tokens:,}") for row in report.rows), default=0)
    lines = [head, ""]
    for row in report.rows:
        bar = "(deferred, not sent)" if row.deferred else _bar(row.share)
        lines.append(f"{row.name:<{width}}  {row.tokens:>{largest},}  {bar}".rstrip())
        if details:
            ordered = sorted(row.items, key=lambda item: (-item[1], item[0]))
            lines += [f"{'':<{width}}  {tokens:>{largest},}  {name}" for name, tokens in ordered]
    return "\n".join(lines)


def _row(layer: Layer, window: int, ratio: float) -> Row:
    tokens = estimate_tokens(layer.chars, ratio)
    items = tuple((item.name, estimate_tokens(item.chars, ratio)) for item in layer.items)
    return Row(layer.name, tokens, _share(tokens, window), items, layer.deferred)


def _share(tokens: int, window: int) -> float:
    return tokens / window if window > 0 else 0.0


def _bar(share: float) -> str:
    cells = min(_BAR, round(share * _BAR))
    return "█" * cells if cells or share <= 0 else "▏"
