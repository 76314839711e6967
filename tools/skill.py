"""Skill: loads the instructions of a skill into the conversation."""

from pydantic import BaseModel, ConfigDict, Field

from hames.tools.base import Tool
from hames.tools.context import ToolContext
from hames.tools.result import ToolError, ToolResult


class SkillInput(BaseModel):
    """Which skill, and what for."""

    model_config = ConfigDict(extra="forbid")

    skill: str = Field(description="Name of the skill, as listed", min_length=1)
    args: str = Field(default="", description="Arguments for it")


class Skill(Tool[SkillInput]):
    """Runs a skill of the user, the project or a plugin."""

    name = "Skill"
    input_model = SkillInput

    def timeout(self, args: SkillInput) -> float | None:
        return None

    def summary(self, args: SkillInput) -> str:
        return f"{args.skill} {args.args}".strip()

    async def run(self, args: SkillInput, ctx: ToolContext) -> ToolResult:
        if ctx.ports.load_skill is None:
            raise ToolError("There are no skills in this session.")
        loaded = await ctx.ports.load_skill(args.skill, args.args)
        text = f"The skill {loaded.name} is loaded; follow it: its instructions come next."
        return ToolResult(
            text,
            {"success": True, "commandName": loaded.name},
            effects=loaded.effects,
            reminders=loaded.messages,
        )
