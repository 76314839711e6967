"""Makes the hook points of a session and registers hooks; imported only when there are any."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hames.harness.events import Notice, Scope
from hames.harness.hook_points import HookPoints
from hames.harness.hook_runners import CallbackRunner, LateRunner, ServerRunner
from hames.harness.inbox import Inbox, Prompt
from hames.harness.ops import new_id
from hames.harness.reminders import hook_context
from hames.harness.services import Services
from hames.harness.start import Start
from hames.hooks.background import BackgroundResult
from hames.hooks.config import HookProblem, parse_callbacks
from hames.hooks.context import HookSession
from hames.hooks.engine import HookEngine
from hames.hooks.from_settings import hook_policy, settings_hooks
from hames.hooks.policy import HookPolicy
from hames.hooks.ports import Runner
from hames.hooks.spec import HookSource
from hames.settings import paths
from hames.settings.snapshot import Snapshot
from hames.system.types import JsonObject

CLIENT = HookSource("sdk", "Client")
WOKEN: JsonObject = {"kind": "auto-continuation"}


def make_hook_points(
    services: Services, start: Start, session_id: str, models: Callable[[], Runner], inbox: Inbox
) -> HookPoints:
    """The points of a session, without any hook yet. They are those of `services` from now on.

    `models` makes the runner of prompt and agent hooks.
    """
    late = LateRunner(models)
    facts = _Facts(services, start)
    points = HookPoints(
        services,
        HookEngine(
            facts.of(session_id),
            HookPolicy(),
            runners={
                "prompt": late,
                "agent": late,
                "callback": CallbackRunner(services),
                "mcp_tool": ServerRunner(),
            },
            deliver=_Delivery(services, inbox).take,
        ),
        facts.of,
    )
    services.hooks = points
    if services.record is not None:
        points.enter(services.record)
    return points


@dataclass(frozen=True, slots=True)
class _Facts:
    """What hooks are told of a session; folders are those of the start directory."""

    services: Services
    start: Start

    def of(self, session_id: str) -> HookSession:
        start, services = self.start, self.services
        project = paths.project_directory(start.env, start.home, start.cwd)
        env_file = project / session_id / "env.sh"
        return HookSession(
            session_id=session_id,
            transcript_path=paths.session_file(project, session_id),
            project_dir=start.cwd,
            env=services.env,
            spill=paths.tool_results_directory(project, session_id),
            env_file=env_file,
        )


@dataclass(frozen=True, slots=True)
class _Delivery:
    """What background hooks say: for the next request, or as a reason to begin one."""

    services: Services
    inbox: Inbox

    def take(self, said: BackgroundResult) -> None:
        name = said.run.hook_name
        texts = [text for text in (said.context, said.system_message) if text]
        self.services.reminders += [hook_context(name, text) for text in texts]
        if said.wake:
            text = hook_context(name, said.wake)
            self.inbox.put(Prompt(new_id(), text, WOKEN, literal=True, hidden=True))
        scope = Scope(self.services.record.session_id if self.services.record else "")
        for notice in said.run.result.notices:
            self.services.emit(Notice(scope, "warning", notice))


def register_settings(points: HookPoints, services: Services, snapshot: Snapshot) -> None:
    """Put the hooks of the settings in force, and the switches that rule all hooks."""
    found = settings_hooks(snapshot)
    points.engine.apply(hook_policy(snapshot))
    points.engine.register("settings", found.specs)
    points.refresh()
    tell_problems(services, found.problems)


def register_client(points: HookPoints, services: Services, hooks: JsonObject) -> None:
    """Put the callbacks of a client in the place of those it brought before."""
    config = parse_callbacks(hooks, CLIENT)
    services.questions.answers_too("hook_callback")
    points.engine.register("sdk", config.specs)
    points.refresh()
    tell_problems(services, config.problems)


def tell_problems(services: Services, problems: Iterable[HookProblem]) -> None:
    """Problems become notices; events that hames does not know matter to people only."""
    scope = Scope(services.record.session_id if services.record else "")
    for problem in problems:
        if problem.kind != "event" or services.interactive:
            services.emit(Notice(scope, "warning", str(problem)))
