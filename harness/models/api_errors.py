"""Answers that are errors -> ApiError; also those of gateways with other shapes."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hames.harness.models.categories import BY_KIND, kind_of_status
from hames.harness.models.port import ApiError
from hames.system.types import JsonObject, as_object

MAX_MESSAGE = 1000


def error_of_response(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error of an answer with a status other than 200; `headers` have lower-case names."""
    kind, message = _kind_and_message(_parse(body))
    if 300 <= status < 400:
        message = f"redirected to {headers.get('location', '?')}: set ANTHROPIC_BASE_URL to it"
    return ApiError(
        status=status,
        kind=kind if kind in BY_KIND else kind_of_status(status),
        message=_shorten(message or _plain(body) or f"status {status} without a text"),
        retry_after=retry_after(headers),
        request_id=headers.get("request-id"),
        headers=headers,
    )


def error_of_event(event: JsonObject, headers: Mapping[str, str]) -> ApiError:
    """The error of an `error` event."""
    kind, message = _kind_and_message(event)
    return ApiError(
        status=None,
        kind=kind or "api_error",
        message=_shorten(message or "the stream reported an error without a text"),
        request_id=headers.get("request-id"),
        in_stream=True,
        headers=headers,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after` (a number or a date); None if unusable."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        try:
            seconds = float(text) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        when = datetime.strptime(headers.get("retry-after", ""), "%a, %d %b %Y %H:%M:%S GMT")
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds())


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _kind_and_message(value: Any) -> tuple[str, str]:
    """`{"error":{"type","message"}}`, `{"error":"text"}`, `{"message"}` or `{"detail"}`."""
    members = as_object(value)
    if members is None:
        return "", ""
    error = members.get("error")
    inner = as_object(error)
    if inner is not None:
        return str(inner.get("type") or ""), str(inner.get("message") or "")
    for found in (error, members.get("message"), members.get("detail")):
        if found:
            return "", found if isinstance(found, str) else json.dumps(found)
    return "", ""


def _plain(body: bytes) -> str:
    text = body[:MAX_MESSAGE].decode("utf-8", "replace")
    return "" if text.lstrip().startswith("<") else text


def _shorten(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())[:MAX_MESSAGE]
