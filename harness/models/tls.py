"""The TLS settings of a client: system authorities, extra ones, a client certificate."""

import ssl
from collections.abc import Mapping
from pathlib import Path

from hames.harness.errors import ConfigError


def tls_context(env: Mapping[str, str]) -> ssl.SSLContext:
    """From SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS, CLAUDE_CODE_CLIENT_CERT, ..._KEY."""
    instead = _file(env, "SSL_CERT_FILE")
    folder = env.get("SSL_CERT_DIR") or None
    try:
        context = ssl.create_default_context(cafile=instead, capath=folder)
    except (ssl.SSLError, OSError) as error:
        raise _unusable("SSL_CERT_FILE", error) from None
    extra = _file(env, "NODE_EXTRA_CA_CERTS")
    if extra is not None:
        try:
            context.load_verify_locations(cafile=extra)
        except (ssl.SSLError, OSError) as error:
            raise _unusable("NODE_EXTRA_CA_CERTS", error) from None
    _load_client_certificate(context, env)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _load_client_certificate(context: ssl.SSLContext, env: Mapping[str, str]) -> None:
    certificate = _file(env, "CLAUDE_CODE_CLIENT_CERT")
    key = _file(env, "CLAUDE_CODE_CLIENT_KEY")
    if certificate is None:
        if key is not None:
            raise ConfigError("CLAUDE_CODE_CLIENT_KEY needs CLAUDE_CODE_CLIENT_CERT")
        return
    # Without a password OpenSSL would ask on the terminal.
    password = env.get("CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "")
    try:
        context.load_cert_chain(certificate, key, password)
    except (ssl.SSLError, OSError) as error:
        raise _unusable("CLAUDE_CODE_CLIENT_CERT or CLAUDE_CODE_CLIENT_KEY", error) from None


def _file(env: Mapping[str, str], name: str) -> str | None:
    text = env.get(name, "").strip()
    if not text:
        return None
    if not Path(text).is_file():
        raise ConfigError(f"{name}: there is no file {text}")
    return text


def _unusable(name: str, error: OSError) -> ConfigError:
    return ConfigError(f"{name} cannot be used: {error.strerror or error}")
