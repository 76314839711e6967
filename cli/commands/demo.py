"""`hames demo`: a small project with a bug is repaired in a temporary folder."""

import asyncio
import json
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from hames.cli.print_mode import PrintOptions, prompt_front, run_print
from hames.harness.run_config import RunConfig
from hames.settings.load import LoadRequest, load_settings
from hames.system.process import Command, Finished, run

HERE = Path(__file__).with_name("demo")
PROMPT = "The tests fail. Find out why, repair the code and show me that they pass."
SCRIPTED = "The model is scripted: no key, no network. The loop, tools and rules are real."
LIVE = "The configured model works on it."
SECONDS = 60.0


@click.command("demo", help="Repair a small project in a temporary folder, step by step.")
@click.option("--live", is_flag=True, help="Use the configured model instead of the scripted one.")
@click.option("--script", type=click.Path(exists=True, path_type=Path), hidden=True)
def command(live: bool, script: Path | None) -> int:
    """Copy the project, run the agent on it, check the result; exit 0 when the tests pass."""
    folder = Path(tempfile.mkdtemp(prefix="hames-demo-"))
    _leave_git_variables()
    project = _copy_project(folder)
    config = RunConfig(
        cwd=project,
        model=None if live else f"scripted:{(script or HERE / 'script.json').absolute()}",
        settings=_live_settings(project) if live else None,
        permission_mode="acceptEdits",
        allowed_tools=(f"Bash({_python()} -m unittest *)",),
    )
    os.environ["CLAUDE_CONFIG_DIR"] = str(folder / "config")
    os.chdir(project)
    model = LIVE if live else SCRIPTED
    _say(f"hames demo: {project} is a copy of a small shop with a bug.\n{model}\n\n> {PROMPT}\n")
    options = PrintOptions(progress=True)
    code = run_print(config, prompt_front(PROMPT, options), options)
    return code or _conclude(folder, project, live=live)


def _leave_git_variables() -> None:
    """The demo is a repository of its own, also when a git hook starts it."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


def _live_settings(project: Path) -> str:
    """What the user's own settings say about the model, as a settings object."""
    home = Path(os.environ.get("HOME") or Path.home())
    request = LoadRequest(cwd=project, env=os.environ, home=home, setting_sources=("user",))
    snapshot = load_settings(request)
    found = {"env": dict(snapshot.env)}
    keys = {key: snapshot.text(key) for key in ("model", "apiKeyHelper")}
    return json.dumps(found | {key: value for key, value in keys.items() if value})


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _python() -> str:
    return shlex.quote(sys.executable)


def _copy_project(folder: Path) -> Path:
    """The project as a git repository with one commit and an `.env` that nobody may read."""
    project = folder / "shop"
    shutil.copytree(HERE / "project", project)
    (project / "env.example").rename(project / ".env")
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "A shop")):
        identity = ("-c", "user.name=demo", "-c", "user.email=demo@example.invalid")
        done = _run(("git", *identity, *arguments), project)
        if done.exit is None or done.exit.code != 0:
            raise click.ClickException(f"git {arguments[0]} failed: {done.stderr.decode()}")
    return project


def _conclude(folder: Path, project: Path, *, live: bool) -> int:
    """Run the tests once more, independently of the agent, and say what lies where."""
    done = _run((sys.executable, "-m", "unittest", "-q"), project)
    green = done.exit is not None and done.exit.code == 0
    _say("\nThe tests pass." if green else "\nThe tests still fail:\n" + done.stderr.decode())
    for path in sorted((folder / "config" / "projects").glob("*/*.jsonl")):
        _say(f"\nTranscript: {path}\nGo on from here, with the same conversation:")
        _say("  " + _next_command(folder, project, path.stem, live=live))
        if not live:
            _say("Or let a model do the work (it needs a key): hames demo --live")
    return 0 if green else 1


def _next_command(folder: Path, project: Path, session: str, *, live: bool) -> str:
    """A command that asks about the repair; without a key it is answered by a second script."""
    words = [*_program(), "-p", "--resume", session]
    if not live:
        script = folder / "follow-up.json"
        shutil.copyfile(HERE / "follow-up.json", script)
        words += ["--model", f"scripted:{script}"]
    config = shlex.quote(str(folder / "config"))
    command = f"CLAUDE_CONFIG_DIR={config} {shlex.join([*words, 'What did you change?'])}"
    return f"cd {shlex.quote(str(project))} && {command}"


def _program() -> list[str]:
    """What to type for this very hames."""
    found = shutil.which("hames")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return ["hames"]
    beside = Path(sys.executable).with_name("hames")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "hames"]


def _run(argv: tuple[str, ...], cwd: Path) -> Finished:
    """Run a command without the git settings of the user and the system."""
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    env = {**os.environ, **quiet, "PYTHONDONTWRITEBYTECODE": "1"}
    return asyncio.run(run(Command(argv, cwd, env), timeout=SECONDS))
