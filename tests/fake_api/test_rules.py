"""Every rule of the API has a body that is refused and a neighbour that is taken."""

import base64
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import pytest

from support.fake_api import Caller, refusal

Body = dict[str, Any]

TOOL: Body = {"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}
USER: Body = {"role": "user", "content": "Hello"}
MARK: Body = {"type": "ephemeral"}
HOUR: Body = {"type": "ephemeral", "ttl": "1h"}


def body(*messages: Body, **fields: Any) -> Body:
    base: Body = {"model": "claude-sonnet-5", "max_tokens": 1000, "tools": [TOOL]}
    return {**base, **fields, "messages": list(messages) or [USER]}


def without(value: Body, name: str) -> Body:
    return {key: item for key, item in value.items() if key != name}


def user(*blocks: Body) -> Body:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Body) -> Body:
    return {"role": "assistant", "content": list(blocks)}


def text(value: str = "Hi", **extra: Any) -> Body:
    return {"type": "text", "text": value, **extra}


def call(id: str = "toolu_1", name: str = "Bash", **extra: Any) -> Body:
    return {"type": "tool_use", "id": id, "name": name, "input": {}, **extra}


def result(id: str = "toolu_1", content: Any = "ok", **extra: Any) -> Body:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **extra}


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def image(data: bytes | None = None, media_type: str = "image/png", **extra: Any) -> Body:
    encoded = base64.b64encode(png(1, 1) if data is None else data).decode()
    source = {"type": "base64", "media_type": media_type, "data": encoded}
    return {"type": "image", "source": source, **extra}


def document(media_type: str = "application/pdf", data: bytes = b"%PDF-1.7") -> Body:
    encoded = base64.b64encode(data).decode()
    return {
        "type": "document",
        "source": {"type": "base64", "media_type": media_type, "data": encoded},
    }


def after_call(*blocks: Body) -> Body:
    return body(USER, assistant(call()), user(*blocks))


Case = tuple[str, Body, str, Body]

TOP: list[Case] = [
    ("unknown field", body(foo=1), "foo: Extra inputs", body(metadata={"user_id": "u"})),
    ("metadata field", body(metadata={"a": "b"}), "metadata.a", body(metadata={})),
    ("temperature", body(temperature=1), "temperature", body(speed="fast")),
    ("top_p", body(top_p=1), "top_p", body()),
    ("top_k", body(top_k=1), "top_k", body()),
    ("no max_tokens", without(body(), "max_tokens"), "max_tokens: Field", body()),
    ("max_tokens text", body(max_tokens="1"), "max_tokens: Input", body(max_tokens=1)),
    ("max_tokens negative", body(max_tokens=-1), "greater than", body(max_tokens=0)),
    ("max_tokens limit", body(max_tokens=128_001), "128001 > 128000", body(max_tokens=128_000)),
    (
        "max_tokens of an older model",
        body(max_tokens=64_001, model="claude-haiku-4-5"),
        "64001 > 64000",
        body(max_tokens=64_000, model="claude-haiku-4-5-20251001"),
    ),
    ("stream text", body(stream="yes"), "stream", body(stream=True)),
    ("blank stop sequence", body(stop_sequences=[" "]), "non-white", body(stop_sequences=["X"])),
    ("beta field", body(context_management={}), "context_management: Extra", body()),
    ("unknown effort", body(output_config={"effort": "huge"}), "effort", body(output_config={})),
    (
        "effort on a model without it",
        body(output_config={"effort": "low"}, model="claude-haiku-4-5"),
        "does not support the effort",
        body(output_config={"effort": "low"}, model="claude-opus-4-5"),
    ),
    (
        "format without a schema",
        body(output_config={"format": {"type": "json_schema"}}),
        "output_config.format",
        body(output_config={"format": {"type": "json_schema", "schema": {}}}),
    ),
    ("choice of nothing", body(tool_choice={"type": "x"}), "tool_choice", body()),
    (
        "choice without tools",
        without(body(tool_choice={"type": "auto"}), "tools"),
        "while providing tools",
        body(tool_choice={"type": "auto"}),
    ),
    (
        "choice of an absent tool",
        body(tool_choice={"type": "tool", "name": "Nope"}),
        "'Nope' not found",
        body(tool_choice={"type": "tool", "name": "Bash"}),
    ),
    (
        "forced choice on Opus 5.5",
        body(tool_choice={"type": "any"}, model="claude-opus-5-5"),
        "not supported for this model",
        body(tool_choice={"type": "auto"}, model="claude-opus-5-5"),
    ),
    (
        "forced choice on Fable 5.1",
        body(tool_choice={"type": "any"}, model="claude-fable-5-1"),
        "not supported for this model",
        body(tool_choice={"type": "any"}, model="claude-fable-5"),
    ),
]


