"""`hames -p` reaches every service of the SDK, with a tool call on the way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.fake_api import FakeApi, running_fake_api, tool_use, turn
from support.fake_api.clouds import FakeBedrock, FakeVertex

SERVICES = {
    "sdk": (FakeApi, "ANTHROPIC_BASE_URL", {"HAMES_MODEL_CLIENT": "sdk", "ANTHROPIC_API_KEY": "k"}),
    "bedrock": (
        FakeBedrock,
        "ANTHROPIC_BEDROCK_BASE_URL",
        {
            "CLAUDE_CODE_USE_BEDROCK": "1",
            "AWS_REGION": "eu-west-1",
            "AWS_BEARER_TOKEN_BEDROCK": "k",
        },
    ),
    "vertex": (
        FakeVertex,
        "ANTHROPIC_VERTEX_BASE_URL",
        {
            "CLAUDE_CODE_USE_VERTEX": "1",
            "CLOUD_ML_REGION": "global",
            "ANTHROPIC_VERTEX_PROJECT_ID": "project-1",
            "CLAUDE_CODE_SKIP_VERTEX_AUTH": "1",
        },
    ),
}


@pytest.mark.parametrize("service", list(SERVICES))
def test_a_turn_with_a_call_runs_through(service: str) -> None:
    kind, url, variables = SERVICES[service]
    Path("a.txt").write_text("alpha\n", encoding="utf-8")
    with running_fake_api(kind) as api:
        call = tool_use("Read", {"file_path": str(Path("a.txt").absolute())}, id="toolu_1")
        api.reply(turn(call), turn("Done."))
        done = subprocess.run(
            [sys.executable, "-m", "hames", "-p", "hello", "--model", "claude-sonnet-4-6"],
            env={
                "PATH": os.environ["PATH"],
                "HOME": os.environ["HOME"],
                "PYTHONPATH": ":".join(sys.path),
                url: api.url,
                **variables,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
        assert "alpha" in str(api.calls[1].results["toolu_1"]["content"])
        assert (api.refusals, api.left) == ([], 0)
