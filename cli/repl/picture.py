"""What a console draws of the present."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """Functions that are asked at every frame; sizes are columns and rows.

    `moving` tells whether time itself is shown, as while a turn runs.
    """

    live: Callable[[tuple[int, int]], list[str]]
    status: Callable[[int], str]
    moving: Callable[[], bool]
