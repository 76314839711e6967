"""The entry point: `--version` before click, subcommands by name, else a run."""

import sys
from importlib import import_module
from typing import NoReturn

from hames import __version__
from hames.cli.commands.registry import COMMANDS, near_command


def main() -> NoReturn:
    """Run the command line; never returns."""
    argv = sys.argv[1:]
    if argv[:1] in (["-v"], ["--version"]):
        sys.stdout.write(f"{__version__} (hames)\n")
        sys.exit(0)
    near = near_command(argv[0]) if len(argv) == 1 else None
    if near is not None:
        sys.stderr.write(f"Did you mean hames {near}?\n")
        sys.exit(1)
    invoke = import_module("hames.cli.invoke").invoke
    if argv and argv[0] in COMMANDS:
        module = import_module(f"hames.cli.commands.{argv[0].replace('-', '_')}")
        sys.exit(invoke(module.command, argv[1:], f"hames {argv[0]}"))
    words = import_module("hames.cli.argv").normalise(argv)
    sys.exit(invoke(import_module("hames.cli.run").command, words, "hames"))
