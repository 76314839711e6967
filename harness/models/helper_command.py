"""The `apiKeyHelper` setting: a command that prints the key."""

from collections.abc import Mapping
from pathlib import Path

from hames.harness.errors import AuthError
from hames.system.process import Command, run

SECONDS = 60.0
MAX_BYTES = 65_536


async def run_helper(command: str, cwd: Path, env: Mapping[str, str]) -> str:
    """What the command printed. Raises AuthError, which never repeats its output."""
    try:
        done = await run(
            Command(("/bin/sh", "-c", command), cwd, env), timeout=SECONDS, limit=MAX_BYTES
        )
    except OSError as error:
        raise AuthError(f"apiKeyHelper could not be started: {error.strerror}") from None
    if done.timed_out or done.exit is None:
        raise AuthError(f"apiKeyHelper did not end within {SECONDS:g} seconds")
    if done.exit.code != 0:
        raise AuthError(f"apiKeyHelper failed with exit code {done.exit.code}; it prints the key")
    return done.stdout.decode("utf-8", "replace")
