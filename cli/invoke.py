"""Runs a click command and turns every way it can end into an exit code."""

import logging
import sys
from collections.abc import Sequence

import click

from hames.harness.errors import HamesError

log = logging.getLogger(__name__)

INTERRUPTED = 130


def invoke(command: click.Command, argv: Sequence[str], name: str) -> int:
    """The exit code. User errors are one line on stderr, bugs a traceback in the log."""
    logging.getLogger("hames").addHandler(logging.NullHandler())  # nothing goes to stderr
    try:
        code = command.main(args=list(argv), prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        sys.stderr.write(f"Error: {error.format_message()}\n")
        return 1
    except HamesError as error:
        sys.stderr.write(f"{error.prefix}{error}\n")
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return 1
    except Exception as bug:
        log.exception("hames failed")
        sys.stderr.write(f"Error: hames failed: {type(bug).__name__}: {bug}\n")
        return 1
    return code if isinstance(code, int) else 0
