"""The entry point: `--version` before click, subcommands by name, else a run."""

import gc
import os
import sys
from importlib import import_module
from typing import Any, NoReturn

from hames import __version__
from hames.cli.commands.registry import COMMANDS, near_command


def main() -> NoReturn:
    """Run the command line; never returns."""
    _open_standard_files()
    argv = sys.argv[1:]
    if argv[:1] in (["-v"], ["--version"]):
        sys.stdout.write(f"{__version__} (hames)\n")
        sys.exit(0)
    near = near_command(argv[0]) if len(argv) == 1 else None
    if near is not None:
        sys.stderr.write(f"Did you mean hames {near}?\n")
        sys.exit(1)
    # What imports make is never garbage; looking for it takes a tenth of the start.
    gc.disable()
    invoke = import_module("hames.cli.invoke").invoke
    if argv and argv[0] in COMMANDS:
        module = _load(f"hames.cli.commands.{argv[0].replace('-', '_')}")
        sys.exit(invoke(module.command, argv[1:], f"hames {argv[0]}"))
    words = import_module("hames.cli.argv").normalise(argv)
    command = import_module("hames.cli.flags").command(_run)
    sys.exit(invoke(command, words, "hames"))


def _run(**given: Any) -> int:
    """A run, whose modules `--help` and errors in the flags do without."""
    code: int = _load("hames.cli.run").run(**given)
    return code


def _load(name: str) -> Any:
    """The module that does the work; from now on garbage is collected again."""
    module = import_module(name)
    gc.freeze()
    gc.enable()
    return module


def _open_standard_files() -> None:
    """Fill the places of stdin, stdout and stderr when we were started without them.

    The next file that is opened would get their numbers, and the output would go into it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            fd = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(fd, mode, encoding="utf-8"))
