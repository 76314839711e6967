"""The environment that children inherit."""

import re
from collections.abc import Mapping

SCRUB = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"
"""Set to 1, credentials are kept from every child."""

_CREDENTIAL = re.compile(
    r"(^|_)(API_?KEY|AUTH_?TOKEN|TOKEN|SECRETS?|SECRET_KEY|PASSWORD|PASSWD|PRIVATE_KEY"
    r"|ACCESS_KEY(_ID)?|CREDENTIALS?|SESSION_TOKEN|CONNECTION_STRING)$"
    r"|^(ANTHROPIC_CUSTOM_HEADERS|AWS_BEARER_TOKEN_.*|GOOGLE_APPLICATION_CREDENTIALS"
    r"|AZURE_CLIENT_.*|ACTIONS_.*|NETRC|OTEL_EXPORTER_OTLP_.*HEADERS)$",
    re.IGNORECASE,
)


def inherited(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without telemetry settings, and without credentials when the user asked for that."""
    scrub = env.get(SCRUB, "").lower() in ("1", "true", "yes", "on")
    return {
        name: value
        for name, value in env.items()
        if not name.startswith("OTEL_") and not (scrub and is_credential(name))
    }


def is_credential(name: str) -> bool:
    """Whether a variable's name says that its value is a secret."""
    return _CREDENTIAL.search(name) is not None
