"""The keys of settings.json: the source of `catalog.json` and `schema.json`, never of a start."""

from typing import Any, Literal

from hames.settings import interface_models as ui
from hames.settings.hook_models import HookGroup
from hames.settings.mcp_models import McpServerRule
from hames.settings.model_fields import Section, key
from hames.settings.permission_models import AutoMode, Permissions, Sandbox

Object = dict[str, Any]


class SafetyKeys(Section):
    """Permissions, hooks and what runs programs."""

    permissions: Permissions = key("Rules, modes and directories.", guard=True)
    allowManagedPermissionRulesOnly: bool = key("Only managed rules count.", 1, "managed")
    skipDangerousModePermissionPrompt: bool = key("No warning before bypass.", 1, "local")
    skipAutoPermissionPrompt: bool = key("No auto-mode notice.", 3, "user")
    disableAutoMode: Literal["disable"] = key("Refuse auto mode.", 2, broken="disable")
    autoMode: AutoMode = key("Rules of the classifier.", 3, "user")
    useAutoModeDuringPlan: bool = key("Classifier while planning.", 3, "local", True)
    hooks: dict[str, list[HookGroup]] = key("Matcher groups by event.", guard=True)
    disableAllHooks: bool = key("No hook, status line or file suggestion runs.")
    allowManagedHooksOnly: bool = key("Only managed hooks run.", 1, "managed", broken_managed=True)
    allowedHttpHookUrls: list[str] = key("URL patterns that hooks may post to.", broken=[])
    httpHookAllowedEnvVars: list[str] = key("Variables that hook headers may use.", broken=[])
    disableWorkflows: bool = key("No workflows.", 3, default=False)
    enableWorkflows: bool = key("Workflows.", 3)
    workflowKeywordTriggerEnabled: bool = key("Workflow by keyword.", 3, default=True)
    workflowSizeGuideline: Literal["unrestricted", "small", "medium", "large"] = key(
        "Workflow size.", 3, default="medium"
    )
    sandbox: Sandbox = key("Isolation of Bash.", 2, guard=True)
    apiKeyHelper: str = key("Shell command that prints the API key; a project's needs trust.")
    awsAuthRefresh: str = key("Shell command.", 3)
    awsCredentialExport: str = key("Shell command.", 3)
    gcpAuthRefresh: str = key("Shell command.", 3)
    otelHeadersHelper: str = key("Shell command.", 3)
    processWrapper: str = key("Launcher of background processes.", 3, "user")


class ModelKeys(Section):
    """Which model answers, and how."""

    model: str = key("Alias or id of the model a session starts with.")
    fallbackModel: list[str] = key("Tried in order on overload; at most 3.", max_length=3)
    availableModels: list[str] = key("Models that may be chosen.", 2, broken_managed=[])
    enforceAvailableModels: bool = key(
        "The default choice too is limited to the list.", 2, default=False, broken_managed=True
    )
    modelOverrides: dict[str, str] = key("Model id to provider id.", 2)
    effortLevel: Literal["low", "medium", "high", "xhigh"] = key("Effort of the model.")
    alwaysThinkingEnabled: bool = key("Thinking; on unless false.", default=True)
    showThinkingSummaries: bool = key("Show thinking.", 2, default=False)
    outputStyle: str = key("Name of the output style, fixed per conversation.")
    language: str = key("Always answer in this language.")
    fastMode: bool = key("Fast mode.", 3)
    fastModePerSessionOptIn: bool = key("Fast mode asks per session.", 3, default=False)
    advisorModel: str = key("Model of the advisor tool.", 3)
    switchModelsOnFlag: bool = key("Switch model on a safety flag.", 3, default=True)
    ultracode: bool = key("Highest effort with workflows.", 3)
    modelPicker: Any = key("Rows of the model picker.", 3)
    modelPricing: Any = key("Price multipliers.", 3, "managed")
    modelSettings: Any = key("Settings per model.", 3)
    attributionProject: str = key("Billing group of a gateway.", 3)


class MemoryKeys(Section):
    """Memory, context, environment and git."""

    env: dict[str, str] = key("Variables of the session and its commands; empty removes.")
    autoCompactEnabled: bool = key("Compact before the window is full.", default=True)
    autoCompactWindow: int = key("Window in tokens.", ge=100_000, le=1_000_000)
    autoMemoryEnabled: bool = key("Automatic memory.", 2, default=True)
    autoMemoryDirectory: str = key("Its folder, absolute or `~/`.", 2)
    claudeMd: str = key("Memory text of the organisation.", 1, "managed")
    claudeMdExcludes: list[str] = key("Globs of memory files to skip.")
    fileCheckpointingEnabled: bool = key("Snapshots for /rewind.", 2, default=True)
    plansDirectory: str = key("Folder of plan files, below the project.")
    skillListingBudgetFraction: float = key(
        "Share of the context for the skill listing.", default=0.01, gt=0, le=1
    )
    skillListingMaxDescChars: int = key("Characters of a description.", default=1536, gt=0)
    cleanupPeriodDays: int = key("Days that transcripts are kept.", default=30, ge=1)
    includeGitInstructions: bool = key("Git state and rules in the prompt.", default=True)
    attribution: ui.Attribution = key("Texts in commits and pull requests.")
    includeCoAuthoredBy: bool = key("Old switch for both texts.", default=True)
    prUrlTemplate: str = key("Link to a pull request.", 3)


