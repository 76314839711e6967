"""The composition root: the only place that wires the engine together."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hames.harness.agent import AgentFactory
from hames.harness.attention import Attention, plan_file
from hames.harness.builtin_commands import builtin_commands
from hames.harness.bus import Bus
from hames.harness.commands import Commands
from hames.harness.events import Notice, Scope
from hames.harness.first_conversation import choose_session_id, first_agent, first_seats
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
from hames.harness.questions import Questions
from hames.harness.reports import Reports
from hames.harness.request_fields import conversation_options, effort_of
from hames.harness.run_config import RunConfig
from hames.harness.runner import Runner
from hames.harness.seats import Seats
from hames.harness.services import Services
from hames.harness.session import Session
from hames.harness.sessions import SessionFiles
from hames.harness.start import Start, children_env, prepare
from hames.harness.tool_set import offered_registry
from hames.harness.usage import UsageLedger
from hames.harness.user_commands import UserCommands
from hames.harness.warmup import Warmup
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
    as_agent = library.main_agent
    parts = _parts(_as_agent(start, as_agent), as_agent)
    hooks = _late_hooks(parts)
    tools = _late_tools(parts, library)
    following = Following(hooks)
    factory = _factory(parts, tools, _opening(parts, git, library, hooks), following)
    seats = first_seats(start, factory, parts.files, parts.session_id)
    _register_hooks(hooks, library)
    agent = first_agent(config, seats, parts.session_id, parts.bus.emit)
    parts.services.record = agent.record
    reports = _reports(parts, tools)
    runner = Runner(
        agent=agent,
        services=parts.services,
        inbox=factory.inbox,
        commands=Commands(),
        describe=reports.session,
        setup=config.setup,
        opener=as_agent.initial_prompt if as_agent is not None else "",
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
    for level, text in start.notices:
        runner.emit(Notice(runner.scope, level, text))


def _add_commands(runner: Runner, seats: Seats, reports: Reports, tools: LateTools) -> None:
    commands = runner.commands
    commands.add(builtin_commands(runner, seats, reports))
    commands.add(tools.commands(runner))
    commands.use(UserCommands(tools.library, tools.expander(lambda: runner.agent)))


def _register_hooks(hooks: LateHooks, library: Library) -> None:
    """Those of the settings and those of the enabled plugins."""
    hooks.register(hooks.start.snapshot)
    if library.plugins:
        hooks.register_plugins(library.plugins)


def _as_agent(start: Start, agent: "AgentDefinition | None") -> Start:
    """The start with the model of the agent that the session runs as, unless a flag names one."""
    given = start.config.model or (agent.model if agent is not None else None)
    return start if given in (None, "inherit") else start._replace(model=given)


def _late_tools(parts: _Parts, library: Library) -> LateTools:
    return LateTools(
        start=parts.start,
        session_id=parts.session_id,
        services=parts.services,
        live=parts.live,
        registry=parts.registry,
        library=library,
        client=parts.client,
    )


def _factory(
    parts: _Parts, tools: LateTools, opening: FileOpening, following: Following
) -> AgentFactory:
    options = conversation_options(
        parts.start, parts.profile, parts.registry, parts.retries, _when_sent(parts, following)
    )
    parts.services.effort = effort_of(options)
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
    session_id = choose_session_id(config, files)
    services = Services(
        emit=bus.emit,
        questions=Questions(bus.emit, config.answerable),
        ledger=UsageLedger(),
        env=children_env(start.request.env, start.snapshot, session_id),
        root=start.cwd,
        interactive=config.interactive,
        agent_type=agent.name if agent is not None else None,
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
        registry=offered_registry(start, agent),
        retries=RetryPolicy.from_env(start.env),
    )


def _attention(parts: _Parts, library: Library) -> Attention:
    plan = plan_file(library, parts.session_id)
    return Attention(library, plan, parts.start.model, tuple(parts.registry.names))


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
