"""Here-documents: quoted ones are text, the others are expanded by the shell."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hames.settings.permissions.bash_lex import Span, read_word
from hames.settings.permissions.bash_tree import Group, GroupKind, Redirect, Step, Unclear
from hames.settings.permissions.bash_word import Word

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_QUOTED = re.compile(r"'([A-Za-z0-9_.-]+)'|\"([A-Za-z0-9_.-]+)\"|\\([A-Za-z0-9_.-]+)")
_EXPANDED = frozenset({"expansion", "arithmetic_expansion"})


class NodeReader(Protocol):
    """What reading a here-document needs of the tree builder."""

    def statement(self, node: "Node") -> Step:
        """Build any statement."""
        ...

    def redirect(self, node: "Node") -> tuple[tuple[Redirect, ...], list["Node"]]:
        """Build a redirection; words after its target are arguments."""
        ...

    def substitutions(self, node: "Node") -> tuple[Step, ...]:
        """The commands of the substitutions below a node."""
        ...

    def text(self, node: "Node") -> str:
        """The source text of a node."""
        ...


@dataclass(slots=True)
class Heredoc:
    """A here-document and what stands on its line after the delimiter."""

    body: str = ""
    words: list["Node"] = field(default_factory=list["Node"])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    nested: list[Step] = field(default_factory=list[Step])
    odd: list[str] = field(default_factory=list[str])
    after: list[tuple[GroupKind, Step]] = field(default_factory=list[tuple[GroupKind, Step]])

    def piped(self, step: Step) -> Step:
        """The command with the pipeline that goes on behind the delimiter."""
        while self.after and self.after[0][0] == "apart":
            step = Group("seq", (Group("apart", (step,)), self.after.pop(0)[1]))
        return step

    def listed(self, step: Step) -> Step:
        """The list with what `&&` and `||` add to it behind the delimiter."""
        for kind, item in self.after:
            if kind == "apart":
                raise Unclear("it goes on behind a here-document in a form that is not known")
            step = Group(kind, (step, item))
        return step


def read_heredoc(reader: NodeReader, node: "Node") -> Heredoc:
    """Read a here-document. Raises Unclear when shells may disagree where it ends."""
    found = Heredoc()
    operator, start, end = "<<", "", ""
    body: Node | None = None
    kind: GroupKind = "apart"
    for child in node.children:
        match child.type:
            case "<<" | "<<-":
                operator = child.type
            case "heredoc_start":
                start = reader.text(child)
            case "heredoc_body":
                body = child
            case "heredoc_end":
                end = reader.text(child)
            case "&&" | "||":
                kind = "and" if child.type == "&&" else "or"
            case _:
                _take_rest(reader, child, kind, found)
    found.body = reader.text(body) if body is not None else ""
    quoted = _check_delimiter(start, end, found.body, operator)
    if body is not None and not quoted:
        _expand(reader, body, found)
    return found


def _take_rest(reader: NodeReader, node: "Node", kind: GroupKind, found: Heredoc) -> None:
    if node.type == "file_redirect":
        redirects, words = reader.redirect(node)
        found.redirects.extend(redirects)
        found.words.extend(words)
        found.nested.extend(reader.substitutions(node))
    elif node.type in ("word", "string", "raw_string", "concatenation", "number"):
        found.words.append(node)
    elif node.type == "pipeline" and any(child.type == "list" for child in node.children):
        raise Unclear("it goes on behind a here-document in a form that is not known")
    elif node.is_named and node.type != "comment":
        found.after.append((kind, reader.statement(node)))
    else:
        raise Unclear("it goes on behind a here-document in a form that is not known")


def _check_delimiter(start: str, end: str, body: str, operator: str) -> bool:
    """Whether the delimiter is quoted, after making sure that the body ends where it seems to."""
    quoted = _QUOTED.fullmatch(start)
    name = (quoted[1] or quoted[2] or quoted[3]) if quoted else start
    if not quoted and not _PLAIN.fullmatch(start):
        raise Unclear("a here-document has an unusual delimiter")
    if not quoted and body.rstrip("\t\n").endswith("\\"):
        raise Unclear("a line of a here-document goes on behind its delimiter")
    lines = [*body.split("\n"), *body.replace("\\\n", "").split("\n")]
    if operator == "<<-":
        lines = [line.lstrip("\t") for line in lines]
    if end.strip("\t\n") != name or name in lines:
        raise Unclear("it is not clear where a here-document ends")
    return quoted is not None


def _expand(reader: NodeReader, body: "Node", found: Heredoc) -> None:
    """What the shell runs and expands in an unquoted body; what is not parsed there is refused."""
    found.nested.extend(reader.substitutions(body))
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type in _EXPANDED:
            found.odd.extend(_odd(reader.text(node).strip(), node.type))
        waiting.extend(node.children)


def _odd(raw: str, kind: str) -> list[str]:
    word: Word = read_word(raw, {0: Span(kind, len(raw))})
    return [f"the expansion {piece.text}" for piece in word.pieces if piece.kind == "odd"]