class ServerKeys(Section):
    """MCP servers, plugins, skills, agents and worktrees."""

    enableAllProjectMcpServers: bool = key("Approve all servers of .mcp.json.")
    enabledMcpjsonServers: list[str] = key("Approve these servers of .mcp.json.")
    disabledMcpjsonServers: list[str] = key("Reject these servers; wins.", guard=True)
    allowedMcpServers: list[McpServerRule] = key("Servers that may be used.", broken_managed=[])
    deniedMcpServers: list[McpServerRule] = key("Servers that may not; wins.", guard=True)
    allowManagedMcpServersOnly: bool = key(
        "Only the managed list counts.", 1, "managed", False, broken_managed=True
    )
    allowAllClaudeAiMcps: bool = key("Cloud connectors.", 3, "managed", False)
    managedMcpServers: list[Object] = key("Desktop servers.", 3, "managed")
    disableClaudeAiConnectors: bool = key("No cloud connectors; any true wins.", 3, default=False)
    enabledPlugins: dict[str, bool] = key("Plugins by `name@marketplace`.", 2)
    extraKnownMarketplaces: dict[str, Object] = key("Marketplaces by name.", 3)
    additionalMarketplaces: dict[str, Object] = key("Alias of extraKnownMarketplaces.", 3)
    strictKnownMarketplaces: list[Object] = key("Allowed marketplaces.", 3, "managed")
    allowedMarketplaces: list[Object] = key("Alias of strictKnownMarketplaces.", 3, "managed")
    blockedMarketplaces: list[Object] = key("Blocked marketplaces.", 3, "managed")
    strictPluginOnlyCustomization: bool | list[Literal["skills", "agents", "hooks", "mcp"]] = key(
        "No customisation by user and project.", 2, "managed", broken_managed=True
    )
    pluginConfigs: Object = key("Configuration of plugins.", 3, "user")
    pluginTrustMessage: str = key("Text of the plugin dialog.", 3, "managed")
    pluginSuggestionMarketplaces: list[str] = key("Suggested marketplaces.", 3, "managed")
    skippedMarketplaces: list[str] = key("Refused marketplaces.", 3)
    skippedPlugins: list[str] = key("Refused plugins.", 3)
    disableCommandPluginSources: bool = key(
        "No plugins from commands.", 3, "managed", broken_managed=True
    )
    allowedChannelPlugins: list[Any] = key("Channel plugins.", 3, "managed")
    channelsEnabled: bool = key("Channels.", 3, "managed")
    skillOverrides: dict[str, Literal["on", "name-only", "user-invocable-only", "off"]] = key(
        "Hide or collapse skills."
    )
    disableBundledSkills: bool = key("No built-in skills.", 2)
    disableSkillShellExecution: bool = key("No inline shell in skills and commands.", broken=True)
    syncClaudeAiSkills: bool = key("Cloud skills.", 3, "local")
    agent: str = key("The main thread runs as this agent.")
    worktree: ui.Worktree = key("How worktrees are made.")
    teammateMode: Literal["in-process", "auto", "tmux", "iterm2"] = key(
        "Agent teams.", 3, default="in-process"
    )
    disableAgentView: bool = key("No agent view.", 3)
    isolatePeerMachines: bool = key("Peers; any true wins.", 3)
    crossSessionInbound: Literal["accept", "hold", "refuse"] = key("Peers; strictest wins.", 3)


