"""Objects of settings.json that shape the interface, git texts and worktrees."""

from typing import Literal

from hames.settings.model_fields import Section, key


class StatusLine(Section):
    """A command whose output is the line below the prompt."""

    type: Literal["command"] = key("Always `command`.")
    command: str = key("Shell text; gets the session as JSON on stdin.")
    padding: int = key("Blanks at the left.")
    refreshInterval: float = key("Seconds between runs.", ge=1)
    hideVimModeIndicator: bool = key("No vim mode in the line.")


class FileSuggestion(Section):
    """A command that answers `@` queries."""

    type: Literal["command"] = key("Always `command`.", 2)
    command: str = key('Gets {"query"} on stdin, prints paths.', 2)


class SpinnerTips(Section):
    """Own tips."""

    tips: list[str] = key("The tips.", 2)
    excludeDefault: bool = key("Only these.", 2)


class SpinnerVerbs(Section):
    """Own verbs."""

    mode: Literal["append", "replace"] = key("Add to the built-in ones or replace them.", 2)
    verbs: list[str] = key("The verbs.", 2)


class Attribution(Section):
    """Texts that commits and pull requests get; an empty text hides them."""

    commit: str = key("Trailer of commit messages.")
    pr: str = key("Line of pull requests.")
    sessionUrl: bool = key("Link to a cloud session.", 3, default=True)


class Worktree(Section):
    """How worktrees are made."""

    baseRef: Literal["fresh", "head"] = key("Branch from the remote or HEAD.", default="fresh")
    symlinkDirectories: list[str] = key("Directories linked instead of copied.", 2)
    sparsePaths: list[str] = key("Paths of a sparse checkout.", 2)
    bgIsolation: Literal["worktree", "none"] = key("Background sessions.", 3, default="worktree")


class Dispatch(Section):
    """How tool calls of one message run."""

    parallelCommands: Literal["readOnly", "all"] = key(
        "Which commands may run side by side.", default="readOnly"
    )


class Hames(Section):
    """What only hames knows."""

    dispatch: Dispatch = key("How tool calls of one message run.")
    instructions: list[str] = key("Memory file names to read in each directory.")


Theme = Literal[
    "auto", "dark", "light", "dark-daltonized", "light-daltonized", "dark-ansi", "light-ansi"
]
Notification = Literal[
    "auto",
    "terminal_bell",
    "iterm2",
    "iterm2_with_bell",
    "kitty",
    "ghostty",
    "notifications_disabled",
]
