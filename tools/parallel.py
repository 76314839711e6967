"""Which shell commands may run beside their neighbours in one message."""

import re

from hames.tools.simple_commands import Simple, simple_commands

_ALL = "all"
_META = re.compile(r"[<>()$`{}!#\\]|(?<!&)&(?!&)")
_ANY = re.compile(r"(?!)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READERS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        _words(
            "basename cat cmp comm cut df diff dirname du echo egrep expr false fgrep fmt grep"
            " head id ls md5sum numfmt paste pgrep pr pwd readlink realpath seq sha1sum sha256sum"
            " stat tail tr true tsort type wc which whoami"
        ),
        _ANY,
    ),
    "fd": re.compile(r"-[a-zA-Z]*[xX]|--exec"),
    "find": re.compile(r"-(exec|ok|delete|fprint|fls|files0)"),
    "rg": re.compile(r"--(pre|hostname-bin|search-zip)|-[a-zA-Z]*z"),
    "sleep": re.compile(r"-"),
    "sort": re.compile(r"-[a-zA-Z]*[oT]|--(output|temp|compress|files0)"),
    "tree": re.compile(r"-[a-zA-Z]*[oR]|--output"),
}
"""Commands that only read, with the arguments that make them do more."""

_GIT_READERS = _words(
    "blame cat-file describe diff log ls-files ls-tree merge-base rev-list rev-parse shortlog show"
    " status"
)
_GIT_REFUSED = re.compile(r"--(output|ext-diff|textconv|exec|upload-pack)|-O")


def parallel_command(command: str, policy: str) -> bool:
    """Whether the command may share its place; `policy` is `readOnly` or `all`."""
    if policy == _ALL:
        return True
    parts = None if _META.search(command) else simple_commands(command)
    return bool(parts) and all(_only_reads(part) for part in parts or ())


def _only_reads(part: Simple) -> bool:
    name, *rest = part.words
    if name == "git":
        refused = _GIT_REFUSED if rest and rest[0] in _GIT_READERS else None
    else:
        refused = _READERS.get(name)
    return refused is not None and not any(refused.match(word) for word in rest)
