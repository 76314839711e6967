"""Slash commands about what people keep for the model: /memory /init /skills /agents /context."""

from collections.abc import Iterable

from hames.harness.commands import Expanded
from hames.harness.context_report import report_chart
from hames.harness.context_usage import report_of
from hames.harness.library import Library
from hames.harness.memory_report import init_prompt, memory_report
from hames.harness.models.port import ModelClient
from hames.harness.reminders import one_line
from hames.harness.runner import Runner
from hames.settings.memory_files import Memory
from hames.settings.text_files import Problem

NAMES = {
    "memory": "What is loaded as instructions and memory",
    "init": "Write a CLAUDE.md for this repository",
    "skills": "The skills and commands that exist",
    "agents": "The agents that exist",
    "context": "How much of the context window is used, and by what",
    "help": "This list",
}
"""The commands of this module with one line for each."""


async def run(
    name: str, arguments: str, library: Library, runner: Runner, client: ModelClient
) -> str | Expanded:
    """The output of a command, or the message that it stands for."""
    match name:
        case "memory":
            index, _ = library.read_index()
            return memory_report(library.memory or Memory(), index, library.memory_folder)
        case "init":
            return Expanded((init_prompt(arguments),))
        case "skills":
            return _skills(library)
        case "agents":
            return _agents(library)
        case "context":
            report, _ = await report_of(runner, library, client)
            return report_chart(report, details=arguments == "all")
        case _:
            return _help(library, runner)


def _skills(library: Library) -> str:
    library.refresh()
    rows = [
        f"/{skill.name}  {_short(skill.description)}  ({skill.source}{_limits(skill.listed)})"
        for skill in library.skills
    ]
    return _listed(rows, "There are no skills or commands.", _problems(library))


def _agents(library: Library) -> str:
    library.refresh()
    rows = [f"{a.name}  {_short(a.description)}  ({a.source})" for a in library.agents]
    return _listed(rows, "There are no agents.", _problems(library))


def _help(library: Library, runner: Runner) -> str:
    about = {**NAMES, **{s.name: s.description for s in library.skills}}
    names = runner.commands.names()
    width = max(map(len, names), default=0)
    return "\n".join(f"/{name:<{width}}  {_short(about.get(name, ''))}".rstrip() for name in names)


def _problems(library: Library) -> tuple[Problem, ...]:
    return library.definitions.problems if library.definitions is not None else ()


def _listed(rows: Iterable[str], nothing: str, problems: Iterable[Problem]) -> str:
    lines = list(rows) or [nothing]
    wrong = [f"  {one_line(problem)}" for problem in problems]
    return "\n".join([*lines, *(["", "Problems:", *wrong] if wrong else [])])


def _limits(listed: bool) -> str:
    return "" if listed else ", run by the user only"


def _short(text: str) -> str:
    line = one_line(" ".join(text.split()))
    return line if len(line) <= 100 else line[:99] + "…"
