"""What a failure means: the public category, whether to try again, whether to repair."""

import re
from typing import NamedTuple

from hames.harness.models.port import ApiError, ModelFailure, TransportError

BY_KIND = {
    "authentication_error": "authentication_failed",
    "permission_error": "authentication_failed",
    "billing_error": "billing_error",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
    "invalid_request_error": "invalid_request",
    "request_too_large": "invalid_request",
    "conflict_error": "server_error",
    "not_found_error": "model_not_found",
    "api_error": "server_error",
    "timeout_error": "server_error",
}
"""`error.type` of the API -> the `error` value of retry events and assistant messages."""

KIND_BY_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""The meaning of a status whose body does not say."""

_FINAL_REASONS = frozenset({"tls", "proxy"})
_AGAIN_KINDS = frozenset({"api_error", "timeout_error", "overloaded_error", "conflict_error"})
_SPENT = ("credit balance", "spend limit", "spending limit", "usage limit", "billing")
_TOO_LONG = re.compile(
    r"prompt is too long|exceeds? .{0,40}context (?:window|length)|context_length"
)
_OVERFLOW = re.compile(r"(\d+)\s*\+\s*(\d+)\s*>\s*(\d+)")
_BLOCK = re.compile(r"messages\.(\d+)\.content\.(\d+)")
_IMAGE = re.compile(r"image|media_type")
_IMAGE_FAULT = re.compile(
    r"could not process|exceed|dimension|invalid|unsupported|too large|does not"
)


def kind_of_status(status: int) -> str:
    """The `error.type` that a bare status stands for."""
    return KIND_BY_STATUS.get(status, "api_error" if status >= 500 else "invalid_request_error")


def category(failure: ModelFailure) -> str:
    """The `error` value of the wire: rate_limit, overloaded, server_error ... or unknown."""
    if not isinstance(failure, ApiError):
        return "unknown"
    message = failure.message.lower()
    if failure.status in (400, 429) and any(word in message for word in _SPENT):
        return "billing_error"
    if failure.kind == "permission_error" and "oauth" in message and "organization" in message:
        return "oauth_org_not_allowed"
    return BY_KIND.get(failure.kind) or BY_KIND[kind_of_status(failure.status or 500)]


def status_of(failure: ModelFailure) -> int | None:
    """The HTTP status, if one arrived."""
    return failure.status if isinstance(failure, ApiError) else None


def is_retryable(failure: ModelFailure) -> bool:
    """Whether the same request may succeed later. A 401 is not: it needs a new credential first."""
    if isinstance(failure, TransportError):
        return failure.reason not in _FINAL_REASONS
    if not isinstance(failure, ApiError):
        return False
    wish = failure.headers.get("x-should-retry")
    if failure.status == 429 or (failure.status is None and failure.kind == "rate_limit_error"):
        told = failure.retry_after is not None or wish == "true" or failure.in_stream
        return told and category(failure) != "billing_error"
    if failure.status is None:
        return failure.kind in _AGAIN_KINDS
    if failure.status in (408, 409) or failure.status >= 500:
        return wish != "false"
    return False


def allows_other_model(failure: ModelFailure) -> bool:
    """Whether another model may help: overload, a server error, or the model is not there."""
    if not isinstance(failure, ApiError):
        return False
    return category(failure) in ("overloaded", "server_error", "model_not_found")


def is_overload(failure: ModelFailure) -> bool:
    """Whether the service is busy (429, 529): the failures an unattended run waits out."""
    return isinstance(failure, ApiError) and category(failure) in ("overloaded", "rate_limit")


def _invalid(error: ModelFailure) -> str:
    """The text of a 400 in lower case; empty for every other failure."""
    if isinstance(error, ApiError) and error.kind == "invalid_request_error":
        return error.message.lower()
    return ""


class Overflow(NamedTuple):
    """A request whose input and `max_tokens` together exceed the window, in tokens."""

    input: int
    max_tokens: int
    window: int


def output_overflow(error: ModelFailure) -> Overflow | None:
    """The numbers of a 400 that lowering `max_tokens` repairs."""
    text = _invalid(error)
    found = _OVERFLOW.search(text) if "max_tokens" in text else None
    return Overflow(*map(int, found.groups())) if found else None


def is_prompt_too_long(error: ModelFailure) -> bool:
    """Whether the input alone exceeds the window."""
    return output_overflow(error) is None and bool(_TOO_LONG.search(_invalid(error)))


def is_too_large(error: ModelFailure) -> bool:
    """Whether the body exceeds the size limit in bytes (413)."""
    return isinstance(error, ApiError) and (
        error.status == 413 or error.kind == "request_too_large"
    )


def names_block(error: ModelFailure) -> tuple[int, int] | None:
    """Message and block index of a 400 that names `messages.N.content.M`."""
    found = _BLOCK.search(_invalid(error))
    return (int(found[1]), int(found[2])) if found else None


def is_thinking_mismatch(error: ModelFailure) -> bool:
    """Whether a thinking block was refused: changed, or bound to another conversation."""
    text = _invalid(error)
    return "thinking" in text and any(
        word in text for word in ("signature", "bound to", "cannot be modified", "must remain")
    )


def is_unprocessable_image(error: ModelFailure) -> bool:
    """Whether an image of the request was refused."""
    text = _invalid(error)
    return bool(_IMAGE.search(text)) and bool(_IMAGE_FAULT.search(text))