def thought(config: Body, model: str, **fields: Any) -> Body:
    return body(thinking=config, model=model, **fields)


ADAPTIVE: Body = {"type": "adaptive"}
ENABLED: Body = {"type": "enabled", "budget_tokens": 1024}
DISABLED: Body = {"type": "disabled"}

THINKING: list[Case] = [
    ("no such form", body(thinking={"type": "on"}), "Input tag 'on'", body(thinking=ADAPTIVE)),
    (
        "adaptive on 4.5",
        thought(ADAPTIVE, "claude-opus-4-5"),
        "thinking.type.adaptive",
        thought(ADAPTIVE, "claude-opus-4-6"),
    ),
    (
        "enabled on 4.7",
        thought(ENABLED, "claude-opus-4-7", max_tokens=2000),
        "thinking.type.enabled",
        thought(ENABLED, "claude-opus-4-6", max_tokens=2000),
    ),
    (
        "disabled on Fable",
        thought(DISABLED, "claude-fable-5"),
        "thinking.type.disabled",
        thought(DISABLED, "claude-sonnet-5-5"),
    ),
    ("disabled on Opus 5.5", thought(DISABLED, "claude-opus-5-5"), "disabled", body()),
    (
        "disabled on Opus 5 at max",
        thought(DISABLED, "claude-opus-5", output_config={"effort": "max"}),
        "with effort max",
        thought(DISABLED, "claude-opus-5", output_config={"effort": "high"}),
    ),
    (
        "small budget",
        thought({"type": "enabled", "budget_tokens": 1023}, "claude-opus-4-5", max_tokens=2000),
        "greater than or equal to 1024",
        thought(ENABLED, "claude-opus-4-5", max_tokens=2000),
    ),
    (
        "budget above max_tokens",
        thought(ENABLED, "claude-opus-4-5", max_tokens=1024),
        "`max_tokens` must be greater",
        thought(ENABLED, "claude-opus-4-5", max_tokens=1025),
    ),
    (
        "forced choice with manual thinking",
        thought(ENABLED, "claude-opus-4-5", max_tokens=2000, tool_choice={"type": "any"}),
        "forces tool use",
        thought(ENABLED, "claude-opus-4-5", max_tokens=2000, tool_choice={"type": "none"}),
    ),
    (
        "display",
        body(thinking={**ADAPTIVE, "display": "full"}),
        "display",
        body(thinking={**ADAPTIVE, "display": "summarized"}),
    ),
    (
        "binding without its beta",
        body(thinking={**ADAPTIVE, "block_binding": {}}),
        "block_binding: Extra",
        body(thinking=ADAPTIVE),
    ),
    (
        "budget on adaptive",
        body(thinking={**ADAPTIVE, "budget_tokens": 5000}),
        "adaptive.budget_tokens",
        body(thinking=ADAPTIVE),
    ),
]


def tools(*listed: Any) -> Body:
    return body(tools=list(listed))


