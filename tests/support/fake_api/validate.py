"""The validator: raw body in, the API's refusal out."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from support.fake_api import (
    rules_blocks,
    rules_body,
    rules_cache,
    rules_media,
    rules_messages,
    rules_thinking,
    rules_tools,
)
from support.fake_api.models import find_model
from support.fake_api.raw import read_raw
from support.fake_api.request import Judged, Problems, Refusal

MAX_BYTES = 32 * 1024 * 1024
_LONE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_EARLY: tuple[Callable[[Judged], Problems], ...] = (
    *rules_body.RULES,
    *rules_messages.SHAPE_RULES,
    *rules_tools.RULES,
)
_LATE: tuple[Callable[[Judged], Problems], ...] = (
    *rules_blocks.RULES,
    *rules_messages.RULES,
    *rules_media.RULES,
    *rules_cache.RULES,
    *rules_thinking.RULES,
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: betas and version from the headers, the account of the key."""

    betas: frozenset[str] = frozenset()
    version: str = "2026-10-21"
    account: str = "main"
    enforce_binding: bool = True


def _invalid(message: str) -> Refusal:
    return Refusal(400, "invalid_request_error", message)


def parse(raw: bytes) -> dict[str, Any] | Refusal:
    """The body as an object, or why it is none."""
    if len(raw) > MAX_BYTES:
        return Refusal(413, "request_too_large", "Request exceeds the maximum size")
    try:
        body = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _invalid(f"The request body is not valid JSON: invalid UTF-8 at {error.start}")
    except (ValueError, RecursionError) as error:
        return _invalid(f"The request body is not valid JSON: {error}")
    if not isinstance(body, dict):
        return _invalid("Input should be an object")
    if _ESCAPED_SURROGATE.search(raw) and _LONE.search(json.dumps(body, ensure_ascii=False)):
        return _invalid("The request body is not valid JSON: no low surrogate in string")
    return body


def judge(raw: bytes, caller: Caller, *, counting: bool = False) -> Judged | Refusal:
    """The request as the rules see it, or the first refusal."""
    body = parse(raw)
    if isinstance(body, Refusal):
        return body
    model = body.get("model")
    if not isinstance(model, str):
        return _invalid("model: Field required")
    facts = find_model(model)
    if facts is None:
        return Refusal(404, "not_found_error", f"model: {model}")
    request = Judged(
        body=body,
        raw=read_raw(raw),
        facts=facts,
        betas=caller.betas,
        version=caller.version,
        account=caller.account,
        counting=counting,
        enforce_binding=caller.enforce_binding,
    )
    for rules in (_EARLY, _LATE):
        for rule in rules:
            for message in rule(request):
                return _invalid(message)
    return request


def refusal(
    body: Mapping[str, Any] | bytes, caller: Caller | None = None, *, counting: bool = False
) -> Refusal | None:
    """What the API would say to a body, None when it takes it; for property tests."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    judged = judge(raw, caller or Caller(), counting=counting)
    return judged if isinstance(judged, Refusal) else None
