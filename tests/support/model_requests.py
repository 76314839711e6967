"""Requests to language models and environments, for tests of the clients."""

import json
from typing import Any

from hames.harness.models.port import ModelRequest

MODEL = "claude-sonnet-5"


def api_env(url: str, **more: str) -> dict[str, str]:
    """The environment of a client of the fake Messages API."""
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-test-secret", **more}


def request_body(prompt: str = "hello", **fields: Any) -> bytes:
    """A valid body with one user message."""
    messages = [{"role": "user", "content": prompt}]
    body = {"model": MODEL, "max_tokens": 1000, "stream": True, "messages": messages, **fields}
    return json.dumps(body).encode()


def model_request(model: str = MODEL, **options: Any) -> ModelRequest:
    """A request of the port; options are its other fields."""
    options.setdefault("body", request_body(model=model))
    return ModelRequest(model=model, **options)
