"""The `hooks` object of settings.json, for editors; `hames.hooks` reads it entry by entry."""

from typing import Any, Literal

from pydantic import Field

from hames.settings.model_fields import Section

Texts = list[str]


class HookHandler(Section):
    """What one hook does; the fields depend on `type`."""

    type: Literal["command", "http", "mcp_tool", "prompt", "agent"]
    condition: str = Field(default="", alias="if", description="One permission rule.")
    timeout: float = Field(default=600, gt=0, description="Seconds.")
    statusMessage: str = Field(default="", description="Text shown while it runs.")
    once: bool = Field(default=False, description="Run once (skills only).")
    onFailure: Literal["continue", "block"] = Field(
        default="continue", description="What a hook that cannot run means."
    )
    command: str = Field(default="", description="Shell text, or a program with `args`.")
    args: Texts = Field(default=[], description="Arguments; their presence means no shell.")
    background: bool = Field(default=False, alias="async", description="Do not wait.")
    asyncRewake: bool = Field(default=False, description="Exit 2 wakes the model later.")
    shell: Literal["bash", "powershell"] = Field(default="bash", description="For `command`.")
    url: str = Field(default="", description="Where an http hook posts to.")
    headers: dict[str, str] = Field(default={}, description="May use $VAR of allowed names.")
    allowedEnvVars: Texts = Field(default=[], description="Variables that headers may use.")
    server: str = Field(default="", description="A connected MCP server.")
    tool: str = Field(default="", description="Its tool.")
    input: dict[str, Any] = Field(default={}, description="Arguments of the tool.")
    prompt: str = Field(default="", description="The question; $ARGUMENTS is the input.")
    model: str = Field(default="", description="Model of a prompt or agent hook.")
    continueOnBlock: bool = Field(default=False, description="Go on after a block.")


class HookGroup(Section):
    """Handlers with one matcher."""

    matcher: str = Field(default="", description="Names separated by `|`, or a regex.")
    hooks: list[HookHandler] = Field(default=[], description="The handlers.")
