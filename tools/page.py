"""A part of a long list of results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from hames.system.types import JsonObject

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """`items` from `offset` of `total`; `limit` is None when nothing was cut off behind them."""

    items: Sequence[T_co]
    offset: int
    limit: int | None
    total: int

    def applied(self) -> JsonObject:
        """`appliedLimit` and `appliedOffset`, each only when it left something out."""
        return {
            **({} if self.limit is None else {"appliedLimit": self.limit}),
            **({"appliedOffset": self.offset} if self.offset else {}),
        }

    def note(self) -> str:
        """A line for the model about what is not shown; empty when all is."""
        if self.limit is None and not self.offset:
            return ""
        last = self.offset + len(self.items)
        more = "" if self.limit is None else f"; more with offset {last}"
        return f"[{self.offset + 1} to {last} of {self.total}{more}]"


def page_of(
    items: Sequence[T_co], offset: int, limit: int, *, total: int | None = None
) -> Page[T_co]:
    """At most `limit` items (0: all) after the first `offset`; `total` when more exist."""
    known = max(len(items), total or 0)
    end = offset + limit if limit else known
    return Page(items[offset:end], offset, limit if limit and end < known else None, known)
