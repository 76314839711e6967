"""Which git commands only read."""

import re
from collections.abc import Sequence

_READING = frozenset(
    {
        "status",
        "log",
        "diff",
        "show",
        "rev-parse",
        "rev-list",
        "merge-base",
        "ls-files",
        "ls-tree",
        "blame",
        "describe",
        "cat-file",
        "shortlog",
    }
)
_REFUSED = (
    "--output",
    "--output-directory",
    "--ext-diff",
    "--textconv",
    "--filters",
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--open-files-in-pager",
)
_FULL_NAMES = frozenset({"--text"})
_VALUE_FIRST = ("-S", "-G", "-L", "-l", "-n")
_LIST_OPTIONS = re.compile(
    r"-[arvil]+|-n[0-9]*|--(list|all|remotes|verbose|show-current|ignore-case|no-color|no-column"
    r"|omit-empty|column(=.*)?|color(=.*)?|abbrev(=[0-9]+)?|no-abbrev|sort=.*|format=.*"
    r"|contains(=.*)?|no-contains(=.*)?|merged(=.*)?|no-merged(=.*)?|points-at(=.*)?)"
)
_TAKES_COMMIT = frozenset(
    {"--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--sort", "--format"}
)
_CONFIG_SCOPES = frozenset(
    {
        "--global",
        "--system",
        "--local",
        "--worktree",
        "--show-origin",
        "--show-scope",
        "--name-only",
        "-z",
        "--null",
    }
)


def git_problem(words: Sequence[str]) -> str | None:
    """Why a git command is not known to only read; None when it is. `words` starts with git."""
    rest = list(words[1:])
    while rest and rest[0] == "--no-pager":
        rest.pop(0)
    if not rest or rest[0].startswith("-"):
        return "git with options before its subcommand"
    name, args = rest[0], rest[1:]
    for arg in args:
        if arg == "--":
            break
        if _refused(arg):
            return f"git {name} {arg}"
    if name in _READING or _lists(name, args):
        return None
    return f"git {name}"


def _refused(arg: str) -> bool:
    if arg.startswith("--"):
        given = arg.partition("=")[0]
        return given not in _FULL_NAMES and any(long.startswith(given) for long in _REFUSED)
    return arg.startswith("-") and "O" in arg and not arg.startswith(_VALUE_FIRST)


def _lists(name: str, args: list[str]) -> bool:
    if name in ("branch", "tag"):
        return _lists_names(args, "-l" if name == "branch" else "-ln")
    first = args[0] if args else ""
    match name:
        case "remote":
            return args in (["-v"], ["--verbose"]) or (first == "get-url" and len(args) > 1)
        case "reflog":
            return not args or first == "show" or all(arg.startswith("-") for arg in args)
        case "stash":
            return first in ("list", "show")
        case "worktree":
            return first == "list"
        case "config":
            return _reads_config(args)
        case _:
            return False


def _lists_names(args: list[str], listing: str) -> bool:
    """Only options that list; names are patterns then, and only with an explicit `--list`."""
    explicit, operands, at = False, 0, 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg in _TAKES_COMMIT:
            at += 1
        elif not arg.startswith("-"):
            operands += 1
        elif not _LIST_OPTIONS.fullmatch(arg):
            return False
        short = not arg.startswith("--") and bool(set(arg[1:2]) & set(listing[1:]))
        explicit = explicit or arg == "--list" or (arg.startswith("-") and short)
    return explicit or operands == 0


def _reads_config(args: list[str]) -> bool:
    rest = [arg for arg in args if arg not in _CONFIG_SCOPES]
    if rest in (["--list"], ["-l"]):
        return True
    return len(rest) == 2 and rest[0] == "--get" and not rest[1].startswith("-")
