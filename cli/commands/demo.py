"""`hames demo`: a small project with a bug is repaired in a temporary folder."""

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from hames.cli.print_mode import PrintOptions, prompt_front, run_print
from hames.harness.run_config import RunConfig
from hames.system.process import Command, Finished, run

HERE = Path(__file__).with_name("demo")
PROMPT = "The tests fail. Find out why, repair the code and show me that they pass."
SECONDS = 60.0


@click.command("demo", help="Repair a small project in a temporary folder, step by step.")
@click.option("--live", is_flag=True, help="Use the configured model instead of the scripted one.")
@click.option("--script", type=click.Path(exists=True, path_type=Path), hidden=True)
def command(live: bool, script: Path | None) -> int:
    """Copy the project, run the agent on it, check the result; exit 0 when the tests pass."""
    folder = Path(tempfile.mkdtemp(prefix="hames-demo-"))
    project = _copy_project(folder)
    os.environ["CLAUDE_CONFIG_DIR"] = str(folder / "config")
    model = None if live else f"scripted:{script or HERE / 'script.json'}"
    _say(f"hames demo: {project} is a copy of a small shop with a bug.")
    if live:
        _say("The configured model works on it.\n")
    else:
        _say("No model is asked: the answers are scripted; everything else is real.\n")
    os.chdir(project)
    config = RunConfig(
        cwd=project,
        model=model,
        permission_mode="acceptEdits",
        allowed_tools=(f"Bash({_python()} -m unittest *)",),
    )
    _say(f"> {PROMPT}\n")
    options = PrintOptions(progress=True)
    code = run_print(config, prompt_front(PROMPT, options), options)
    return code or _conclude(folder, project)


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
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "A shop")):
        identity = ("-c", "user.name=demo", "-c", "user.email=demo@example.invalid")
        done = _run(("git", *identity, *arguments), project)
        if done.exit is None or done.exit.code != 0:
            raise click.ClickException(f"git {arguments[0]} failed: {done.stderr.decode()}")
    return project


def _conclude(folder: Path, project: Path) -> int:
    """Run the tests once more, independently of the agent, and say what lies where."""
    done = _run((sys.executable, "-m", "unittest", "-q"), project)
    green = done.exit is not None and done.exit.code == 0
    transcripts = sorted((folder / "config" / "projects").glob("*/*.jsonl"))
    _say("")
    _say("The tests pass." if green else "The tests still fail:\n" + done.stderr.decode())
    for path in transcripts:
        _say(f"Transcript: {path}")
        _say(
            "Go on from here: "
            f"cd {shlex.quote(str(project))} && "
            f"CLAUDE_CONFIG_DIR={shlex.quote(str(folder / 'config'))} "
            f"hames -p --resume {path.stem} 'What did you change?'"
        )
    return 0 if green else 1


def _run(argv: tuple[str, ...], cwd: Path) -> Finished:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return asyncio.run(run(Command(argv, cwd, env), timeout=SECONDS))
