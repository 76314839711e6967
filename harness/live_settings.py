"""The settings in force; swapped as a whole when files change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hames.settings.load import LoadRequest, load_settings
from hames.settings.snapshot import Snapshot


@dataclass(slots=True)
class LiveSettings:
    """The newest snapshot and how to read it again. `revision` counts the swaps.

    `pinned` are the texts of files whose newest change was refused.
    """

    request: LoadRequest
    snapshot: Snapshot
    revision: int = 0
    pinned: Mapping[Path, str | None] = field(default_factory=dict[Path, str | None])

    def read(self, changed: Iterable[Path], refused: Iterable[Path]) -> Snapshot:
        """Read the files again; of `refused` ones what they held before counts.

        Raises ConfigError for an unusable `--settings`.
        """
        texts = {layer.path: layer.text for layer in self.snapshot.layers}
        kept = {path: text for path, text in self.pinned.items() if path not in set(changed)}
        self.pinned = {**kept, **{path: texts.get(path) for path in refused}}
        return load_settings(self.request._replace(pinned=self.pinned))

    def swap(self, snapshot: Snapshot) -> None:
        """Put a snapshot in force."""
        self.snapshot = snapshot
        self.revision += 1
