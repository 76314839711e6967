"""Names of variables: safe at once, only with trust, never."""

import pytest

from hames.settings.env_policy import is_credential, is_dangerous, is_own, is_safe


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_MODEL",
        "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        "BASH_MAX_TIMEOUT_MS",
        "MAX_THINKING_TOKENS",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "DISABLE_TELEMETRY",
        "NO_COLOR",
        "MCP_TIMEOUT",
    ],
)
def test_limits_and_switches_are_safe(name: str) -> None:
    assert (is_safe(name), is_dangerous(name), is_own(name)) == (True, False, False)


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_BEDROCK_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_VERTEX",
        "http_proxy",
        "NO_PROXY",
        "ALL_PROXY",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "PATH",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "PYTHONSTARTUP",
        "GIT_CONFIG_COUNT",
        "BASH_ENV",
        "ENV",
        "AWS_PROFILE",
        "EDITOR",
        "HAMES_API_PROFILE",
    ],
)
def test_endpoints_credentials_and_loaders_need_trust(name: str) -> None:
    assert (is_safe(name), is_dangerous(name), is_own(name)) == (False, True, False)


@pytest.mark.parametrize(
    "name", ["CLAUDE_CONFIG_DIR", "HOME", "XDG_CONFIG_HOME", "CLAUDE_CODE_SHELL", "IS_SANDBOX"]
)
def test_the_folders_and_launchers_of_the_harness_are_its_own(name: str) -> None:
    assert (is_safe(name), is_dangerous(name), is_own(name)) == (False, True, True)


@pytest.mark.parametrize("name", ["FOO", "PATHS", "MY_LD_X", "NODENV", "KEY"])
def test_other_names_are_neither(name: str) -> None:
    assert (is_safe(name), is_dangerous(name), is_own(name)) == (False, False, False)


@pytest.mark.parametrize(
    ("name", "hidden"),
    [("GH_TOKEN", True), ("my_password", True), ("MAX_TOKENS", False), ("PATH", False)],
)
def test_credentials_are_not_shown(name: str, hidden: bool) -> None:
    assert is_credential(name) == hidden
