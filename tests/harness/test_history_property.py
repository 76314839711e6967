"""Whatever happened to a transcript, the next request is one that the API takes."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.harness.chain import conversation
from hames.harness.projection import messages
from hames.harness.record import Record
from hames.harness.request import RequestBuilder, encode
from hames.harness.rounds import INTERRUPTED_CALL, is_api_message
from hames.harness.state import SessionState
from hames.harness.transcript import Header, Transcript, assistant_entries, user_entry
from hames.system.types import JsonObject
from support.fake_api import Caller, prefix_breaks, read_raw, refusal
from support.histories import PREFIX, broken_history, naive_messages, valid_history

MODELS = ("claude-sonnet-5", "claude-opus-5-5")
CALLER = Caller(betas=frozenset({"thinking-binding-controls-2026-08-01"}))
SEEDS = st.integers(0, 2**40)


def parameters(model: str) -> JsonObject:
    """What a session sends after thinking had to be repaired once."""
    binding = {"prefix_mismatch_behavior": "drop_block"}
    thinking: JsonObject = {"type": "adaptive", "block_binding": binding}
    return {"model": model, "max_tokens": 1000, "thinking": thinking}


def resumed(entries: list[JsonObject]) -> Record:
    """The session after a restart and a new prompt."""
    transcript = Transcript(None, Header("s", "/w"))
    record = Record(transcript, SessionState(Path("/w"), "default"), entries)
    record.append([user_entry("Go on")])
    return record


def said(record: Record, model: str) -> tuple[bytes, str | None]:
    """The body and what the API says against it."""
    body = RequestBuilder(PREFIX).build(record.messages, parameters(model))
    found = refusal(body, CALLER)
    return body, None if found is None else found.message


def blocks(listed: list[JsonObject], kind: str) -> list[JsonObject]:
    return [b for m in listed for b in m["content"] if isinstance(b, dict) and b["type"] == kind]


def entry_blocks(entries: list[JsonObject], kind: str) -> list[JsonObject]:
    found: list[JsonObject] = []
    for entry in entries:
        message = entry.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            found += [b for b in content if b.get("type") == kind]
    return found


@pytest.mark.property
@pytest.mark.parametrize("model", MODELS)
@given(seed=SEEDS)
def test_a_good_history_is_sent_whole(model: str, seed: int) -> None:
    entries = valid_history(Random(seed), model)
    body = RequestBuilder(PREFIX).build(messages(entries), {"model": model, "max_tokens": 1000})
    assert refusal(body) is None
    chain = conversation(entries)
    sent = {b["id"] for b in blocks(messages(entries), "tool_use")}
    assert sent == {b["id"] for b in entry_blocks(chain, "tool_use")}


@pytest.mark.property
@pytest.mark.parametrize("model", MODELS)
@given(seed=SEEDS)
def test_a_broken_history_becomes_a_request_that_the_api_takes(model: str, seed: int) -> None:
    record = resumed(broken_history(Random(seed), model))
    assert said(record, model)[1] is None


@pytest.mark.property
@given(seed=SEEDS)
def test_repair_keeps_every_real_result(seed: int) -> None:
    entries = broken_history(Random(seed), MODELS[0])
    record = resumed(entries)
    real: dict[str, list[object]] = {}
    for block in entry_blocks([e for e in entries if e.get("type") == "user"], "tool_result"):
        real.setdefault(str(block.get("tool_use_id")), []).append(block.get("content"))
    for result in blocks(record.messages, "tool_result"):
        if result["tool_use_id"] in real:
            assert result["content"] != INTERRUPTED_CALL
    spoken = [e for e in conversation(record.entries) if is_api_message(e)]
    assistants = [e for e in spoken if e["type"] == "assistant"]
    calls = {b["id"] for b in entry_blocks(assistants, "tool_use") if b.get("id")}
    assert {b["id"] for b in blocks(record.messages, "tool_use")} == calls


@pytest.mark.property
@given(seed=SEEDS)
def test_a_repaired_history_keeps_the_prefix_law(seed: int) -> None:
    record = resumed(broken_history(Random(seed), MODELS[0]))
    builder = RequestBuilder(PREFIX)
    before = builder.build(record.messages, parameters(MODELS[0]))
    message = {"id": "msg_new", "type": "message", "role": "assistant", "model": MODELS[0]}
    record.append(assistant_entries(message, [{"type": "text", "text": "Yes."}]))
    record.append([user_entry("And then?")])
    after = builder.build(record.messages, parameters(MODELS[0]))
    assert prefix_breaks(read_raw(before), read_raw(after)) == []
    assert refusal(after, CALLER) is None
    assert record.messages == messages(record.entries)


def test_most_broken_histories_would_be_refused_without_repair() -> None:
    refused = 0
    for seed in range(200):
        random = Random(seed)
        model = random.choice(MODELS)
        entries = [*broken_history(random, model), {**user_entry("Go on"), "uuid": "next"}]
        body = {**parameters(model), "system": list(PREFIX.system), "tools": list(PREFIX.tools)}
        raw = encode({**body, "messages": naive_messages(json.loads(json.dumps(entries)))})
        refused += refusal(raw, CALLER) is not None
    assert refused > 100
