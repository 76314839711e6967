"""The composition root: the only place that wires the engine together."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hames.harness.agent import Agent, AgentFactory
from hames.harness.attention import Attention, plan_file
from hames.harness.builtin_commands import builtin_commands
from hames.harness.bus import Bus
from hames.harness.commands import Commands
from hames.harness.errors import UsageError
from hames.harness.events import Notice, Scope
from hames.harness.git_snapshot import GitSnapshot, start_git_snapshot
from hames.harness.inbox import Inbox
from hames.harness.later import WIRING, Following, LateHooks
from hames.harness.later_files import LateTools, attach, readers
from hames.harness.library import Library
from hames.harness.live_settings import LiveSettings
from hames.harness.models.credentials import key_source
from hames.harness.models.factory import make_client
from hames.harness.models.port import ModelClient
from hames.harness.models.profiles import Profile, profile_of
from hames.harness.models.retry import RetryPolicy
from hames.harness.models.variables import is_on
from hames.harness.opening import FileOpening
from hames.harness.operations import Operations
from hames.harness.ops import new_id
from hames.harness.questions import Questions
from hames.harness.reports import Reports
from hames.harness.request_fields import conversation_options
from hames.harness.run_config import RunConfig
from hames.harness.runner import Runner
from hames.harness.seats import Seats, skipped_lines
from hames.harness.services import Services
from hames.harness.session import Session
from hames.harness.sessions import SessionFiles, is_session_id
from hames.harness.start import Start, children_env, prepare
from hames.harness.state import SessionState
from hames.harness.tool_set import bare_rules, choose_tools, plain_names, tools_of_agent
from hames.harness.transcript import Header
from hames.harness.usage import UsageLedger
from hames.harness.user_commands import UserCommands
from hames.harness.warmup import Warmup
from hames.settings.repository import current_branch
from hames.system.reap import sweep
from hames.tools.registry import Registry

if TYPE_CHECKING:
    from hames.settings.definitions import Agent as AgentDefinition

WARM = (
    "hames.harness.tooling",
    "hames.tools.bash",
    "hames.tools.read",
    "hames.tools.edit",
    "hames.settings.permissions.bash_parse",
)
"""What the first tool call most likely needs."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is built first and used by everything after it."""

    start: Start
    bus: Bus
    session_id: str
    files: SessionFiles
    client: ModelClient
    profile: Profile
    services: Services
    inbox: Inbox
    live: LiveSettings
    registry: Registry
    retries: RetryPolicy


async def build_session(config: RunConfig, environ: Mapping[str, str]) -> Session:
    """A session that is ready to start. Raises HamesError for what the user must mend."""
    start = prepare(config, environ)
    git = await _start_git(start)
    library = Library(start, readers)
    parts = _parts(start, library.main_agent)
    hooks = _late_hooks(parts)
    tools = LateTools(
        start, parts.session_id, parts.services, parts.live, parts.registry, library, parts.client
    )
    following = Following(hooks)
    factory = _factory(parts, tools, _opening(parts, git, library, hooks), following)
    seats = _seats(parts, factory)
    _register_hooks(hooks, library)
    agent = _first_agent(config, seats, parts)
    parts.services.record = agent.record
    reports = _reports(parts, tools)
    runner = Runner(
        agent=agent,
        services=parts.services,
        inbox=factory.inbox,
        commands=Commands(),
        describe=reports.session,
        setup=config.setup,
    )
    _add_commands(runner, seats, reports, tools)
    operations = Operations(
        runner,
        parts.services,
        parts.live,
        seats,
        reports,
        reload=following.reload,
        register_hooks=hooks.register_client,
        may_bypass=start.may_bypass,
    )
    _begin(start, runner, following)
    return Session(parts.bus, runner, operations, _ending(parts, following))


def _begin(start: Start, runner: Runner, following: Following) -> None:
    """Follow changes of files where somebody works, and tell what was noticed at the start."""
    if start.config.interactive:
        following.begin()
    for text in start.notices:
        runner.emit(Notice(runner.scope, "warning", text))


