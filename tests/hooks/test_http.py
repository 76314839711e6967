"""Http hooks against a real server on loopback."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hames.hooks.events import HookEvent, pre_tool_use, stop
from hames.hooks.policy import HookPolicy
from hames.hooks.result import Outcome
from support.hook_session import bench, context, one
from support.patience import bound

BASH = pre_tool_use("Bash", {"command": "ls"}, "t")
Writer = asyncio.StreamWriter


@dataclass
class Server:
    """Answers every request with the same bytes, and keeps what it got."""

    reply: bytes
    hang: bool = False
    heads: list[str] = field(default_factory=list[str])
    bodies: list[bytes] = field(default_factory=list[bytes])

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        length = next(
            int(line.split(":")[1])
            for line in head.lower().split("\r\n")
            if line.startswith("content-length")
        )
        self.bodies.append(await reader.readexactly(length))
        writer.write(self.reply)
        if self.hang:
            await reader.read()
        writer.close()


def reply(body: str, status: str = "200 OK", extra: str = "") -> bytes:
    data = body.encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(data)}\r\n{extra}\r\n".encode() + data


def fire(
    tmp_path: Path,
    server: Server,
    event: HookEvent = BASH,
    policy: HookPolicy | None = None,
    env: dict[str, str] | None = None,
    **keys: Any,
) -> Outcome:
    async def run() -> Outcome:
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        handler = {"type": "http", "url": f"http://127.0.0.1:{port}/hook?a=1", **keys}
        made = bench(
            tmp_path, one(event.name, handler), policy or HookPolicy(), None, **(env or {})
        )
        async with listening:
            return await made.engine.fire(event, context(tmp_path))

    return asyncio.run(run())


def test_the_input_is_posted_and_the_answer_counts(tmp_path: Path) -> None:
    server = Server(reply('{"decision":"block","reason":"policy"}'))
    outcome = fire(tmp_path, server)
    assert (outcome.blocked, outcome.reason) == (True, "policy")
    assert server.heads[0].startswith("POST /hook?a=1 HTTP/1.1\r\nHost: 127.0.0.1:")
    given = json.loads(server.bodies[0])
    assert (given["hook_event_name"], given["tool_input"]) == ("PreToolUse", {"command": "ls"})


def test_a_chunked_answer_is_read(tmp_path: Path) -> None:
    body = b'{"systemMessage":"hi"}'
    chunks = b"b\r\n" + body[:11] + b"\r\nb\r\n" + body[11:] + b"\r\n0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert fire(tmp_path, Server(head + chunks)).system_messages == ("hi",)


@pytest.mark.parametrize("body", ["", "  \n"])
def test_an_empty_answer_is_silence(tmp_path: Path, body: str) -> None:
    outcome = fire(tmp_path, Server(reply(body, "204 No Content" if not body else "200 OK")))
    assert outcome == Outcome(runs=outcome.runs)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (reply("ok"), "answered with something else than JSON"),
        (reply("[]"), "answered with something else than JSON"),
        (reply('{"decision":"block"}', "500 Oops"), "answered with status 500"),
        (
            reply("", "302 Found", "Location: http://127.0.0.1:1/\r\n"),
            "answered with status 302",
        ),
        (b"SSH-2.0-OpenSSH\r\n", "no answer from"),
        (b"", "no answer from"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "no answer from"),
    ],
)
def test_any_other_answer_is_an_error_that_blocks_nothing(
    tmp_path: Path, sent: bytes, why: str
) -> None:
    outcome = fire(tmp_path, Server(sent))
    assert not outcome.blocked
    assert why in outcome.notices[0]
    assert fire(tmp_path, Server(sent), onFailure="block").blocked


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    handler = {"type": "http", "url": "http://me:pass@127.0.0.1:1/?token=secret"}
    made = bench(tmp_path, one("Stop", handler))
    outcome = asyncio.run(made.engine.fire(stop(False), context(tmp_path)))
    assert "no answer from http://127.0.0.1:1/: " in outcome.notices[0]
    assert "secret" not in outcome.notices[0]
    assert "pass" not in outcome.notices[0]


def test_a_server_that_hangs_costs_its_timeout(tmp_path: Path) -> None:
    server = Server(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", hang=True)
    began = time.monotonic()
    outcome = fire(tmp_path, server, timeout=0.1)
    assert time.monotonic() - began < bound(2)
    assert [run.outcome for run in outcome.runs] == ["cancelled"]


@pytest.mark.parametrize("url", ["ftp://h/", "http:///x", "not a url", "http://[::1"])
def test_an_unusable_address_is_told(tmp_path: Path, url: str) -> None:
    made = bench(tmp_path, one("Stop", {"type": "http", "url": url}))
    outcome = asyncio.run(made.engine.fire(stop(False), context(tmp_path)))
    assert "no answer from" in outcome.notices[0]


def test_headers_hold_only_variables_that_both_lists_allow(tmp_path: Path) -> None:
    server = Server(reply(""))
    fire(
        tmp_path,
        server,
        policy=HookPolicy(env_names=("A", "B")),
        env={"A": "one\r\nX-Evil: 1", "C": "three", "D": "four"},
        headers={"X-All": "$A-${B}-$C-$D!", "Host": "evil", "Content-Length": "0"},
        allowedEnvVars=["A", "B", "C"],
    )
    head = server.heads[0]
    assert "X-All: oneX-Evil: 1---!\r\n" in head
    assert "evil\r\n" not in head.lower().replace("x-evil", "")


@pytest.mark.parametrize(
    ("urls", "called"),
    [
        (None, True),
        ((), False),
        (("http://127.0.0.1:*",), True),
        (("https://hooks.example.com/*", "http://127.0.0.1:*/hook*"), True),
        (("http://127.0.0.2:*",), False),
        (("http://127.0.0.1",), False),
    ],
)
def test_only_allowed_addresses_are_called(
    tmp_path: Path, urls: tuple[str, ...] | None, called: bool
) -> None:
    server = Server(reply('{"decision":"block"}'))
    outcome = fire(tmp_path, server, policy=HookPolicy(urls=urls))
    assert (len(server.heads), outcome.blocked) == (int(called), called)
    if not called:
        assert "is not in allowedHttpHookUrls" in outcome.notices[0]
