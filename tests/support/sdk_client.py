"""The published agent SDK with hames as its program and the fake API behind it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    Message,
    ResultMessage,
    TextBlock,
    query,
)

from support.fake_api import FakeApi
from support.launcher import hames_launcher


@dataclass
class Bench:
    """One API and what programs need to reach it; `stderr` collects every line of stderr."""

    api: FakeApi
    program: Path
    work: Path
    stderr: list[str] = field(default_factory=list[str])

    def options(self, **options: Any) -> ClaudeAgentOptions:
        """Options of the SDK for this bench."""
        env = {"ANTHROPIC_BASE_URL": self.api.url, "ANTHROPIC_API_KEY": "k"}
        return ClaudeAgentOptions(
            cli_path=self.program,
            cwd=self.work,
            env={**env, **options.pop("env", {})},
            stderr=self.stderr.append,
            **options,
        )

    async def ask(self, prompt: str, **options: Any) -> list[Message]:
        """All messages of one `query`."""
        return [message async for message in query(prompt=prompt, options=self.options(**options))]

    def client(self, **options: Any) -> ClaudeSDKClient:
        """A client that is not connected yet."""
        return ClaudeSDKClient(self.options(**options))


@asynccontextmanager
async def sdk_bench(**api: Any) -> AsyncGenerator[Bench]:
    """A bench in the current directory; a good run refuses nothing and says nothing on stderr."""
    async with FakeApi(**api) as fake:
        bench = Bench(fake, hames_launcher(Path.cwd().parent), Path.cwd())
        yield bench
        assert fake.refusals == []
        assert bench.stderr == []


async def answer_of(client: ClaudeSDKClient, prompt: str) -> list[Message]:
    """Send a prompt; all messages up to its result."""
    await client.query(prompt)
    return [message async for message in client.receive_response()]


def result_of(messages: list[Message]) -> ResultMessage:
    """The one result, which is the last message."""
    results = [m for m in messages if isinstance(m, ResultMessage)]
    assert results == [messages[-1]]
    return results[0]


def texts_of(messages: list[Message]) -> list[str]:
    """The texts that the model wrote."""
    return [
        block.text
        for message in messages
        if isinstance(message, AssistantMessage)
        for block in message.content
        if isinstance(block, TextBlock)
    ]


def run_with(test: Callable[[Bench], Awaitable[None]], **api: Any) -> None:
    """Run a test with a bench, for at most a minute."""

    async def main() -> None:
        async with asyncio.timeout(60), sdk_bench(**api) as bench:
            await test(bench)

    asyncio.run(main())