class InterfaceKeys(Section):
    """What the terminal shows."""

    statusLine: ui.StatusLine = key("A command that prints the status line.")
    subagentStatusLine: ui.StatusLine = key("The same for subagents.", 3)
    fileSuggestion: ui.FileSuggestion = key("A command that answers `@`.", 2)
    respectGitignore: bool = key("Leave ignored files out of `@`.", default=True)
    companyAnnouncements: list[str] = key("One is shown per session.", 2)
    spinnerTipsEnabled: bool = key("Tips while waiting.", 2, default=True)
    spinnerTipsOverride: ui.SpinnerTips = key("Own tips.", 2)
    spinnerVerbs: ui.SpinnerVerbs = key("Own verbs.", 2)
    verbose: bool = key("Show full tool output.", default=False)
    viewMode: Literal["default", "verbose", "focus"] = key("How much is shown.", 2)
    theme: ui.Theme | str = key("Colours; `custom:<slug>` too.", 2, default="dark")
    editorMode: Literal["normal", "vim"] = key("Keys of the prompt.", 2, default="normal")
    defaultShell: Literal["bash", "powershell"] = key("Shell of `!`.", 2, default="bash")
    respondToBashCommands: bool = key("Answer after `!`.", 2, default=True)
    askUserQuestionTimeout: Literal["60s", "5m", "10m", "never"] = key(
        "How long a question waits.", 2, "user", "never"
    )
    dialogExpiry: Literal["60s", "5m", "10m", "never"] = key("Dialogs.", 2, "user", "5m")
    showClearContextOnPlanAccept: bool = key("Offer a fresh context.", 2, default=False)
    showTurnDuration: bool = key("Show how long a turn took.", 2, default=True)
    prefersReducedMotion: bool = key("Fewer animations.", 2, default=False)
    preferredNotifChannel: ui.Notification = key("How to notify.", 2, default="auto")
    promptSuggestionEnabled: bool = key("Suggested prompts.", 3, default=True)
    emojiCompletionEnabled: bool = key("Emoji by name.", 3, default=True)
    syntaxHighlightingDisabled: bool = key("Plain code.", 3, default=False)
    terminalProgressBarEnabled: bool = key("Progress in the terminal.", 3, default=True)
    terminalTitleFromRename: bool = key("Title from the session name.", 3, default=True)
    autoScrollEnabled: bool = key("Scroll along.", 3, default=True)
    wheelScrollAccelerationEnabled: bool = key("Faster wheel.", 3, default=True)
    axScreenReader: bool = key("Flat output.", 3)
    tui: Literal["default", "fullscreen", "classic"] = key("Renderer.", 3)
    keybindingFlavor: Literal["classic", "readline"] = key("Keys.", 3)
    vimInsertModeRemaps: Any = key("Vim keys.", 3, "user")
    footerLinksRegexes: Any = key("Footer links.", 3, "user")
    spellcheck: Any = key("Spelling.", 3, "user")
    voice: Object = key("Voice.", 3)
    voiceEnabled: bool = key("Voice, old.", 3)
    hames: ui.Hames = key("What only hames knows.")


class AccountKeys(Section):
    """Login, updates, privacy, policy and desktop: accepted, without effect."""

    forceLoginMethod: Literal["claudeai", "console", "gateway"] = key("Login.", 3)
    forceLoginOrgUUID: str | list[str] = key("Login.", 3, broken_managed="")
    forceLoginGatewayUrl: str = key("Login.", 3, "managed")
    autoUpdatesChannel: Literal["latest", "stable"] = key("Updates.", 3)
    minimumVersion: str = key("Updates.", 3)
    requiredMinimumVersion: str = key("Updates.", 3, "managed")
    requiredMaximumVersion: str = key("Updates.", 3, "managed")
    feedbackSurveyRate: float = key("Surveys.", 3, ge=0, le=1)
    skipWebFetchPreflight: bool = key("Host check of a service.", 3)
    policyHelper: Object = key("Policy by a program.", 3, "managed")
    parentSettingsBehavior: Literal["first-wins", "merge"] = key("Policy of hosts.", 3, "managed")
    forceRemoteSettingsRefresh: bool = key("Remote policy.", 3, "managed")
    disableSideloadFlags: bool = key("Sideloading.", 3, "managed")
    wslInheritsWindowsSettings: bool = key("WSL.", 3, "managed")
    agentPushNotifEnabled: bool = key("Push messages.", 3)
    inputNeededNotifEnabled: bool = key("Push messages.", 3)
    remoteControlAtStartup: bool = key("Remote control.", 3)
    disableRemoteControl: bool = key("Remote control.", 3)
    remote: Object = key("Remote sessions.", 3)
    awaySummaryEnabled: bool = key("Summaries.", 3)
    disableArtifact: bool = key("Artifacts.", 3)
    enableArtifact: bool = key("Artifacts.", 3, "user")
    disableDeepLinkRegistration: bool = key("Deep links.", 3)
    sshConfigs: Any = key("Desktop.", 3, "user")
    sshHostAllowlist: Any = key("Desktop.", 3, "managed")
    browserExternalPageTools: Any = key("Desktop.", 3, "managed")
    disableBrowserExternalNavigation: bool = key("Desktop.", 3, "managed")
    disableMobileSimulatorTools: bool = key("Desktop.", 3, "managed")
    requireCoworkFullVmSandbox: bool = key("Desktop.", 3, "managed")


class Settings(AccountKeys, InterfaceKeys, ServerKeys, MemoryKeys, ModelKeys, SafetyKeys):
    """A settings file of hames; keys it does not know are kept and ignored."""
