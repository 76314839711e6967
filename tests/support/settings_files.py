"""Settings files in a temporary world: home, managed folder, project."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hames.settings.load import LoadRequest, load_settings
from hames.settings.snapshot import Snapshot


@dataclass(frozen=True)
class World:
    """Paths of one test; `load` reads what lies there."""

    home: Path
    project: Path
    managed: Path

    def user(self, value: object) -> Path:
        return write(self.home / ".claude" / "settings.json", value)

    def shared(self, value: object) -> Path:
        return write(self.project / ".claude" / "settings.json", value)

    def local(self, value: object) -> Path:
        return write(self.project / ".claude" / "settings.local.json", value)

    def policy(self, value: object, name: str = "managed-settings.json") -> Path:
        return write(self.managed / name, value)

    def trust(self, folder: Path | None = None) -> Path:
        key = str((folder or self.project).resolve())
        record = {"projects": {key: {"hasTrustDialogAccepted": True}}}
        return write(self.home / ".claude.json", record)

    def load(self, cwd: Path | None = None, **changes: Any) -> Snapshot:
        options: dict[str, Any] = {"env": {}, "home": self.home, "managed_dir": self.managed}
        return load_settings(LoadRequest(cwd or self.project, **{**options, **changes}))


def write(path: Path, value: object) -> Path:
    """Text as it is, everything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, indent=2)
    path.write_text(text, encoding="utf-8")
    return path


def make_world(folder: Path) -> World:
    """An empty world below `folder`, which holds `home` already."""
    project = folder / "project"
    project.mkdir()
    return World(folder / "home", project, folder / "managed")


def fill(world: World) -> None:
    """A trusted project with user, project and local settings, an unknown and a bad key."""
    world.trust()
    world.user(
        '{\n  // mine\n  "model": "opus",\n  "permissions": {\n    "allow": ["Read", "Bash(ls)"]\n'
        '  },\n  "env": {"MY_TOKEN": "abc", "X": "1"},\n  "fastMode": true\n}\n'
    )
    world.shared(
        {
            "model": "haiku",
            "permissions": {"allow": ["Bash(ls)", "Edit"], "deny": ["WebFetch"]},
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]},
            "colour": "red",
            "cleanupPeriodDays": 0,
        }
    )
    world.local({"env": {"X": "2"}, "attribution": {"commit": ""}})
