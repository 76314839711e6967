"""Shell text to a tree of simple commands, by tree-sitter; what is unclear is Unreadable."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hames.settings.permissions.bash_build import Builder
from hames.settings.permissions.bash_lex import NotOneWord
from hames.settings.permissions.bash_tree import Group, Unclear, Unreadable, commands_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CHARS = 10_000
"""Longer commands are never read."""

_MAX_PIECES = 100_000
_MAX_NODES_DEEP = 150
_MAX_PARTS = 400
_MAX_WORDS = 1500
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
"""To a shell each of these is a letter. The grammar's scanner asks C functions about them that
are undefined beyond one byte: it crashed on some. It gets `Q`s, so that a byte is a character."""

_PLAIN_REDIRECT = r"(?:[0-9]?>&[0-9]|[0-9&]?>>?[ \t]*[\w./-]+)"
_LONE_DASH = re.compile(rf"(?<=[ \t])-(?=(?:[ \t]|\\\n|{_PLAIN_REDIRECT}[ \t])*<<)")
"""`python - <<EOF`: the grammar loses this argument. It gets a `Q` in its place too."""

_LATE_REDIRECT = re.compile(
    rf"(<<-?[ \t]*(?:'\w+'|\"\w+\"|\\?\w+))((?:[ \t]+{_PLAIN_REDIRECT})+)(?=[ \t]*(?:\||&&))"
)
"""`<<EOF 2>&1 | head`: the grammar refuses it, and reads `2>&1 <<EOF | head`, which is the same."""

_CUTS = re.compile(r"&&|\|\||\|&|[;|&\n(){}`]")
_EARLY_REDIRECT = re.compile(rf"({_PLAIN_REDIRECT}[ \t]+)<<")

_COSTLY = (("<<", 40), ("${", 400), ("|", 900))


@lru_cache(maxsize=256)
def parse(text: str) -> Group | Unreadable:
    """The commands of a text, or why it cannot be read. Never raises."""
    reason = _refused(text)
    if reason is not None:
        return Unreadable(reason, raw_pieces(text))
    try:
        return _parse(text)
    except Unclear as unclear:
        return Unreadable(str(unclear), raw_pieces(text))
    except NotOneWord:
        return Unreadable("a word in it can be read in more than one way", raw_pieces(text))


def _refused(text: str) -> str | None:
    if len(text) > MAX_CHARS:
        return f"it is longer than {MAX_CHARS} characters"
    if _HIDDEN.search(text):
        return "it holds control or invisible characters"
    for mark, most in _COSTLY:
        if text.count(mark) > most:
            return "it is too complex to read"
    return None


def _parse(text: str) -> Group:
    root = _grammar(text)
    if root.has_error and (moved := _LATE_REDIRECT.sub(_moved, text)) != text:
        text, root = moved, _grammar(moved)
        if not all(_is_heredoc(root, found.end(1)) for found in _EARLY_REDIRECT.finditer(text)):
            raise Unclear("it goes on behind a here-document in a form that is not known")
    if root.has_error:
        raise Unclear("it is no complete shell command")
    if _depth(root) > _MAX_NODES_DEEP:
        raise Unclear("it is nested too deeply")
    tree = Builder(text).program(root)
    parts = list(commands_of(tree))
    words = sum(len(part.words) + len(part.redirects) + len(part.assignments) for part in parts)
    if len(parts) > _MAX_PARTS or words > _MAX_WORDS:
        raise Unclear("it has too many parts")
    return tree


def _moved(found: re.Match[str]) -> str:
    return f"{found[2].lstrip()} {found[1]}"


def _is_heredoc(root: "Node", at: int) -> bool:
    """Whether a here-document, and no quoted text, begins at a place."""
    node = root.descendant_for_byte_range(at, at + 2)
    return node is not None and node.type in ("<<", "<<-")


def _grammar(text: str) -> "Node":
    shown = _LONE_DASH.sub("Q", _NOT_ASCII.sub("Q", text))
    return _parser().parse(shown.encode("ascii")).root_node


@lru_cache(maxsize=1)
def _parser() -> "Parser":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _depth(root: "Node") -> int:
    """The depth of the tree, counted without recursion."""
    deepest, level = 0, [root]
    while level and deepest <= _MAX_NODES_DEEP:
        deepest += 1
        level = [child for node in level for child in node.children]
    return deepest


def raw_pieces(text: str) -> tuple[str, ...]:
    """Unreadable text cut at separators and cleaned up, for deny rules that still apply."""
    joined = text[:_MAX_PIECES].replace("\\\n", "")
    return tuple(dict.fromkeys(_cleaned(joined)))


def _cleaned(text: str) -> Iterator[str]:
    for piece in _CUTS.split(text):
        words = _HIDDEN.sub(" ", piece).replace("$IFS", " ").replace("${IFS}", " ").split()
        if words:
            yield " ".join(words)
            yield " ".join(re.sub(r"[\\'\"]", "", word) for word in words)
