"""`hames auth` tells where a credential comes from and never shows it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hames.cli.commands.auth import command


def auth(*words: str) -> Result:
    return CliRunner().invoke(command, words, standalone_mode=False)


def test_without_a_credential_requests_cannot_be_sent() -> None:
    result = auth("status")
    assert (result.return_value, json.loads(result.output)) == (
        1,
        {
            "loggedIn": False,
            "apiKeySource": "none",
            "provider": "messages-api",
            "baseUrl": "https://api.anthropic.com",
            "profile": "first-party",
        },
    )


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_credential_is_named_and_not_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "sk-secret-value")
    result = auth("status")
    assert result.return_value == 0
    assert json.loads(result.output)["apiKeySource"] == name
    assert "secret" not in result.output + auth("status", "--text").output


def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080/v1x")
    result = auth("status", "--text")
    assert result.return_value == 0
    assert "http://127.0.0.1:8080" in result.output


def test_a_helper_of_the_user_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{"apiKeyHelper": "echo key"}', encoding="utf-8")
    assert json.loads(auth("status").output)["apiKeySource"] == "apiKeyHelper"


@pytest.mark.parametrize("word", ["login", "logout"])
def test_there_is_no_account(word: str) -> None:
    result = auth(word)
    assert result.return_value == 1
    assert result.output.strip()
