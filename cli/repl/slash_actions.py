"""What the commands of the REPL do."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hames.cli.repl.desk import Desk
from hames.cli.repl.dialogs import Choice, Dialog
from hames.cli.repl.engine import Engine
from hames.cli.repl.opening import NO_SESSIONS
from hames.cli.repl.past import past_sessions, sessions_dialog
from hames.cli.repl.slash import help_rows, status_text
from hames.cli.repl.view import View
from hames.harness import ops
from hames.harness.models.catalog import EFFORTS
from hames.harness.modes import MODES
from hames.harness.reports import cost_text
from hames.system.types import JsonObject

MODELS = ("sonnet", "opus", "haiku", "fable")


class SlashActions:
    """Runs own commands; each works at any time. `listed` gives the stored sessions."""

    def __init__(
        self,
        engine: Engine,
        desk: Desk,
        view: View,
        leave: Callable[[], None],
        listed: Callable[[], list[Path]],
    ) -> None:
        self._engine = engine
        self._desk = desk
        self._view = view
        self._leave = leave
        self._listed = listed

    def run(self, name: str, arguments: str) -> None:
        """Carry out a command of `slash.OWN`."""
        actions: Mapping[str, Callable[[str], None]] = {
            "exit": lambda _: self._leave(),
            "quit": lambda _: self._leave(),
            "help": lambda _: self._desk.show(help_rows(self._view, self._desk.paint)),
            "status": lambda _: self._desk.say(status_text(self._view)),
            "resume": self._resume,
            "continue": self._resume,
            "mode": self.set_mode,
            "model": self._model,
            "effort": self._effort,
            "cost": self._cost,
            "usage": self._cost,
        }
        actions[name](arguments)

    def set_mode(self, mode: str) -> None:
        """Change the permission mode, at once on the screen; "" asks which."""
        if not mode:
            self._pick("Which permission mode?", MODES, self._view.mode, self.set_mode)
            return
        before, self._view.mode = self._view.mode, mode

        def refused(text: str) -> None:
            self._view.mode = before
            self._desk.say(text, "warn")

        self._engine.send(ops.SetMode(mode), self._mode_is, refused)

    def _mode_is(self, value: JsonObject) -> None:
        self._view.mode = str(value.get("mode", self._view.mode))

    def _model(self, name: str) -> None:
        if not name:
            self._pick("Which model?", MODELS, self._view.model, self._model)
            return

        def done(value: JsonObject) -> None:
            self._view.model = str(value.get("model", name))
            self._desk.say(f"Model: {self._view.model}, from the next request on.")

        self._engine.send(ops.SetModel(name), done)

    def _effort(self, effort: str) -> None:
        if not effort:
            self._pick("How hard should the model think?", EFFORTS, "", self._effort)
            return
        if effort not in (*EFFORTS, "default"):
            self._desk.say(f"Unknown effort; choose from {', '.join(EFFORTS)}, default.", "warn")
            return
        chosen = None if effort == "default" else effort
        text = f"Effort: {effort}, from the next request on."
        self._engine.send(ops.SetEffort(chosen), lambda _: self._desk.say(text))

    def _cost(self, arguments: str) -> None:
        del arguments
        self._engine.send(ops.Describe("cost"), lambda value: self._desk.say(cost_text(value)))

    def _resume(self, wanted: str) -> None:
        if wanted:
            self._engine.send(ops.Resume(wanted))
            return
        found = past_sessions([p for p in self._listed() if p.stem != self._view.session_id])
        if not found:
            self._desk.say(NO_SESSIONS)
            return

        def answered(key: str, text: str) -> None:
            del text
            if key.isdigit():
                self._engine.send(ops.Resume(found[int(key) - 1].session_id))

        self._desk.ask(sessions_dialog(found, self._desk.paint, answered))

    def _pick(
        self, title: str, names: Sequence[str], now: str, chosen: Callable[[str], None]
    ) -> None:
        """Choose one of a few names; the present one is highlighted."""
        choices = [Choice(str(at), name) for at, name in enumerate(names, 1)]
        choices.append(Choice("n", "leave it as it is (esc)"))
        heading = self._desk.paint("bold", title)

        def answered(key: str, text: str) -> None:
            del text
            if key.isdigit():
                chosen(names[int(key) - 1])

        here = next((at for at, name in enumerate(names) if name in now), 0)
        self._desk.ask(Dialog(heading, [heading], choices, answered, "n", selected=here))