def _add_commands(runner: Runner, seats: Seats, reports: Reports, tools: LateTools) -> None:
    commands = runner.commands
    commands.add(builtin_commands(runner, seats, reports))
    commands.add(tools.commands(runner))
    commands.use(UserCommands(tools.library, tools.expander(lambda: runner.agent)))


def _register_hooks(hooks: LateHooks, library: Library) -> None:
    """Those of the settings and those of the enabled plugins."""
    start = hooks.start
    hooks.register(start.snapshot)
    if start.config.plugin_dirs or start.snapshot.values.get("enabledPlugins"):
        hooks.register_plugins(library.plugins)


def _seats(parts: _Parts, factory: AgentFactory) -> Seats:
    start, config = parts.start, parts.start.config
    return Seats(
        factory,
        parts.files,
        _first_state(start),
        _header(parts),
        persist=config.persist,
        mirror=config.mirror,
        flags=_asked(start),
    )


def _factory(
    parts: _Parts, tools: LateTools, opening: FileOpening, following: Following
) -> AgentFactory:
    options = conversation_options(
        parts.start, parts.profile, parts.registry, parts.retries, _when_sent(parts, following)
    )
    return AgentFactory(
        services=parts.services,
        client=parts.client,
        calls=tools.runners,
        opening=opening,
        options=options._replace(due=_attention(parts, tools.library).due),
        retries=parts.retries,
        inbox=parts.inbox,
        caps=parts.start.config.caps,
        attach=attach,
    )


def _late_hooks(parts: _Parts) -> LateHooks:
    hooks = LateHooks(
        parts.start,
        parts.session_id,
        parts.services,
        parts.inbox,
        parts.live,
        parts.client,
        parts.profile,
        parts.retries,
    )
    parts.services.open_hooks = hooks.open
    return hooks


def _opening(
    parts: _Parts, git: GitSnapshot | None, library: Library, hooks: LateHooks
) -> FileOpening:
    start, scope = parts.start, Scope(parts.session_id)

    def warn(text: str) -> None:
        parts.bus.emit(Notice(scope, "warning", text))

    return FileOpening(
        start=start,
        git=git,
        added=start.snapshot.directories,
        library=library,
        tools=parts.registry.names,
        warn=warn,
        loaded=hooks.tell_of_memory,
    )


def _parts(start: Start, agent: "AgentDefinition | None") -> _Parts:
    config, bus = start.config, Bus()
    files = SessionFiles(start.env, start.home, start.cwd)
    session_id = _session_id(config, files)
    services = Services(
        emit=bus.emit,
        questions=Questions(bus.emit, config.answerable),
        ledger=UsageLedger(),
        env=children_env(start.request.env, start.snapshot, session_id),
        root=start.cwd,
        interactive=config.interactive,
    )
    client = make_client(
        start.model,
        start.env,
        cwd=start.cwd,
        api_key_helper=start.snapshot.text("apiKeyHelper"),
        find_session=files.find,
    )
    return _Parts(
        start=start,
        bus=bus,
        session_id=session_id,
        files=files,
        client=client,
        profile=profile_of(start.env),
        services=services,
        inbox=Inbox(),
        live=LiveSettings(start.request, start.snapshot),
        registry=_registry(start, agent),
        retries=RetryPolicy.from_env(start.env),
    )


def _session_id(config: RunConfig, files: SessionFiles) -> str:
    """The id of a new session; checked when it was given."""
    wanted = config.session_id
    if wanted is None:
        return new_id()
    if not is_session_id(wanted):
        raise UsageError("--session-id must be a UUID")
    if (config.resume or config.resume_last) and not config.fork:
        raise UsageError("--session-id with --resume or --continue needs --fork-session")
    if files.path(wanted).exists():
        raise UsageError(f"Session ID {wanted} is already in use.")
    return wanted.lower()


