"""The least that a Python agent could do before its first request: `python floor.py URL`.

Imports asyncio, click and httpx2 and sends one streaming request for a message.
"""

import asyncio
import sys

import click
import httpx2

BODY = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    "stream": True,
}
HEADERS = {"x-api-key": "sk-floor", "anthropic-version": "2023-06-01"}


async def ask(url: str) -> None:
    """One request, its answer read to the end."""
    async with (
        httpx2.AsyncClient() as client,
        client.stream("POST", f"{url}/v1/messages", json=BODY, headers=HEADERS) as response,
    ):
        async for _ in response.aiter_bytes():
            pass


@click.command()
@click.argument("url")
def main(url: str) -> None:
    """Ask once."""
    asyncio.run(ask(url))


if __name__ == "__main__":
    main(sys.argv[1:])
