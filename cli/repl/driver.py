"""The REPL itself: what keys ask for becomes ops, what happens becomes lines."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from hames import __version__
from hames.cli.paint import is_dumb, paint_for
from hames.cli.repl.console import Console
from hames.cli.repl.desk import Desk
from hames.cli.repl.dialogs import permission_dialog
from hames.cli.repl.engine import Engine
from hames.cli.repl.history import PromptHistory
from hames.cli.repl.input import InputLine
from hames.cli.repl.live import live_lines
from hames.cli.repl.opening import opened
from hames.cli.repl.past import last_events
from hames.cli.repl.picture import Picture
from hames.cli.repl.plain import PlainConsole
from hames.cli.repl.render import Renderer
from hames.cli.repl.screen import Screen
from hames.cli.repl.slash import completions, own_command, unknown_command
from hames.cli.repl.slash_actions import SlashActions
from hames.cli.repl.status import status_line
from hames.cli.repl.view import View
from hames.harness import events as ev
from hames.harness import ops
from hames.harness.build import build_session
from hames.harness.run_config import RunConfig
from hames.harness.sessions import SessionFiles
from hames.settings import paths
from hames.system.text import clean
from hames.system.types import JsonObject, as_list

CYCLE = ("default", "acceptEdits", "plan")
AGAIN_SECONDS = 2.0
"""How long a second Ctrl-C counts as a second one."""

NOT_TRUSTED = 1


class Repl:
    """One interactive run; its keys are `hames.cli.repl.input.Actions`."""

    def __init__(self, config: RunConfig, env: Mapping[str, str]) -> None:
        self.exit_code = 0
        self._config = config
        self._env = env
        self._home = Path(env.get("HOME") or Path.home())
        self._paint = paint_for(env, sys.stdout.encoding, terminal=True)
        self._view = View(cwd=str(config.cwd))
        self._early: list[str] = []
        self._cancelled_at = 0.0
        self.console = self._console()
        self._renderer = Renderer(self._paint, lambda: self.console.size[0], str(config.cwd))
        self._desk = Desk(self.console, self._renderer, self._paint)
        self.engine = Engine(lambda text: self._desk.say(text, "warn"))
        self._slash = SlashActions(
            self.engine, self._desk, self._view, self.leave, self._files().listed
        )

    def submit(self, text: str) -> None:
        """A command or message; a message waits while a turn runs."""
        text = clean(text)
        own = own_command(text)
        unknown = unknown_command(text, self._view.commands)
        if not self._view.started and self._desk.asking:
            self.console.put_back(text)
        elif not self._view.started:
            self._early.append(text)
        elif own is not None:
            self.console.write(self._renderer.prompt(text))
            self._slash.run(*own)
        elif unknown is not None:
            self.console.write(self._renderer.prompt(text))
            self._desk.say(unknown, "warn")
        else:
            self._send(text)
        self.console.refresh()

    def _send(self, text: str) -> None:
        uuid = ops.new_id()
        if self._view.working:
            self._view.queued[uuid] = text
        else:
            self.console.write(self._renderer.prompt(text))
            self._view.expect()
        self.engine.send(ops.UserInput(text, uuid=uuid))

    def interrupt(self) -> None:
        """Stop the running turn; queued messages go on as the next one."""
        if self._view.working and self.engine.send(ops.Interrupt()):
            self._view.interrupting = True
            self.console.refresh()

    def cancel(self) -> bool:
        """Ctrl-C: stop everything; idle, clear the input and leave at the second press."""
        if self._view.working and not self._view.interrupting:
            self.take_back()
            self.interrupt()
            return False
        now = self._view.clock()
        if now - self._cancelled_at < AGAIN_SECONDS:
            self.leave()
        else:
            self._cancelled_at = now
            self._view.say("Press Ctrl-C again to leave", AGAIN_SECONDS)
        self.console.refresh()
        return True

    def take_back(self) -> bool:
        """Give what is queued back to the input."""
        if not self._view.queued:
            return False
        return self.engine.send(ops.TakeBack(), self._taken_back)

    def _taken_back(self, value: JsonObject) -> None:
        self._view.queued.clear()
        texts = [text for text in as_list(value.get("contents")) if isinstance(text, str)]
        if texts:
            self.console.put_back("\n".join(texts))
        self.console.refresh()

    def cycle_mode(self) -> None:
        """The next permission mode; bypassing only where the start allowed it."""
        config = self._config
        bypass = config.skip_permissions or config.allow_skip_permissions
        modes = (*CYCLE, "bypassPermissions") if bypass else CYCLE
        here = modes.index(self._view.mode) if self._view.mode in modes else -1
        self._slash.set_mode(modes[(here + 1) % len(modes)])
        self.console.refresh()

    def leave(self) -> None:
        """End the program as the user wants it."""
        self.console.close()

    def stop(self, exit_code: int) -> None:
        """End the program because a signal says so."""
        self.exit_code = exit_code
        self.console.close()

    def resume_hint(self) -> str:
        """How to go on later; "" when nothing was stored."""
        path = self._view.transcript
        if self.exit_code or path is None or not Path(path).exists():
            return ""
        return self._paint("dim", f"Go on with: hames --resume {self._view.session_id}")

    async def work(self, prompt: str | None, *, pick: bool) -> None:
        """Open the session and follow its events to the end. Raises HamesError."""
        try:
            config = await opened(self._config, self._env, self._home, self._desk, pick=pick)
            if config is None:
                self.exit_code = NOT_TRUSTED
                return
            session = await build_session(config, self._env)
            self.engine.session = session
            session.start()
            self.engine.send(ops.Describe("session"), self._described)
            self._early[:0] = [prompt] if prompt else []
            async for event in session.events():
                self._take(event)
                if isinstance(event, ev.SessionStarted):
                    self._submit_early()
                await asyncio.sleep(0)  # keys and frames get their turn in a flood of events
        finally:
            self.console.close()

    def _submit_early(self) -> None:
        """What was asked for before the session was there."""
        early, self._early = self._early, []
        for text in early:
            self.submit(text)

    def _described(self, facts: JsonObject) -> None:
        self._view.describe(facts)
        self.console.refresh()

    def _take(self, event: ev.Event) -> None:
        """Follow one event of the session."""
        match event:
            case ev.OpDone() | ev.OpFailed():
                self.engine.settle(event)
            case ev.Asked() if event.kind == "permission":
                self._ask(event)
            case ev.AskCancelled():
                self._desk.drop(event.request_id)
            case ev.TerminalSequence():
                self.console.signal(event.text)
            case _ if event.scope.agent_id is None:
                self._echo(event)
                self.console.write(self._renderer.take(event))
                self._view.take(event)
                if isinstance(event, ev.SessionStarted):
                    self._greet(event)
            case _:
                pass
        self.console.refresh()

    def _ask(self, asked: ev.Asked) -> None:
        def reply(answer: ops.PermissionAnswer) -> None:
            self.engine.send(ops.Reply(asked.request_id, answer))

        self._desk.ask(permission_dialog(asked, self._paint, reply))

    def _echo(self, event: ev.Event) -> None:
        """Show a queued message where it joins the conversation."""
        taken: tuple[str, ...] = ()
        if isinstance(event, ev.PromptTaken):
            taken = (event.uuid,)
        elif isinstance(event, ev.TurnFinished):
            taken = event.result.prompt_uuids
        for uuid in taken:
            text = self._view.queued.get(uuid)
            if text is not None:
                self.console.write(self._renderer.prompt(text))

    def _greet(self, event: ev.SessionStarted) -> None:
        if event.source == "startup":
            name = self._paint("bold", "hames")
            about = self._paint("dim", f"{__version__}  /help shows keys and commands")
            self._desk.show([f"{name} {about}"])
        elif event.source in ("resume", "fork") and event.transcript:
            for item in last_events(Path(event.transcript)):
                if isinstance(item, str):
                    self.console.write(self._renderer.prompt(item))
                else:
                    self.console.write(self._renderer.take(item))

    def _files(self) -> SessionFiles:
        return SessionFiles(self._env, self._home, self._config.cwd)

    def _console(self) -> Console:
        picture = Picture(
            live=lambda size: live_lines(
                self._view, self._renderer.unfinished(), self._paint, size
            ),
            status=lambda width: status_line(self._view, self._paint, width, str(self._home)),
            moving=lambda: self._view.working or bool(self._view.told),
        )
        if is_dumb(self._env):
            return PlainConsole(picture, self, self._paint)
        skipped = self._env.get("CLAUDE_CODE_SKIP_PROMPT_HISTORY", "") in ("1", "true")
        file = paths.config_home(self._env, self._home) / "history.jsonl"
        history = PromptHistory(
            None if skipped else file, str(self._config.cwd), lambda: self._view.session_id
        )
        line = InputLine(history, lambda: completions(self._view), self)
        return Screen(picture, line, self._paint, self._env)
