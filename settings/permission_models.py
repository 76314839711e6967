"""The `permissions` and `sandbox` objects of settings.json."""

from typing import Any, Literal

from hames.settings.model_fields import Section, key

Mode = Literal["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "manual"]


class Permissions(Section):
    """Who may do what without being asked."""

    allow: list[str] = key("Rules approved without asking; a project's need trust.")
    ask: list[str] = key("Rules that always prompt, in every mode.", guard=True)
    deny: list[str] = key("Rules that block; a bare name removes the tool.", guard=True)
    additionalDirectories: list[str] = key("More working directories; file access only.")
    blockReadsOutsideWorkingDirectories: bool = key(
        "Deny reads outside the working directories in every mode; any true wins.", broken=True
    )
    blockWritesOutsideWorkingDirectories: bool = key(
        "Deny file edits outside the working directories in every mode; any true wins.",
        broken=True,
    )
    denyInsteadOfPrompting: bool = key("Deny what would wait for a prompt.", broken=True)
    defaultMode: Mode = key("The mode a session starts in; `manual` is `default`.")
    disableBypassPermissionsMode: Literal["disable"] = key(
        "Refuse bypass mode and its flag.", broken="disable"
    )
    disableAutoMode: Literal["disable"] = key("Refuse auto mode.", 2, broken="disable")


class AutoMode(Section):
    """Prose rules of the classifier, which hames does not have."""

    environment: list[str] = key("Trusted surroundings.", 3)
    allow: list[str] = key("What may run.", 3)
    soft_deny: list[str] = key("What is blocked unless asked for.", 3)
    hard_deny: list[str] = key("What is always blocked.", 3)
    classifyAllShell: bool = key("Classify every shell command.", 3)


class SandboxFiles(Section):
    """Path lists of the sandbox: `/x` absolute, `~/x` home, else below the project."""

    allowWrite: list[str] = key("Writable paths.", 2)
    denyWrite: list[str] = key("Never writable.", 2, guard=True)
    denyRead: list[str] = key("Never readable.", 2, guard=True)
    allowRead: list[str] = key("Readable again inside denied paths.", 2)
    disabled: bool = key("Isolate the network only.", 3, "user", False)
    allowManagedReadPathsOnly: bool = key("Lock `allowRead`.", 3, "managed", False)


class TlsTerminate(Section):
    """Own certificate authority for looking into TLS."""

    caCertPath: str = key("Certificate.", 3)
    caKeyPath: str = key("Key.", 3)


class SandboxNetwork(Section):
    """Hosts that sandboxed commands reach: `host[:port]` or `*.host`."""

    allowedDomains: list[str] = key("Reachable hosts.", 2)
    deniedDomains: list[str] = key("Never reachable; wins.", 2, guard=True)
    strictAllowlist: bool = key("Deny other hosts instead of asking.", 2, "user", False)
    allowManagedDomainsOnly: bool = key("Lock the allow list.", 3, "managed", False)
    allowUnixSockets: list[str] = key("Unix sockets (macOS).", 3)
    allowMachLookup: list[str] = key("Mach services (macOS).", 3)
    allowAllUnixSockets: bool = key("Every Unix socket.", 3, default=False)
    allowLocalBinding: bool = key("Listening on local ports.", 3, default=False)
    httpProxyPort: float = key("Port of an own HTTP proxy.", 3)
    socksProxyPort: float = key("Port of an own SOCKS proxy.", 3)
    tlsTerminate: TlsTerminate = key("Look into TLS.", 3, "user")


class SandboxCredentials(Section):
    """Secrets hidden from sandboxed commands."""

    files: list[dict[str, Any]] = key("Files with `path` and `mode`.", 3)
    envVars: list[dict[str, Any]] = key("Variables with `name` and `mode`.", 3)


class Program(Section):
    """A program to start."""

    command: str = key("Its path.", 3)
    args: list[str] = key("Its arguments.", 3)


class Sandbox(Section):
    """Operating-system isolation of Bash."""

    enabled: bool = key("Run Bash in the sandbox.", 2, default=False)
    failIfUnavailable: bool = key("Exit instead of running unsandboxed.", 2, default=False)
    autoAllowBashIfSandboxed: bool = key("No prompt for sandboxed commands.", 2, default=True)
    excludedCommands: list[str] = key("Commands that run outside.", 2)
    allowUnsandboxedCommands: bool = key("Honour `dangerouslyDisableSandbox`.", 2, default=True)
    filesystem: SandboxFiles = key("Path lists.", 2, guard=True)
    network: SandboxNetwork = key("Host lists.", 2, guard=True)
    credentials: SandboxCredentials = key("Hide or mask secrets.", 3)
    ignoreViolations: dict[str, list[str]] = key("Reports to silence.", 3)
    enableWeakerNestedSandbox: bool = key("Sandbox inside containers.", 3, default=False)
    enableWeakerNetworkIsolation: bool = key("Weaker network isolation.", 3, default=False)
    allowAppleEvents: bool = key("Apple events.", 3, "user", False)
    ripgrep: Program = key("The ripgrep to use.", 3, "user")
    bwrapPath: str = key("Path of bubblewrap.", 3, "managed")
    socatPath: str = key("Path of socat.", 3, "managed")
    enabledPlatforms: list[str] = key("Platforms with a sandbox.", 3)