def _registry(start: Start, agent: "AgentDefinition | None") -> Registry:
    """The tools that flags, the agent of the session and bare deny rules leave."""
    parallel = start.snapshot.text("hames.dispatch.parallelCommands") or "readOnly"
    config = start.config
    specs = choose_tools(config.tools, bare=config.bare)
    if agent is not None:
        specs = tools_of_agent(specs, agent.tools, agent.disallowed)
    if not config.slash_commands or config.bare or config.safe:
        specs = [spec for spec in specs if spec.name != "Skill"]
    removed = _removed(start, [spec.name for spec in specs])
    return Registry(specs, {"Bash": {"parallel_commands": parallel}}, removed)


def _removed(start: Start, names: list[str]) -> frozenset[str]:
    """The tools that bare deny rules take away; plain names need no rule engine."""
    rules = bare_rules(start.snapshot.rules)
    plain = plain_names(rules)
    if plain is not None:
        return plain
    policy: Any = import_module("hames.settings.permissions.policy")
    removed: frozenset[str] = policy.compile_policy(
        rules, root=start.cwd, home=start.home
    ).removed_tools(names)
    return removed


def _attention(parts: _Parts, library: Library) -> Attention:
    plan = plan_file(library, parts.session_id)
    return Attention(library, plan, parts.start.model, tuple(parts.registry.names))


def _first_state(start: Start) -> SessionState:
    return SessionState(cwd=start.cwd, mode=start.mode)


def _asked(start: Start) -> frozenset[str]:
    """The fields of the session state that flags of this run decide."""
    config = start.config
    mode = config.permission_mode is not None or config.skip_permissions or start.snapshot.locked
    thinking = config.thinking is not None or config.max_thinking_tokens is not None
    given = {
        "mode": mode,
        "model": config.model is not None,
        "effort": config.effort is not None,
        "max_thinking": thinking,
    }
    return frozenset(name for name, asked in given.items() if asked)


def _header(parts: _Parts) -> Header:
    repository = parts.start.repository
    return Header(
        session_id=parts.session_id,
        cwd=str(parts.start.cwd),
        entrypoint=parts.start.config.entrypoint,
        branch=current_branch(repository) if repository is not None else None,
    )


def _first_agent(config: RunConfig, seats: Seats, parts: _Parts) -> Agent:
    """The conversation that the run starts or goes on with."""
    fork_as = parts.session_id if config.fork else None
    path: Path | None = None
    if config.resume is not None:
        path = parts.files.find(config.resume)
    elif config.resume_last:
        path = parts.files.newest()
    if path is None:
        return seats.new(parts.session_id, "startup")
    agent, skipped = seats.stored(
        path, fork_as=fork_as, at=config.resume_at, drops=config.resume_drops
    )
    if skipped:
        scope_id = agent.record.session_id
        parts.bus.emit(Notice(Scope(scope_id), "warning", skipped_lines(path, skipped)))
    return agent


async def _start_git(start: Start) -> GitSnapshot | None:
    """Git begins to look at the repository while everything else is built."""
    config = start.config
    wanted = start.snapshot.value("includeGitInstructions") is not False
    off = is_on(start.env, "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS")
    replaced = config.system.system is not None or config.bare
    if start.repository is None or not wanted or off or replaced:
        return None
    return await start_git_snapshot(start.repository, start.env)


def _reports(parts: _Parts, tools: LateTools) -> Reports:
    snapshot = parts.start.snapshot
    source = key_source(parts.start.env, snapshot.text("apiKeyHelper"))
    style = snapshot.text("outputStyle") or "default"
    return Reports(source, style, tools.library, tools.context, parts.start.config.betas)


def _when_sent(parts: _Parts, following: Following) -> Callable[[], None]:
    """What is done while the first answer is awaited."""
    warmup = Warmup((WIRING, *WARM) if parts.start.snapshot.hooks else WARM)

    def sent() -> None:
        warmup.start()
        following.begin()

    return sent


def _ending(parts: _Parts, following: Following) -> Callable[[], Awaitable[None]]:
    """Gives up what a session holds: connections, hooks in the background, every process."""

    async def end() -> None:
        await following.aclose()
        if parts.services.hooks is not None:
            await parts.services.hooks.aclose()
        await parts.client.aclose()
        await sweep(parts.session_id)

    return end
