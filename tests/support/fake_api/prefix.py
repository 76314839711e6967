"""The prefix law: a request of the main line repeats the one before it byte for byte."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from support.fake_api.raw import RawBody, read_raw


class HasRaw(Protocol):
    """Anything that keeps the raw bytes of a request body."""

    @property
    def raw(self) -> bytes: ...


def _difference(name: str, old: str, new: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    at = min(len(old), len(new)) if at is None else at
    low = max(0, at - 60)
    return (
        f"{name} differs at character {at}:\n  was {old[low : at + 60]!r}\n"
        f"  now {new[low : at + 60]!r}"
    )


def prefix_breaks(old: RawBody, new: RawBody, *, last_may_grow: bool = False) -> list[str]:
    """What of `old` is not repeated in `new`; `last_may_grow` excuses old's last message."""
    found: list[str] = []
    if old.tools != new.tools:
        found.append(_difference("tools", old.tools, new.tools))
    if old.system != new.system:
        found.append(_difference("system", old.system, new.system))
    count = len(old.messages) - (1 if last_may_grow else 0)
    if len(new.messages) < len(old.messages):
        found.append(f"messages shrank from {len(old.messages)} to {len(new.messages)}")
    for index in range(min(count, len(new.messages))):
        if old.messages[index] != new.messages[index]:
            name = f"messages.{index}"
            found.append(_difference(name, old.messages[index], new.messages[index]))
    return found


def assert_prefix_law(
    requests: Iterable[HasRaw], *, resets: Collection[int] = (), growths: Collection[int] = ()
) -> None:
    """Check consecutive main-line requests.

    `resets` are the indexes of requests that need not repeat the one before (a boundary, an entry
    that says what was dropped); `growths` those that follow a request without a completed block,
    whose last message may have grown.
    """
    bodies: Sequence[RawBody] = [read_raw(request.raw) for request in requests]
    for index in range(1, len(bodies)):
        if index not in resets:
            breaks = prefix_breaks(bodies[index - 1], bodies[index], last_may_grow=index in growths)
            assert not breaks, f"request {index} breaks the prefix law\n" + "\n".join(breaks)
