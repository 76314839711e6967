"""The entry point: `--version` before click, subcommands by name, else a run."""

import sys
from importlib import import_module

from hames import __version__
from hames.cli.commands.registry import COMMANDS


def main() -> None:
    """Run the command line; never returns."""
    argv = sys.argv[1:]
    if argv and argv[0] in ("-v", "--version"):
        sys.stdout.write(f"{__version__} (hames)\n")
        sys.exit(0)
    if argv and argv[0] in COMMANDS:
        module = import_module(f"hames.cli.commands.{argv[0].replace('-', '_')}")
        module.command.main(args=argv[1:], prog_name=f"hames {argv[0]}")
    sys.exit("hames: nothing to run yet")
