"""A typed `/name args`: up to six leading skills, rendered one after the other."""

from collections.abc import Callable

from hames.harness.agent import Agent
from hames.harness.commands import Expanded, Said
from hames.harness.services import Services
from hames.harness.skill_runs import SkillRefused, SkillRuns, stacked
from hames.harness.turn import Turn
from hames.settings.definitions import Skill
from hames.system.types import JsonObject
from hames.tools.effects import Effect

MAX_STACKED = 6
INTERRUPTED = "The command was interrupted before it reached the model."
MODEL_ONLY = "/{name} is for the model alone; its author does not let users run it."


class Expansion:
    """Expands the commands of a session. `agent` is whose turn it is."""

    def __init__(self, runs: SkillRuns, services: Services, agent: Callable[[], Agent]) -> None:
        self._runs = runs
        self._services = services
        self._agent = agent

    async def expand(self, name: str, arguments: str, turn: Turn) -> Expanded | Said | None:
        """The message that the command stands for; None when there is none of this name."""
        first = self._runs.find(name)
        if first is None:
            return None
        skills, rest = self._leading(first, arguments)
        hidden = next((skill for skill in skills if not skill.user_invocable), None)
        if hidden is not None:
            return Said(MODEL_ONLY.format(name=hidden.name), failed=True)
        try:
            work = self._expanded(skills, rest, turn)
            return await turn.result_of(work, Said(INTERRUPTED, failed=True))
        except SkillRefused as refusal:
            return Said(str(refusal), failed=True)

    def _leading(self, first: Skill, arguments: str) -> tuple[list[Skill], str]:
        """The skills at the start of the message, and the text that all of them get."""
        skills = [first]
        while len(skills) < MAX_STACKED and (following := stacked(arguments)) is not None:
            skill = self._runs.find(following[0])
            if skill is None:
                break
            skills.append(skill)
            arguments = following[1]
        return skills, arguments

    async def _expanded(self, skills: list[Skill], rest: str, turn: Turn) -> Expanded | Said:
        agent = self._agent()
        calls = agent.loop.calls()
        contents: list[str | list[JsonObject]] = []
        effects: list[Effect] = []
        for skill in skills:
            hooks = self._services.hooks
            if hooks is not None:
                said = await hooks.expansion(
                    skill.name, rest, skill.source, turn.scope, agent.record.state
                )
                if said.blocked is not None:
                    return Said(said.blocked, failed=True)
                contents += said.contexts
            body = await self._runs.invoke(skill, rest, calls, turn, agent.record)
            contents += body.contents
            effects += body.effects
        return Expanded(tuple(contents), tuple(effects))
