"""Which variables a repository may set: some never, some only when trusted, some at once."""

_OWN = (
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_PROJECT_DIR_NAME",
    "CLAUDE_CODE_DEBUG_LOGS_DIR",
    "CLAUDE_CODE_TMPDIR",
    "CLAUDE_CODE_SHELL*",
    "CLAUDE_CODE_PLUGIN*",
    "CLAUDE_CODE_SYNC*",
    "CLAUDE_ENV_FILE",
    "IS_SANDBOX",
    "HOME",
    "TMPDIR",
    "XDG_*",
)
"""Folders and launchers of the harness itself: no file of a repository sets them, ever."""

_ENDPOINT = (
    "ANTHROPIC_*URL*",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_BETAS",
    "CLAUDE_CODE_USE_*",
    "CLAUDE_CODE_SKIP_*_AUTH",
    "HAMES_*",
    "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
    "*_PROXY",
    "PROXY",
    "*CERT*",
    "*CA_BUNDLE*",
    "SSL*",
    "TLS*",
    "CURL_*",
    "*_BASE_URL",
    "*_ENDPOINT*",
    "OTEL_*",
)
_CREDENTIAL = (
    "*API_KEY*",
    "*TOKEN",
    "*_TOKEN_*",
    "*SECRET*",
    "*PASSWORD*",
    "*CREDENTIAL*",
    "AWS_*",
    "GOOGLE_*",
    "GCLOUD_*",
    "CLOUD_ML_*",
    "VERTEX_*",
    "AZURE_*",
    "ANTHROPIC_*KEY*",
    "SSH_*",
)
_SHOWN_NEVER = (
    "*API_KEY*",
    "*APIKEY*",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*TOKEN",
    "*_TOKEN_*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*CREDENTIAL*",
    "*COOKIE*",
    "*AUTHORIZATION*",
    "*_DSN",
    "ANTHROPIC_CUSTOM_HEADERS",
)
_PROGRAM = (
    "PATH",
    "PATHEXT",
    "LD_*",
    "DYLD_*",
    "NODE_*",
    "NPM_CONFIG_*",
    "PYTHON*",
    "PIP_*",
    "UV_*",
    "GIT_*",
    "PERL5*",
    "PERLLIB",
    "RUBY*",
    "GEM_*",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "GCONV_PATH",
    "RIPGREP_CONFIG_PATH",
    "BASH_ENV",
    "BASH_FUNC_*",
    "ENV",
    "SHELL",
    "SHELLOPTS",
    "BASHOPTS",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "ZDOTDIR",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "*_PAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "SUDO_*",
)

_SAFE = (
    "ANTHROPIC_MODEL",
    "ANTHROPIC_DEFAULT_*MODEL*",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_MAX_*",
    "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    "CLAUDE_CODE_GLOB_*",
    "CLAUDE_CODE_DISABLE_*",
    "CLAUDE_CODE_ENABLE_TASKS",
    "CLAUDE_CODE_MCP_*MS",
    "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT",
    "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR",
    "BASH_*TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "TASK_MAX_OUTPUT_LENGTH",
    "MAX_THINKING_TOKENS",
    "MAX_MCP_OUTPUT_TOKENS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
    "MCP_CONNECT*",
    "API_TIMEOUT_MS",
    "SLASH_COMMAND_TOOL_CHAR_BUDGET",
    "ENABLE_TOOL_SEARCH",
    "ENABLE_PROMPT_CACHING_1H",
    "FORCE_PROMPT_CACHING_5M",
    "DISABLE_*",
    "DO_NOT_TRACK",
    "USE_BUILTIN_RIPGREP",
    "NO_COLOR",
    "FORCE_COLOR",
)


def is_own(name: str) -> bool:
    """Whether a variable moves or launches the harness: never taken from a repository."""
    return _matches(name, _OWN)


def is_dangerous(name: str) -> bool:
    """Endpoint, proxy, CA, credential, program loading: from a repository only with trust."""
    return is_own(name) or _matches(name, _ENDPOINT + _CREDENTIAL + _PROGRAM)


def is_credential(name: str) -> bool:
    """Whether the value of a variable is better not shown."""
    return _matches(name, _SHOWN_NEVER)


def is_safe(name: str) -> bool:
    """Model choice, limits and switches: taken from a repository before trust."""
    return _matches(name, _SAFE) and not _matches(name, _PROGRAM)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    upper = name.upper()
    return any(_glob(upper, pattern) for pattern in patterns)


def _glob(name: str, pattern: str) -> bool:
    """`*` only: compiling 100 regular expressions would cost more than the whole load."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == first
    if not name.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(rest[-1]) and len(name) - len(rest[-1]) >= at
