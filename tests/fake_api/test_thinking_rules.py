"""Thinking blocks come back as they were, where they were, or the request is refused."""

import copy
import json
from typing import Any

import pytest

from support.fake_api import Caller, Prefix, read_raw, refusal, sign

Body = dict[str, Any]

TOOL: Body = {"name": "Bash", "input_schema": {"type": "object"}}
SYSTEM = [{"type": "text", "text": "Be brief."}]
BINDING = frozenset({"thinking-binding-controls-2026-08-01"})


def conversation(model: str = "claude-opus-5-5", account: str = "main") -> Body:
    """Two answers, each with a thinking block signed for its place."""
    body: Body = {"model": model, "max_tokens": 1000, "system": SYSTEM, "tools": [TOOL]}
    body["messages"] = [{"role": "user", "content": "Hello"}]
    for number in (1, 2):
        raw = read_raw(json.dumps(body).encode())
        prefix = Prefix(raw.tools, raw.system, raw.messages)
        thought = f"thought {number}"
        signature = sign(model, account, prefix, thought)
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "ok"}
        body["messages"] += [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": thought, "signature": signature},
                    {"type": "text", "text": "I run it."},
                    call,
                ],
            },
            {"role": "user", "content": [result]},
        ]
    return body


def said(body: Body, **options: Any) -> str | None:
    found = refusal(body, Caller(**options))
    return None if found is None else found.message


def blocks(body: Body, message: int) -> list[Body]:
    found: list[Body] = body["messages"][message]["content"]
    return found


def test_an_untouched_conversation_is_taken() -> None:
    assert said(conversation()) is None


def test_cache_marks_do_not_belong_to_the_prefix() -> None:
    body = conversation()
    body["system"] = [{**SYSTEM[0], "cache_control": {"type": "ephemeral"}}]
    body["tools"] = [{"cache_control": {"type": "ephemeral"}, **TOOL}]
    blocks(body, 2)[0]["cache_control"] = {"type": "ephemeral", "ttl": "5m"}
    assert said(body) is None


def edit_system(body: Body) -> None:
    body["system"] = [{"type": "text", "text": "Be long."}]


def edit_tools(body: Body) -> None:
    body["tools"] = [{**TOOL, "description": "Runs."}]


def edit_first_message(body: Body) -> None:
    body["messages"][0]["content"] = "Hello!"


def edit_result(body: Body) -> None:
    blocks(body, 2)[0]["content"] = "[cleared]"


def drop_earlier_thinking(body: Body) -> None:
    del blocks(body, 1)[0]


@pytest.mark.parametrize(
    ("edit", "first"),
    [
        (edit_system, "messages.1.content.0"),
        (edit_tools, "messages.1.content.0"),
        (edit_first_message, "messages.1.content.0"),
        (edit_result, "messages.3.content.0"),
        (drop_earlier_thinking, "messages.3.content.0"),
    ],
)
def test_a_changed_prefix_is_refused_where_thinking_is_bound(edit: Any, first: str) -> None:
    body = conversation()
    edit(body)
    message = said(body)
    assert message is not None
    assert message.startswith(f"{first}: Invalid `signature`")
    assert "bound to a different conversation" in message


def test_a_changed_prefix_passes_on_models_that_do_not_bind() -> None:
    body = conversation("claude-sonnet-5")
    edit_system(body)
    assert said(body) is None


def test_a_changed_prefix_passes_where_binding_is_not_enforced() -> None:
    body = conversation()
    edit_system(body)
    assert said(body, enforce_binding=False) is None


def test_drop_block_excuses_a_changed_prefix() -> None:
    body = conversation()
    edit_system(body)
    behaviour = {"prefix_mismatch_behavior": "drop_block"}
    body["thinking"] = {"type": "adaptive", "block_binding": behaviour}
    assert said(body, betas=BINDING) is None


def test_thinking_of_another_model_passes() -> None:
    body = conversation("claude-opus-5-5")
    body["model"] = "claude-sonnet-5-5"
    edit_system(body)
    assert said(body) is None


def test_thinking_of_another_account_is_refused_where_it_is_bound() -> None:
    assert said(conversation("claude-haiku-5-5"), account="other") is not None
    assert said(conversation("claude-opus-5-5"), account="other") is None


@pytest.mark.parametrize("model", ["claude-sonnet-5", "claude-opus-5-5"])
def test_thinking_text_cannot_be_edited(model: str) -> None:
    body = conversation(model)
    blocks(body, 3)[0]["thinking"] = "thought 2, edited"
    assert "cannot be modified" in str(said(body))


@pytest.mark.parametrize("model", ["claude-sonnet-5", "claude-opus-5-5"])
def test_a_made_up_signature_is_refused(model: str) -> None:
    body = conversation(model)
    blocks(body, 1)[0]["signature"] = "c2ln"
    assert said(body) == "messages.1.content.0: Invalid `signature` in `thinking` block"


def test_a_signature_is_needed() -> None:
    body = conversation()
    del blocks(body, 1)[0]["signature"]
    assert said(body) == "messages.1.content.0.thinking.signature: Field required"


def test_an_answer_never_ends_in_thinking() -> None:
    body = conversation()
    answer = copy.deepcopy(body["messages"][3])
    answer["content"] = answer["content"][:1]
    body["messages"] = [*body["messages"][:3], answer, {"role": "user", "content": "Go on"}]
    assert "final block in an assistant message cannot be `thinking`" in str(said(body))


def test_a_cache_mark_on_thinking_is_refused() -> None:
    body = conversation()
    blocks(body, 1)[0]["cache_control"] = {"type": "ephemeral"}
    assert "thinking.cache_control: Extra inputs" in str(said(body))


def test_manual_thinking_wants_its_block_before_the_last_calls() -> None:
    body = conversation("claude-opus-4-5")
    body |= {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4000}
    assert said(body) is None
    del blocks(body, 1)[0]
    assert said(body) is None
    del blocks(body, 3)[0]
    assert "Expected `thinking` or `redacted_thinking`" in str(said(body))
