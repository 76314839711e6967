"""Endpoint, credentials, profile and proxy from the environment."""

import asyncio
import os
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from hames import __version__
from hames.harness.errors import AuthError, ConfigError
from hames.harness.models.api_errors import error_of_response, retry_after
from hames.harness.models.attempts import Completed, Retrying, stream_with_retries
from hames.harness.models.credentials import (
    CommandCredentials,
    Credentials,
    given_credentials,
    helper_ttl,
)
from hames.harness.models.endpoint import Origin, custom_headers, endpoint_of
from hames.harness.models.factory import make_client
from hames.harness.models.port import ApiError
from hames.harness.models.profiles import FIRST_PARTY, GATEWAY, profile_of
from hames.harness.models.proxy import Proxy, proxy_for
from hames.harness.models.retry import RetryBudget, RetryPolicy
from support.fake_api import FakeApi, error, turn
from support.model_requests import api_env, model_request

API = Origin(True, "api.anthropic.com", 443)


@pytest.mark.parametrize(
    ("url", "origin", "prefix"),
    [
        ("", API, ""),
        ("https://api.anthropic.com/", API, ""),
        ("http://127.0.0.1:8080", Origin(False, "127.0.0.1", 8080), ""),
        ("http://[::1]:8080/v1", Origin(False, "::1", 8080), ""),
        ("https://gateway.test/team/a/", Origin(True, "gateway.test", 443), "/team/a"),
    ],
)
def test_base_urls(url: str, origin: Origin, prefix: str) -> None:
    found = endpoint_of({"ANTHROPIC_BASE_URL": url})
    assert (found.origin, found.prefix) == (origin, prefix)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "ftp://a.test",
        "http://",
        "http://a.test:99999",
        "http://a.test:0",
        "http://a.test/?x=1",
        "http://me:secret@a.test",
        "http://a b.test",
        "http://a.test\r\nx: y",
        "http://[::1",
        "http://bücher.test",
    ],
)
def test_unusable_base_urls_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(ConfigError, match="ANTHROPIC_BASE_URL") as caught:
        endpoint_of({"ANTHROPIC_BASE_URL": url})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("origin", "authority", "host"),
    [
        (API, "api.anthropic.com:443", "api.anthropic.com"),
        (Origin(False, "a.test", 8080), "a.test:8080", "a.test:8080"),
        (Origin(False, "::1", 80), "[::1]:80", "[::1]"),
    ],
)
def test_the_spelling_of_an_origin(origin: Origin, authority: str, host: str) -> None:
    assert (origin.authority, origin.host_header) == (authority, host)


def test_custom_headers_are_lines() -> None:
    text = "X-Team: a: b\n\n anthropic-version : 2026-10-21\r\n"
    assert custom_headers(text) == {"x-team": "a: b", "anthropic-version": "2026-10-21"}
    found = dict(endpoint_of({"ANTHROPIC_CUSTOM_HEADERS": text}).headers)
    assert found["anthropic-version"] == "2026-10-21"


@pytest.mark.parametrize(
    "line", ["secret", ": secret", "a b: secret", "a: sécret", "a: \x07secret"]
)
def test_a_wrong_header_is_named_by_its_line_and_not_shown(line: str) -> None:
    with pytest.raises(ConfigError, match="line 2: write it as Name: Value") as caught:
        custom_headers(f"good: 1\n{line}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("app", "shown"),
    [("", ""), ("my-app/1.0", " (my-app/1.0)"), ("a\r\nx: y()ü", " (ax: y)")],
)
def test_the_user_agent_names_the_host_program(app: str, shown: str) -> None:
    headers = dict(endpoint_of({"CLAUDE_AGENT_SDK_CLIENT_APP": app}).headers)
    assert headers["user-agent"] == f"hames/{__version__}{shown}"


def test_credentials_hide_themselves() -> None:
    found = given_credentials({"ANTHROPIC_API_KEY": " key ", "ANTHROPIC_AUTH_TOKEN": "token"})
    assert found.headers() == [("x-api-key", "key"), ("authorization", "Bearer token")]
    assert repr(found) == "Credentials(api_key=***, auth_token=***)"
    assert repr(Credentials()) == "Credentials()"
    assert found.redact("a key and a token") == "a *** and a ***"


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_key_that_cannot_be_sent_is_named_and_not_shown(name: str) -> None:
    with pytest.raises(AuthError, match=name) as caught:
        given_credentials({name: "sec\nret"})
    assert "sec" not in str(caught.value)


@pytest.mark.parametrize(
    ("env", "profile"),
    [
        ({}, FIRST_PARTY),
        ({"ANTHROPIC_BASE_URL": "https://api.anthropic.com"}, FIRST_PARTY),
        ({"ANTHROPIC_BASE_URL": "https://api.anthropic.com.evil.test"}, GATEWAY),
        ({"ANTHROPIC_BASE_URL": "https://evilanthropic.com"}, GATEWAY),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, GATEWAY),
        (
            {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "HAMES_API_PROFILE": "first-party"},
            FIRST_PARTY,
        ),
        ({"HAMES_API_PROFILE": "gateway"}, GATEWAY),
    ],
)
def test_the_profile_follows_the_host_unless_named(env: dict[str, str], profile: Any) -> None:
    assert profile_of(env) == profile


