"""Loads what the first tool call needs while the first answer is awaited."""

import threading
from collections.abc import Iterable
from importlib import import_module


class Warmup:
    """Imports modules once, in a thread; `start` may be called any number of times."""

    def __init__(self, modules: Iterable[str]) -> None:
        self._modules = tuple(modules)
        self._started = False

    def start(self) -> None:
        """Begin, unless it has begun. Never waits."""
        if not self._started:
            self._started = True
            threading.Thread(target=self._load, name="warmup", daemon=True).start()

    def _load(self) -> None:
        for name in self._modules:
            import_module(name)
