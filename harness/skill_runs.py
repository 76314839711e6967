"""Runs skills and commands: arguments in, commands run, files fetched, the body as a message."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hames.harness.calls import Call
from hames.harness.errors import HamesError
from hames.harness.events import Notice
from hames.harness.library import Library
from hames.harness.mentions import attach_files
from hames.harness.record import Record
from hames.harness.reminders import skill_loaded
from hames.harness.services import Services
from hames.harness.skill_text import skill_message
from hames.harness.surroundings import Surroundings
from hames.harness.turn import Turn
from hames.harness.unasked import Unasked
from hames.hooks.session_events import pre_skill_shell_command
from hames.settings.definitions import Skill
from hames.settings.skills import find_skill
from hames.settings.substitute import (
    SHELL_OFF,
    Arguments,
    Rendered,
    fill_variables,
    insert_outputs,
    render,
)
from hames.system.types import JsonObject
from hames.tools.context import LoadedSkill
from hames.tools.effects import Effect, ForTurn, Grant, Invoked
from hames.tools.result import ToolError, ToolResult

SHELL_MS = 120_000
FORKED = "The skill {name} asks for a subagent; it runs in this conversation."


class SkillRefused(HamesError):
    """The skill does not run; the text says why."""


class SkillBody(NamedTuple):
    """What an invocation puts into the conversation, and what it changes."""

    contents: tuple[str | list[JsonObject], ...]
    effects: tuple[Effect, ...]


class SkillRuns:
    """Invokes the skills of a session. `register` puts the hooks of a skill in force."""

    def __init__(
        self,
        library: Library,
        services: Services,
        surroundings: Surroundings,
        register: Callable[[Skill], None],
    ) -> None:
        self.library = library
        self._services = services
        self._surroundings = surroundings
        self._register = register

    def find(self, name: str) -> Skill | None:
        """The skill or command of this name, by its last part too."""
        return find_skill(self.library.skills, name.removeprefix("/"))

    def is_plain(self, call: Call) -> bool:
        """Whether a Skill call only adds text: no tools are allowed, no hooks or commands run."""
        if call.name != "Skill":
            return False
        skill = self.find(str(call.input.get("skill")))
        if skill is None:
            return True
        if skill.allowed or skill.hooks is not None:
            return False
        return not render(skill.body, Arguments(""), {}).shell

    async def load(
        self, name: str, arguments: str, calls: Unasked, turn: Turn, record: Record
    ) -> LoadedSkill:
        """The skill that the model asks for. Raises ToolError."""
        self.library.refresh()
        skill = self.find(name)
        if skill is None:
            self._surroundings.recall(record.state)
            skill = self.find(name)
        if skill is None:
            raise ToolError(f"There is no skill {name!r}.")
        if not skill.listed:
            raise ToolError(f"Only the user may run {skill.name!r}.")
        try:
            body = await self.invoke(skill, arguments, calls, turn, record)
        except SkillRefused as refusal:
            raise ToolError(str(refusal)) from refusal
        return LoadedSkill(skill.name, body.contents, body.effects)

    async def invoke(
        self, skill: Skill, arguments: str, calls: Unasked, turn: Turn, record: Record
    ) -> SkillBody:
        """Render the body, run its commands, fetch its files. Raises SkillRefused."""
        if skill.fork:
            text = FORKED.format(name=skill.name)
            self._services.emit(Notice(turn.scope, "info", text))
        variables = self._variables(skill, record)
        rules = tuple(fill_variables(rule, variables) for rule in skill.allowed)
        rendered = render(skill.body, Arguments(arguments, skill.arguments), variables)
        text = await self._with_outputs(skill, rendered, rules, calls, turn)
        files = await attach_files(rendered.files, calls, turn, record.state, consented=False)
        if skill.hooks is not None:
            self._register(skill)
        contents = _text_or_note(skill, arguments, skill_message(skill, text), record)
        effects = _effects(skill, rules, skill_message(skill, text))
        return SkillBody((contents, *files.contents), (*effects, *files.effects))

    async def _with_outputs(
        self, skill: Skill, rendered: Rendered, rules: Sequence[str], calls: Unasked, turn: Turn
    ) -> str:
        if not rendered.shell:
            return rendered.text
        if self.library.snapshot.flag("disableSkillShellExecution"):
            return insert_outputs(rendered, [SHELL_OFF] * len(rendered.shell))
        if skill.shell != "bash":
            raise SkillRefused(f"/{skill.name} wants {skill.shell}, which does not run here.")
        outputs: list[str] = []
        for injection in rendered.shell:
            outputs.append(await self._output(skill, injection.command, rules, calls, turn))
        return insert_outputs(rendered, outputs)

    async def _output(
        self, skill: Skill, command: str, rules: Sequence[str], calls: Unasked, turn: Turn
    ) -> str:
        hooks = self._services.hooks_now()
        if hooks is not None:
            event = pre_skill_shell_command(skill.name, command)
            said = await hooks.session.tell(event, turn.scope, calls.state)
            if said.blocked or said.stop:
                raise SkillRefused(f"/{skill.name}: a hook refused {command!r}. {said.reason}")
        given: JsonObject = {"command": command, "timeout": SHELL_MS}
        try:
            result = await calls.run_unasked("Bash", given, turn, rules=rules)
        except ToolError as refusal:
            raise SkillRefused(f"/{skill.name}: {command!r} was not run. {refusal}") from refusal
        text = _text(result)
        if result.failed:
            raise SkillRefused(f"/{skill.name}: {command!r} failed:\n{text}")
        return text

    def _variables(self, skill: Skill, record: Record) -> Mapping[str, str]:
        state = record.state
        found = {
            "CLAUDE_SKILL_DIR": str(skill.directory),
            "CLAUDE_PROJECT_DIR": str(self.library.files.cwd),
            "CLAUDE_SESSION_ID": record.session_id,
            "CLAUDE_EFFORT": state.turn.effort or state.effort or "",
        }
        if skill.plugin is not None:
            found["CLAUDE_PLUGIN_ROOT"] = str(skill.plugin.root)
            found["CLAUDE_PLUGIN_DATA"] = str(skill.plugin.data)
        return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text_or_note(skill: Skill, arguments: str, text: str, record: Record) -> str:
    """The message; one that the conversation already holds is only noted."""
    known = record.state.skills.get(skill.name) == _digest(text)
    return skill_loaded(skill.name, arguments) if known else text


def _effects(skill: Skill, rules: tuple[str, ...], text: str) -> list[Effect]:
    effects: list[Effect] = [Invoked(skill.name, _digest(text))]
    if rules:
        effects.append(Grant(rules))
    if skill.model or skill.effort or skill.disallowed:
        effects.append(ForTurn(skill.model, skill.effort, skill.disallowed))
    return effects


def _text(result: ToolResult) -> str:
    if isinstance(result.content, str):
        return result.content
    return "\n".join(str(b.get("text", "")) for b in result.content if b.get("type") == "text")


def stacked(arguments: str) -> tuple[str, str] | None:
    """Name and rest when the arguments begin with another `/name`."""
    head, _, rest = arguments.partition(" ")
    is_name = head.startswith("/") and len(head) > 1 and "/" not in head[1:]
    return (head[1:], rest.strip()) if is_name and not Path(head).exists() else None