def test_experimental_betas_can_be_switched_off() -> None:
    found = profile_of({"CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1"})
    assert (found.experimental_betas, found.tool_search) == (False, False)


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ConfigError, match="HAMES_API_PROFILE"):
        profile_of({"HAMES_API_PROFILE": "azure"})


@pytest.mark.parametrize(
    ("rules", "exempt"),
    [
        ("", False),
        ("*", True),
        ("api.anthropic.com", True),
        ("anthropic.com", True),
        (".anthropic.com", True),
        ("*.anthropic.com", True),
        ("API.Anthropic.COM", True),
        ("api.anthropic.com:443", True),
        ("api.anthropic.com:80", False),
        ("thropic.com", False),
        ("other.test , anthropic.com", True),
        ("10.0.0.0/8", False),
        (":443", False),
        (",, ,", False),
    ],
)
def test_no_proxy_rules(rules: str, exempt: bool) -> None:
    env = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": rules}
    assert (proxy_for(API, env) is None) == exempt


@pytest.mark.parametrize("rules", ["10.1.2.3", "10.0.0.0/8", "10.1.2.3:9000", "[10.1.2.3]"])
def test_no_proxy_knows_addresses_and_networks(rules: str) -> None:
    origin = Origin(False, "10.1.2.3", 9000)
    assert proxy_for(origin, {"HTTP_PROXY": "http://proxy", "no_proxy": rules}) is None


@pytest.mark.parametrize(
    ("env", "proxy"),
    [
        ({}, None),
        ({"HTTP_PROXY": "http://plain"}, None),
        ({"HTTPS_PROXY": "http://p:3128"}, Proxy(Origin(False, "p", 3128))),
        ({"HTTPS_PROXY": "p:3128"}, Proxy(Origin(False, "p", 3128))),
        ({"HTTPS_PROXY": "https://p"}, Proxy(Origin(True, "p", 443))),
        ({"ALL_PROXY": "http://p"}, Proxy(Origin(False, "p", 80))),
        ({"HTTPS_PROXY": "http://up", "https_proxy": "low"}, Proxy(Origin(False, "low", 80))),
        (
            {"HTTPS_PROXY": "http://a%40b:c@p:1"},
            Proxy(Origin(False, "p", 1), "Basic YUBiOmM="),
        ),
    ],
)
def test_which_proxy(env: dict[str, str], proxy: Proxy | None) -> None:
    assert proxy_for(API, env) == proxy


@pytest.mark.parametrize(
    "text", ["socks5://p:1080", "ftp://p", "http://", "http://p:x", "http://[p"]
)
def test_an_unusable_proxy_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="HTTPS_PROXY"):
        proxy_for(API, {"HTTPS_PROXY": text})


def test_the_password_of_a_proxy_is_not_shown() -> None:
    assert "YUBiOmM" not in repr(proxy_for(API, {"HTTPS_PROXY": "http://a%40b:c@p"}))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "1", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    found = retry_after({"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"})
    assert found is not None and found > 86_400


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (
            429,
            b'{"type":"error","error":{"type":"rate_limit_error","message":"m"}}',
            "rate_limit_error",
            "m",
        ),
        (
            400,
            b'{"error":{"type":"weird","message":"m","code":1}}',
            "invalid_request_error",
            "m",
        ),
        (404, b'{"error":"model not found"}', "not_found_error", "model not found"),
        (422, b'{"detail":[{"loc":1}]}', "invalid_request_error", '[{"loc": 1}]'),
        (500, b'{"message":"boom"}', "api_error", "boom"),
        (502, b"<html>Bad</html>", "api_error", "status 502 without a text"),
        (503, b"busy\r\n\x1b[31m now", "overloaded_error", "busy [31m now"),
        (529, b"", "overloaded_error", "status 529 without a text"),
        (401, b"[]", "authentication_error", "[]"),
    ],
)
def test_error_bodies_of_all_shapes(status: int, body: bytes, kind: str, message: str) -> None:
    found = error_of_response(status, {}, body)
    assert (found.kind, found.message) == (kind, message)


def test_the_service_itself_wants_a_key() -> None:
    async def scenario() -> None:
        client = make_client("sonnet", {}, cwd=Path())
        with pytest.raises(AuthError) as caught:
            await client.open(model_request())
        names = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "apiKeyHelper")
        assert all(name in str(caught.value) for name in (*names, "make demo"))

    asyncio.run(scenario())


def test_the_client_imports_no_heavy_library() -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from hames.harness.models import attempts, factory; "
        "factory.make_client('sonnet', {}, cwd=Path()); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    heavy = {"anthropic", "httpx2", "pydantic", "yaml", "rich", "click", "tomllib", "email"}
    assert heavy.isdisjoint(done.stdout.split())


