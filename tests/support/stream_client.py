"""A program that talks to hames over stream-json, line by line, with every wait bounded."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WAIT = 30.0
Message = dict[str, Any]


class StreamClient:
    """One hames process. `seen` holds every message of stdout so far, oldest first."""

    def __init__(self, arguments: tuple[str, ...], env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "hames", "--output-format", "stream-json", "--verbose"),
                *arguments,
                *("--input-format", "stream-json"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                "PATH": os.environ["PATH"],
                "HOME": os.environ["HOME"],
                "PYTHONPATH": ":".join(sys.path),
                "ANTHROPIC_API_KEY": "k",
                **env,
            },
        )
        self.seen: list[Message] = []
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._number = 0

    def start_reading(self) -> None:
        """Take what hames writes; before this its stdout fills up."""
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def write(self, data: bytes) -> None:
        """Raw bytes to stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Message) -> None:
        """One message as a line."""
        self.write(json.dumps(message).encode() + b"\n")

    def say(self, content: Any, **keys: Any) -> None:
        """A user message."""
        message = {"role": "user", "content": content}
        self.send({"type": "user", "message": message, **keys})

    def request(self, subtype: str, **body: Any) -> str:
        """A control request; its id."""
        self._number += 1
        request_id = f"req_{self._number}"
        body = {"subtype": subtype, **body}
        self.send({"type": "control_request", "request_id": request_id, "request": body})
        return request_id

    def answer(self, question: Message, value: Message) -> None:
        """The answer to a request of hames."""
        response = {
            "subtype": "success",
            "request_id": question["request_id"],
            "response": value,
        }
        self.send({"type": "control_response", "response": response})

    def next(self, wanted: Callable[[Message], bool], timeout: float = WAIT) -> Message:
        """The next message that is wanted; what comes before it is kept in `seen`."""
        deadline = time.monotonic() + timeout
        while True:
            line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            assert line, f"hames ended: {self.seen[-3:]}"
            message: Message = json.loads(line)
            assert len(line) < 1 << 20
            self.seen.append(message)
            if wanted(message):
                return message

    def response(self, request_id: str, timeout: float = WAIT) -> Message:
        """The answer to a control request, also when it came already."""

        def fits(message: Message) -> bool:
            inner = message.get("response")
            return isinstance(inner, dict) and inner.get("request_id") == request_id

        for message in self.seen:
            if fits(message):
                return dict(message["response"])
        return dict(self.next(fits, timeout)["response"])

    def result(self) -> Message:
        """The next result."""
        return self.next(lambda message: message["type"] == "result")

    def question(self) -> Message:
        """The next request of hames."""
        return self.next(lambda message: message["type"] == "control_request")

    def finish(self) -> int:
        """Close stdin and read to the end; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        """Read to the end of stdout; the exit code."""
        while line := self._lines.get(timeout=WAIT):
            self.seen.append(json.loads(line))
        return self.process.wait(WAIT)

    @property
    def stderr(self) -> str:
        """What was written to stderr, after the end."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def of(self, kind: str, subtype: str | None = None) -> list[Message]:
        """The seen messages of a type."""
        return [
            message
            for message in self.seen
            if message["type"] == kind and subtype in (None, message.get("subtype"))
        ]


@contextmanager
def stream_client(
    url: str,
    *arguments: str,
    reading: bool = True,
    env: Mapping[str, str] | None = None,
) -> Generator[StreamClient]:
    """A client of a new process, which is killed at the end if it still runs."""
    client = StreamClient(arguments, {"ANTHROPIC_BASE_URL": url, **(env or {})})
    if reading:
        client.start_reading()
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait(WAIT)
        for pipe in (client.process.stdin, client.process.stdout, client.process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


def transcripts() -> list[Path]:
    """The session files of the test's home."""
    return sorted((Path.home() / ".claude" / "projects").glob("*/*.jsonl"))
