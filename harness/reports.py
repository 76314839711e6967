"""What a session tells about itself: the values of `Describe` and of every turn's start."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hames import CONTRACT_VERSION, __version__
from hames.harness.errors import UsageError
from hames.harness.library import Library
from hames.harness.models import catalog
from hames.harness.runner import Runner
from hames.system.types import JsonObject


@dataclass(frozen=True, slots=True)
class Reports:
    """Facts for front ends, as JSON. `style` is the output style as the settings name it.

    `context` tells what fills the window.
    """

    key_source: str
    style: str
    library: Library
    context: Callable[[Runner, str], Awaitable[JsonObject]]
    betas: tuple[str, ...] = ()

    def session(self, runner: Runner) -> JsonObject:
        """The fields of the public `system/init` message that the engine knows."""
        agent = runner.agent
        state = agent.record.state
        return {
            "cwd": str(state.cwd),
            "model": agent.conversation.models[0],
            "permissionMode": state.mode,
            "tools": sorted(agent.conversation.tool_names),
            "slash_commands": runner.commands.names(),
            "skills": [skill.name for skill in self.library.skills if not skill.is_command],
            "agents": [agent.name for agent in self.library.agents],
            "mcp_servers": [],
            "plugins": self.library.plugin_rows(),
            "output_style": self.style,
            "apiKeySource": self.key_source,
            "betas": list(self.betas),
            "claude_code_version": CONTRACT_VERSION,
            "hames_version": __version__,
        }

    def introduction(self, runner: Runner) -> JsonObject:
        """The answer to a client that introduces itself."""
        return {
            "commands": self._commands(runner),
            "agents": [
                {"name": agent.name, "description": agent.description, "model": agent.model}
                for agent in self.library.agents
            ],
            "output_style": self.style,
            "available_output_styles": [*STYLES, *(s.name for s in self.library.styles)],
            "models": [_model_row(alias) for alias in ALIASES],
            "account": {"apiKeySource": self.key_source},
            "hook_on_failure_supported": True,
        }

    def _commands(self, runner: Runner) -> list[JsonObject]:
        known = {skill.name: skill for skill in self.library.skills}
        rows: list[JsonObject] = []
        for name in runner.commands.names():
            skill = known.get(name)
            about = (skill.description, skill.argument_hint) if skill is not None else ("", "")
            rows.append({"name": name, "description": about[0], "argumentHint": about[1]})
        return rows

    async def describe(self, runner: Runner, what: str) -> JsonObject:
        """The value of `Describe(what)`. Raises UsageError for an unknown subject."""
        match what:
            case "session":
                return self.session(runner)
            case "cost":
                return self.cost(runner)
            case "context" | "layers":
                return await self.context(runner, what)
            case "request":
                return {"body": request_text(runner)}
            case "queue":
                return {"queued": runner.inbox.queued}
            case "mcp":
                return {"mcpServers": []}
            case _:
                raise UsageError(f"there is nothing called {what!r} to describe")

    @staticmethod
    def cost(runner: Runner) -> JsonObject:
        """Money and tokens so far."""
        services = runner.services
        return {
            "total_cost_usd": services.ledger.total_usd,
            "modelUsage": services.ledger.model_usage(services.env),
        }

    def cost_text(self, runner: Runner) -> str:
        """Money and tokens so far, for people."""
        return cost_text(self.cost(runner))


def cost_text(cost: JsonObject) -> str:
    """The value of `Describe("cost")` for people."""
    lines = [f"Total cost: ${cost['total_cost_usd']:.4f}"]
    for name, used in cost["modelUsage"].items():
        lines.append(
            f"{name}: {used['inputTokens']} in, {used['outputTokens']} out, "
            f"{used['cacheReadInputTokens']} cache read, "
            f"{used['cacheCreationInputTokens']} cache write (${used['costUSD']:.4f})"
        )
    return "\n".join(lines)


def request_text(runner: Runner) -> str:
    """The body of the next request as it would be sent now. Raises UsageError before a prompt."""
    conversation = runner.agent.conversation
    if conversation.prefix is None:
        raise UsageError("there is no request before the first prompt")
    return conversation.build(conversation.models[0]).body.decode("utf-8")


STYLES = ("default", "Proactive", "Concise", "Explanatory", "Learning")
"""The output styles that hames brings along."""

ALIASES = ("default", "opus", "haiku", "fable")


def _model_row(alias: str) -> JsonObject:
    choice = catalog.resolve(alias, {})
    model = catalog.find(choice.id)
    return {
        "value": alias,
        "resolvedModel": choice.id,
        "displayName": alias.capitalize(),
        "description": f"{choice.id}, window of {model.window // 1000}K tokens",
        "supportsEffort": bool(model.efforts),
        "supportedEffortLevels": list(model.efforts),
        "supportsAdaptiveThinking": model.thinking != "manual",
    }