def test_a_local_server_is_asked_without_a_key() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            client = make_client("sonnet", {"ANTHROPIC_BASE_URL": api.url}, cwd=Path())
            with pytest.raises(ApiError):
                await client.open(model_request())
            sent = api.requests[0].headers
            assert "x-api-key" not in sent and "authorization" not in sent
            await client.aclose()

    asyncio.run(scenario())


async def answer(api: FakeApi, env: dict[str, str], helper: str | None = None) -> dict[str, str]:
    client = make_client("sonnet", env, cwd=Path(), api_key_helper=helper)
    stream = await client.open(model_request())
    await stream.aclose()
    await client.aclose()
    return api.calls[-1].headers


def test_key_and_token_go_into_their_own_headers() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api:
            base = {"ANTHROPIC_BASE_URL": api.url}
            sent = await answer(api, {**base, "ANTHROPIC_API_KEY": "k"})
            assert sent["x-api-key"] == "k" and "authorization" not in sent
            sent = await answer(api, {**base, "ANTHROPIC_AUTH_TOKEN": "t"})
            assert sent["authorization"] == "Bearer t" and "x-api-key" not in sent
            custom = {"ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer own\nX-Team: a"}
            sent = await answer(api, {**api_env(api.url), **custom})
            assert (sent["authorization"], sent["x-team"]) == ("Bearer own", "a")

    asyncio.run(scenario())


def test_a_helper_command_prints_the_key_and_runs_once_per_lifetime(tmp_path: Path) -> None:
    log = tmp_path / "runs"

    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api:
            client = make_client(
                "sonnet",
                {"ANTHROPIC_BASE_URL": api.url, "LOG": str(log), "PATH": "/usr/bin:/bin"},
                cwd=tmp_path,
                api_key_helper='echo x >> "$LOG"; echo "key-$(wc -l < "$LOG" | tr -d " ")"',
            )
            for _ in range(2):
                await (await client.open(model_request())).aclose()
            sent = api.calls[-1].headers
            assert (sent["x-api-key"], sent["authorization"]) == ("key-1", "Bearer key-1")
            assert await client.refresh_credentials() is True
            await (await client.open(model_request())).aclose()
            assert api.calls[-1].headers["x-api-key"] == "key-2"
            await client.aclose()

    asyncio.run(scenario())
    assert log.read_text(encoding="utf-8") == "x\n" * 2


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("echo secret; exit 3", "exit code 3"),
        ("true", "printed nothing"),
        ("echo secret; echo secret", "line break"),
    ],
)
def test_a_broken_helper_is_an_auth_error_without_its_output(command: str, problem: str) -> None:
    async def scenario() -> None:
        client = make_client(
            "sonnet", {"PATH": "/usr/bin:/bin"}, cwd=Path(), api_key_helper=command
        )
        with pytest.raises(AuthError, match=problem) as caught:
            await client.open(model_request())
        assert "secret" not in str(caught.value)

    asyncio.run(scenario())


def test_a_key_given_by_variable_wins_over_the_helper() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api:
            sent = await answer(api, api_env(api.url), helper="echo other")
            assert sent["x-api-key"] == "sk-test-secret"

    asyncio.run(scenario())


def test_the_output_of_a_helper_expires() -> None:
    async def scenario() -> None:
        runs: list[int] = []

        async def run() -> str:
            runs.append(1)
            return f"key-{len(runs)}"

        brief, lasting = CommandCredentials(run, 0), CommandCredentials(run, 60)
        assert [await brief.get(), await brief.get()] == [
            Credentials("key-1", "key-1"),
            Credentials("key-2", "key-2"),
        ]
        assert await lasting.get() == await lasting.get() == Credentials("key-3", "key-3")

    asyncio.run(scenario())


def test_a_helper_that_prints_the_same_key_again_has_not_helped() -> None:
    async def scenario() -> None:
        async def run() -> str:
            return "same"

        source = CommandCredentials(run, 60)
        await source.get()
        assert await source.refresh() is False

    asyncio.run(scenario())


@pytest.mark.parametrize(("text", "seconds"), [("", 300), ("1000", 1), ("0", 0), ("x", 300)])
def test_the_lifetime_of_a_helper_key(text: str, seconds: float) -> None:
    assert helper_ttl({"CLAUDE_CODE_API_KEY_HELPER_TTL_MS": text}) == seconds


def test_a_refused_key_is_fetched_anew_by_the_retry_loop(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(error(401, "authentication_error", "expired"), turn("ok"))
            client = make_client(
                "sonnet",
                {"ANTHROPIC_BASE_URL": api.url, "PATH": "/usr/bin:/bin"},
                cwd=tmp_path,
                api_key_helper="echo x >> runs; wc -l < runs",
            )
            items = stream_with_retries(
                client, model_request, RetryPolicy(max_retries=0), RetryBudget(), ["claude-opus-5"]
            )
            async with aclosing(client), aclosing(items):
                found = [item async for item in items]
            assert [type(item) for item in found if isinstance(item, Retrying | Completed)] == [
                Retrying,
                Completed,
            ]
            assert [call.headers["x-api-key"] for call in api.calls] == ["1", "2"]

    asyncio.run(scenario())
