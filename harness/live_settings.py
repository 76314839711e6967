"""The settings in force; swapped as a whole when files change."""

from dataclasses import dataclass

from hames.settings.load import LoadRequest, load_settings
from hames.settings.snapshot import Snapshot


@dataclass(slots=True)
class LiveSettings:
    """The newest snapshot and how to read it again. `revision` counts the swaps."""

    request: LoadRequest
    snapshot: Snapshot
    revision: int = 0

    def reload(self) -> Snapshot:
        """Read the files again and put the result in force. Raises ConfigError."""
        self.snapshot = load_settings(self.request)
        self.revision += 1
        return self.snapshot
