"""Checks that the parser read the text as a shell would: nothing skipped, no word torn apart."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hames.settings.permissions.bash_lex import NotOneWord
from hames.settings.permissions.bash_tree import Unclear

if TYPE_CHECKING:
    from tree_sitter import Node

WORDS = frozenset(
    {
        "word",
        "string",
        "raw_string",
        "ansi_c_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
        "brace_expression",
        "number",
        "extglob_pattern",
        "regex",
        "variable_name",
        "special_variable_name",
        "test_operator",
    }
)
"""Nodes that are one word, or a part of one."""

RESERVED = frozenset(
    {
        *("if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done"),
        *("case", "esac", "in", "function", "{", "}", "[[", "]]", "!"),
    }
)
"""Words that are no command where a command begins."""

_WHOLE = WORDS | {"variable_assignment", "heredoc_body", "subscript"}
_HEREDOC_MARKS = frozenset({"heredoc_start", "heredoc_end"})
_META = frozenset(";&|()<>\n`")
_BLANK_OR_META = _META | frozenset(" \t")


def check_tokens(source: str, root: "Node", start: int, stop: int) -> None:
    """Between tokens only blanks may stand, and words that touch are one word for the shell.

    The parser is more lenient: it takes `[]#` for a test and a comment, and `!ls` for `! ls`.
    Raises Unclear or NotOneWord.
    """
    end, last = start, ";"
    for node in _tokens(root):
        blank = _is_blank(source[end : node.start_byte])
        text = source[node.start_byte : node.end_byte]
        apart = blank or node.type in _HEREDOC_MARKS or last in _META
        if text and not (apart or text[0] in _BLANK_OR_META):
            raise NotOneWord
        end = node.end_byte
        last = text[-1:] or last
    _is_blank(source[end:stop])


def _is_blank(gap: str) -> bool:
    """Whether there is a blank in a gap; line continuations are none."""
    joined = gap.replace("\\\n", "")
    if joined.strip(" \t\n"):
        raise Unclear("it holds text that is no part of a command")
    return joined != ""


def _tokens(root: "Node") -> Iterator["Node"]:
    """The tokens below a node in their order; words and assignments count as one."""
    waiting = list(reversed(root.children))
    while waiting:
        node = waiting.pop()
        if not node.children or node.type in _WHOLE:
            yield node
        else:
            waiting.extend(reversed(node.children))