TOOLS: list[Case] = [
    ("name characters", tools({**TOOL, "name": "a.b"}), "name: String", tools(TOOL)),
    (
        "name length",
        tools({**TOOL, "name": "a" * 129}),
        "name: String",
        tools({**TOOL, "name": "a" * 128}),
    ),
    ("same name twice", tools(TOOL, TOOL), "unique", tools(TOOL, {**TOOL, "name": "Read"})),
    ("no schema", tools(without(TOOL, "input_schema")), "input_schema: Field", tools(TOOL)),
    (
        "schema of a list",
        tools({**TOOL, "input_schema": {"type": "array"}}),
        "input_schema.type",
        tools({**TOOL, "input_schema": {"type": "object", "properties": {}}}),
    ),
    (
        "schema with anyOf on top",
        tools({**TOOL, "input_schema": {"type": "object", "anyOf": []}}),
        "oneOf, allOf, or anyOf",
        tools({**TOOL, "input_schema": {"type": "object", "properties": {"a": {"anyOf": [{}]}}}}),
    ),
    (
        "schema that is none",
        tools({**TOOL, "input_schema": {"type": "object", "properties": {"a": {"type": "text"}}}}),
        "draft 2020-12",
        tools(
            {**TOOL, "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
        ),
    ),
    (
        "unknown field of a tool",
        tools({**TOOL, "title": "x"}),
        "title: Extra",
        tools({**TOOL, "strict": True}),
    ),
    (
        "unknown server tool",
        tools({"type": "web_magic_20260101", "name": "x"}),
        "Input tag",
        tools({"type": "web_search_20260318", "name": "web_search"}),
    ),
    (
        "all tools deferred",
        tools({**TOOL, "defer_loading": True}),
        "defer_loading=false",
        tools(TOOL, {**TOOL, "name": "X", "defer_loading": True}),
    ),
    ("empty system block", body(system=[text("")]), "system: text content", body(system=[text()])),
    ("image in system", body(system=[image()]), "system.0.type", body(system="You are kind.")),
]

MESSAGES: list[Case] = [
    ("no messages", {**body(), "messages": []}, "at least one", body()),
    ("no messages field", without(body(), "messages"), "messages: Field", body()),
    ("unknown role", body({"role": "tool", "content": "x"}), "role: Input", body()),
    ("content number", body({"role": "user", "content": 1}), "content: Input", body()),
    ("message field", body({**USER, "id": "x"}), "messages.0.id", body()),
    (
        "first is the assistant",
        body(assistant(text()), USER),
        "first message",
        body(USER, assistant(text()), USER),
    ),
    (
        "system role on Sonnet",
        body(USER, {"role": "system", "content": "x"}),
        "role 'system' is not supported",
        body(USER, {"role": "system", "content": "x"}, model="claude-opus-5"),
    ),
    (
        "prefill",
        body(USER, assistant(text())),
        "assistant message prefill",
        body(USER, assistant(text()), model="claude-haiku-4-5"),
    ),
    (
        "prefill that ends in a space",
        body(USER, assistant(text("Hi ")), model="claude-haiku-4-5"),
        "trailing whitespace",
        body(
            USER,
            assistant(
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
            ),
        ),
    ),
    ("empty user message", body(user()), "non-empty content", body()),
    ("empty string", body({"role": "user", "content": ""}), "non-empty content", body()),
    (
        "empty answer",
        body(USER, assistant(), USER),
        "non-empty content",
        body(USER, assistant(), model="claude-haiku-4-5"),
    ),
    ("empty text block", body(user(text(""))), "must be non-empty", body(user(text()))),
    (
        "white space in an answer",
        body(USER, assistant(text(" \n")), USER),
        "non-whitespace",
        body(USER, assistant(text(" a")), USER),
    ),
    ("unknown block", body(user({"type": "video"})), "Input tag 'video'", body(user(image()))),
    ("call of the user", body(user(call())), "only be in `assistant`", body()),
    ("result in an answer", body(USER, assistant(result()), USER), "only be in `user`", body()),
    (
        "document in an answer",
        body(USER, assistant(document()), USER),
        "only be in `user`",
        body(user(document())),
    ),
    (
        "citations of the user",
        body(user(text(citations=[{}]))),
        "citations",
        body(user(text(citations=None))),
    ),
    ("extra block field", body(user(text(id="x"))), "text.id: Extra", body(user(text()))),
    (
        "call input text",
        body(USER, assistant(call(input="{}")), user(result())),
        "valid dictionary",
        after_call(result()),
    ),
    (
        "call name",
        body(USER, assistant(call(name="a b")), user(result())),
        "tool_use.name",
        after_call(result()),
    ),
    (
        "call id",
        body(USER, assistant(call("a b")), user(result("a b"))),
        "tool_use.id",
        after_call(result()),
    ),
    (
        "result content number",
        after_call(result(content=1)),
        "tool_result.content",
        after_call(result(content=[])),
    ),
    (
        "result block type",
        after_call(result(content=[call()])),
        "Input tag 'tool_use'",
        after_call(result(content=[image()])),
    ),
    (
        "empty text in a result",
        after_call(result(content=[text("")])),
        "must be non-empty",
        after_call(result(content="")),
    ),
    (
        "is_error text",
        after_call(result(is_error="no")),
        "valid boolean",
        after_call(result(is_error=True)),
    ),
    (
        "reference to no tool",
        after_call(result(content=[{"type": "tool_reference", "tool_name": "Nope"}])),
        "'Nope' not found",
        after_call(result(content=[{"type": "tool_reference", "tool_name": "Bash"}])),
    ),
    (
        "history without tools",
        without(after_call(result()), "tools"),
        "must define tools",
        after_call(result()),
    ),
]

PAIRING: list[Case] = [
    (
        "unanswered call",
        body(USER, assistant(call()), USER),
        "ids were found without",
        after_call(result()),
    ),
    (
        "call at the end",
        body(USER, assistant(call()), model="claude-haiku-4-5"),
        "ids were found without",
        after_call(result()),
    ),
    (
        "one of two unanswered",
        body(USER, assistant(call("a"), call("b")), user(result("a"))),
        "after: b.",
        body(USER, assistant(call("a"), call("b")), user(result("b"), result("a"))),
    ),
    (
        "text before results",
        after_call(text(), result()),
        "ids were found without",
        after_call(result(), text()),
    ),
    (
        "results in two messages",
        body(USER, assistant(call("a"), call("b")), user(result("a")), user(result("b"))),
        "after: b.",
        body(USER, assistant(call("a"), call("b")), user(result("a"), result("b"))),
    ),
    ("orphan", body(user(result())), "unexpected `tool_use_id`", after_call(result())),
    (
        "late result",
        body(USER, assistant(call()), user(result()), assistant(text()), user(result())),
        "messages.4.content.0: unexpected",
        after_call(result()),
    ),
    ("two results", after_call(result(), result()), "single result", after_call(result())),
    (
        "an id twice",
        body(USER, assistant(call()), user(result()), assistant(call()), user(result())),
        "ids must be unique",
        body(USER, assistant(call()), user(result()), assistant(call("b")), user(result("b"))),
    ),
    (
        "system message between",
        body(
            USER,
            assistant(call()),
            {"role": "system", "content": "x"},
            user(result()),
            model="claude-opus-5",
        ),
        "ids were found without",
        body(
            USER,
            assistant(call()),
            user(result()),
            {"role": "system", "content": "x"},
            model="claude-opus-5",
        ),
    ),
    (
        "text beside an unfinished server tool",
        body(
            USER,
            assistant(
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, call()
            ),
            user(result(), text()),
        ),
        "unfinished",
        body(
            USER,
            assistant(
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, call()
            ),
            user(result()),
        ),
    ),
]

SQUARE = image(png(8000, 8000))
MEDIA: list[Case] = [
    (
        "image type",
        body(user(image(media_type="image/svg+xml"))),
        "media_type",
        body(user(image())),
    ),
    (
        "another image type",
        body(user(image(media_type="image/jpeg"))),
        "appears to be a image/png",
        body(user(image())),
    ),
    ("empty image", body(user(image(b""))), "cannot be empty", body(user(image()))),
    ("cut image", body(user(image(png(1, 1)[:-6]))), "Could not process", body(user(image()))),
    ("no image", body(user(image(b"hello"))), "Could not process", body(user(image()))),
    ("large side", body(user(image(png(8001, 1)))), "8000 pixels", body(user(SQUARE))),
    (
        "large side of many",
        body(user(*[image(png(2001, 10))] * 21)),
        "2000 pixels",
        body(user(*[image(png(2000, 10))] * 21)),
    ),
    (
        "few large sides",
        body(user(*[image(png(8001, 1))] * 20)),
        "8000 pixels",
        body(user(*[image(png(2001, 10))] * 20)),
    ),
    ("large image", body(user(image(b"\0" * 4_000_000))), "exceeds 5 MB", body(user(image()))),
    (
        "large side in a result",
        after_call(result(content=[image(png(9000, 9000))])),
        "tool_result.content.0",
        after_call(result(content=[SQUARE])),
    ),
    (
        "image source",
        body(user({"type": "image", "source": {"type": "path"}})),
        "image.source",
        body(user({"type": "image", "source": {"type": "url", "url": "https://x"}})),
    ),
    ("document type", body(user(document("text/html"))), "media_type", body(user(document()))),
    ("no PDF", body(user(document(data=b"hello"))), "not valid", body(user(document()))),
]


def five(last: Body | None) -> Body:
    marks = [MARK, MARK, MARK, MARK, last]
    return body(user(*[text(cache_control=mark) if mark else text() for mark in marks]))


CACHE: list[Case] = [
    ("five marks", five(MARK), "Found 5", five(None)),
    (
        "four marks and the automatic one",
        {**five(None), "cache_control": MARK},
        "Found 5",
        body(cache_control=MARK),
    ),
    (
        "mark type",
        body(user(text(cache_control={"type": "forever"}))),
        "'ephemeral'",
        body(user(text(cache_control=MARK))),
    ),
    (
        "mark ttl",
        body(user(text(cache_control={**MARK, "ttl": "2h"}))),
        "'5m' or '1h'",
        body(user(text(cache_control=HOUR))),
    ),
    (
        "mark field",
        body(user(text(cache_control={**MARK, "scope": "x"}))),
        "scope: Extra",
        body(user(text(cache_control=MARK))),
    ),
    (
        "mark on a deferred tool",
        tools(TOOL, {**TOOL, "name": "X", "defer_loading": True, "cache_control": MARK}),
        "defer_loading=true",
        tools({**TOOL, "cache_control": MARK}, {**TOOL, "name": "X", "defer_loading": True}),
    ),
    (
        "mark on empty text",
        body(system=[text("", cache_control=MARK)]),
        "non-empty",
        body(system=[text("x", cache_control=MARK)]),
    ),
    (
        "an hour after five minutes",
        body(user(text(cache_control=HOUR)), system=[text(cache_control=MARK)]),
        "must not come after",
        body(user(text(cache_control=MARK)), system=[text(cache_control=HOUR)]),
    ),
    (
        "automatic mark with another ttl",
        body(user(text(cache_control=HOUR)), cache_control=MARK),
        "another ttl",
        body(user(text(cache_control=HOUR)), cache_control=HOUR),
    ),
]

CASES = [*TOP, *THINKING, *TOOLS, *MESSAGES, *PAIRING, *MEDIA, *CACHE]


def described(value: Mapping[str, Any]) -> str | None:
    refused = refusal(value)
    return None if refused is None else f"{refused.status} {refused.kind} {refused.message}"


@pytest.mark.parametrize(
    ("bad", "fragment", "good"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_a_rule_refuses_one_body_and_takes_its_neighbour(
    bad: Body, fragment: str, good: Body
) -> None:
    said = described(bad)
    assert said is not None
    assert said.startswith("400 invalid_request_error ")
    assert fragment in said
    assert described(good) is None


def test_an_unknown_model_is_not_found() -> None:
    said = refusal(body(model="claude-unheard-of"))
    assert said is not None
    assert (said.status, said.kind) == (404, "not_found_error")


@pytest.mark.parametrize(
    ("raw", "status", "fragment"),
    [
        (b"{", 400, "not valid JSON"),
        (b"[]", 400, "an object"),
        (json.dumps(body()).encode().replace(b"Hello", b"\xff"), 400, "invalid UTF-8"),
        (json.dumps(body()).encode().replace(b"Hello", b"\\ud83d"), 400, "low surrogate"),
        (json.dumps(body(user(text("x" * (32 * 1024 * 1024))))).encode(), 413, "maximum size"),
    ],
    ids=["cut", "list", "utf-8", "surrogate", "size"],
)
def test_bytes_that_are_no_request_are_refused(raw: bytes, status: int, fragment: str) -> None:
    said = refusal(raw)
    assert said is not None
    assert (said.status, fragment in said.message) == (status, True)


def test_a_whole_surrogate_pair_is_text() -> None:
    raw = json.dumps(body()).encode().replace(b"Hello", b"\\ud83d\\ude00")
    assert refusal(raw) is None


@pytest.mark.parametrize(
    ("fields", "beta"),
    [
        ({"context_management": {"edits": []}}, "context-management-2025-06-27"),
        ({"thinking": {**ADAPTIVE, "block_binding": {}}}, "thinking-binding-controls-2026-08-01"),
        ({"output_config": {"task_budget": {}}}, "task-budgets-2026-03-13"),
    ],
)
def test_a_beta_opens_its_field(fields: Body, beta: str) -> None:
    assert refusal(body(**fields)) is not None
    assert refusal(body(**fields), Caller(betas=frozenset({beta}))) is None


def test_sampling_is_taken_under_the_old_version() -> None:
    assert refusal(body(temperature=1), Caller(version="2023-06-01")) is None


def test_counting_takes_no_output_fields() -> None:
    assert refusal(without(body(), "max_tokens"), counting=True) is None
    said = refusal(body(), counting=True)
    assert said is not None
    assert said.message == "max_tokens: Extra inputs are not permitted"


SEARCH: Body = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
FOUND: Body = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}


def test_a_paused_answer_is_finished_by_the_next_one() -> None:
    assert refusal(body(USER, assistant(SEARCH), assistant(FOUND, text()), USER)) is None
    assert refusal(body(USER, assistant(SEARCH), assistant(text()), USER)) is not None
