"""What a call gives back: a result for the model, or an expected failure."""

from typing import NamedTuple

from hames.system.types import JsonObject
from hames.tools.effects import Effect


class ToolError(Exception):
    """An expected failure; the text goes to the model with `is_error: true`.

    `structured` is the error as hooks and the transcript see it; None means the text itself.
    """


class ToolResult(NamedTuple):
    """What one call gave.

    `content` goes to the model: text, or content blocks (text, image, document).
    `structured` is the tool's public output object (`tool_response` of hooks,
    `toolUseResult` of transcripts). `failed` marks a result that ran and failed, such as a
    command with a non-zero exit: `is_error: true`, PostToolUseFailure instead of PostToolUse.
    `reminders` are appended after the results, as text or blocks,
    e.g. a nested CLAUDE.md found by a Read.
    """

    content: str | list[JsonObject]
    structured: JsonObject | str
    effects: tuple[Effect, ...] = ()
    reminders: tuple[str | list[JsonObject], ...] = ()
    failed: bool = False
