"""Builds our command tree from the parser's; every node it does not know is unclear."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hames.settings.permissions.bash_heredoc import Heredoc, read_heredoc
from hames.settings.permissions.bash_lex import NotOneWord, Span, read_word
from hames.settings.permissions.bash_tokens import RESERVED, WORDS, check_tokens
from hames.settings.permissions.bash_tree import (
    Assignment,
    Command,
    Group,
    GroupKind,
    Redirect,
    Step,
    Unclear,
)
from hames.settings.permissions.bash_word import Piece, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPANSIONS = frozenset(
    {"command_substitution", "process_substitution", "arithmetic_expansion", "expansion"}
)
_GROUPS: dict[str, GroupKind] = {
    "subshell": "apart",
    "compound_statement": "seq",
    "do_group": "seq",
    "negated_command": "branch",
    "if_statement": "branch",
    "elif_clause": "branch",
    "else_clause": "branch",
    "while_statement": "loop",
}
_BRANCH_ENDS = frozenset({";;", ";&", ";;&"})
_VERBATIM = frozenset({"raw_string", "ansi_c_string", "comment"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[|$)")
_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=", re.DOTALL)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_UNREAD = re.compile(r"`|\$[({\[]|[<>]\(")
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})


class Builder:
    """One pass over a syntax tree."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.expands = any(mark in source for mark in ("`", "$", "<(", ">("))

    def program(self, root: "Node") -> Group:
        """The whole text."""
        check_tokens(self.source, root, 0, len(self.source))
        return Group("seq", self.sequence(root.children))

    def sequence(self, nodes: Iterable["Node"]) -> tuple[Step, ...]:
        """Statements in order; one that `&` follows runs apart."""
        steps: list[Step] = []
        for node in nodes:
            if node.type == "&" and steps:
                steps[-1] = Group("apart", (steps[-1],))
            elif node.type in _BRANCH_ENDS:
                raise Unclear(f"`{node.type}` stands outside a branch of `case`")
            elif node.is_named and node.type != "comment":
                steps.append(self.statement(node))
        return tuple(steps)

    def statement(self, node: "Node") -> Step:
        """One statement of any kind."""
        kind = node.type
        if kind == "command":
            return self._command(node)
        if kind == "redirected_statement":
            return self._redirected(node)
        if kind == "list":
            return self._listed(node)
        if kind in ("variable_assignment", "variable_assignments"):
            return self._assigned(node)
        if kind in ("declaration_command", "unset_command", "test_command"):
            return self._builtin(node)
        if kind == "file_redirect":
            return self._redirect_only(node)
        return self._compound(node)

    def _compound(self, node: "Node") -> Step:
        """Groups, pipelines, conditions, loops and functions."""
        kind = node.type
        group = _GROUPS.get(kind)
        if kind == "compound_statement" and node.children[0].type == "((":
            return self._odd(node, "arithmetic")
        if group is not None:
            return Group(group, self.sequence(node.children))
        if kind == "pipeline":
            return Group("seq", tuple(Group("apart", (s,)) for s in self._parts(node)))
        if kind == "for_statement":
            return self._for_loop(node)
        if kind in ("c_style_for_statement", "function_definition"):
            return self._odd(node, kind.replace("_", " "))
        if kind == "case_statement":
            return self._case(node)
        raise Unclear(f"it holds a construct that is not known ({kind})")

    def _parts(self, node: "Node") -> tuple[Step, ...]:
        """The statements among the children, whatever stands between them."""
        return tuple(self.statement(child) for child in node.named_children if _counts(child))

    def _listed(self, node: "Node") -> Step:
        """`a && b` or `a || b`."""
        return Group(_operator(node), self._parts(node))

    def _odd(self, node: "Node", reason: str) -> Step:
        """Something that no rule for another command covers; its commands are still seen."""
        inner: list[Step] = []
        for child in node.named_children:
            if child.type in ("compound_statement", "do_group", "subshell", "if_statement"):
                inner.append(self.statement(child))
            else:
                inner.extend(self.substitutions(child))
        code = Command(odd=(reason,), nested=tuple(inner))
        return Group("loop", (code,))

    def _for_loop(self, node: "Node") -> Step:
        """`for` and `select`; the words of the list are judged like arguments of `echo`."""
        name, words, body = "", list["Node"](), list[Step]()
        for child in node.named_children:
            if child.type == "variable_name" and not name:
                name = self.text(child)
            elif child.type == "do_group":
                body.append(self.statement(child))
            elif child.type in WORDS:
                words.append(child)
            elif child.type != "comment":
                body.append(self.statement(child))
        odd = tuple(reason for word in words for reason in _odd_pieces(self.word(word)))
        nested = tuple(step for word in words for step in self.substitutions(word))
        head = Command(odd=odd, nested=nested, loop_variable=name)
        return Group("loop", (head, *body))

    def _case(self, node: "Node") -> Step:
        """`case`: its words, and the commands of every branch."""
        steps: list[Step] = []
        for child in node.named_children:
            if child.type == "case_item":
                steps.append(self._case_item(child))
            elif child.type in WORDS:
                steps.append(self._bare_word(child))
        return Group("branch", tuple(steps))

    def _case_item(self, node: "Node") -> Step:
        """The patterns and the commands of one branch."""
        steps: list[Step] = []
        waiting: list[Node] = []
        patterns = True
        for child in node.children:
            if patterns:
                patterns = child.type != ")"
                if child.type in WORDS:
                    steps.append(self._bare_word(child))
            elif child.type not in _BRANCH_ENDS or child != node.children[-1]:
                waiting.append(child)
        return Group("seq", (*steps, *self.sequence(waiting)))

    def _bare_word(self, node: "Node") -> Step:
        """A word that the shell expands without running it."""
        word = self.word(node)
        return Command(odd=_odd_pieces(word), nested=self.substitutions(node))

    def _command(self, node: "Node | None", more: Iterable["Node"] = ()) -> Command:
        """A simple command; `more` are arguments that stand after a redirection."""
        words: list[Node] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        nested: list[Step] = []
        stdin: str | None = None
        for child in (*(node.children if node is not None else ()), *more):
            nested.extend(self.substitutions(child))
            if child.type == "variable_assignment":
                assignments.append(self._assignment(child))
            elif child.type == "command_name":
                words.append(child.children[0] if child.children else child)
            elif child.type in WORDS:
                words.append(child)
            elif child.type == "file_redirect":
                redirect, rest = self.redirect(child)
                redirects.extend(redirect)
                words.extend(rest)
            elif child.type == "herestring_redirect":
                stdin = self.word(child.children[-1]).literal or ""
            else:
                raise Unclear(f"it holds an argument that is not known ({child.type})")
        found = self._words(words)
        if found and (found[0].raw in RESERVED or _ASSIGNS.match(found[0].raw)):
            raise Unclear(f"`{found[0].raw}` stands where a command is expected")
        odd = tuple(reason for word in found for reason in _odd_pieces(word))
        return Command(found, tuple(assignments), tuple(redirects), tuple(nested), odd, stdin)

    def _words(self, nodes: list["Node"]) -> tuple[Word, ...]:
        """The words of a command; two that touch each other are not what they seem."""
        for left, right in zip(nodes, nodes[1:], strict=False):
            gap = self.source[left.end_byte : right.start_byte].replace("\\\n", "")
            if not gap or "\n" in gap:
                raise NotOneWord
        return tuple(self.word(node) for node in nodes)

    def _builtin(self, node: "Node") -> Command:
        """`export A=b`, `unset x`, `[ ... ]`: commands that the parser treats apart."""
        leaves = list(_leaves(node))
        words = tuple(self._lenient(leaf) for leaf in leaves)
        odd = tuple(reason for word in words for reason in _odd_pieces(word))
        return Command(words, nested=self.substitutions(node), odd=odd)

    def _lenient(self, node: "Node") -> Word:
        """A word of `[[ ]]` may hold what would end a word elsewhere."""
        try:
            return self.word(node)
        except NotOneWord:
            raw = self.text(node)
            return Word(raw, (Piece("odd", raw),))

    def _assigned(self, node: "Node") -> Command:
        """Assignments without a command."""
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        assignments = tuple(self._assignment(child) for child in nodes)
        return Command(assignments=assignments, nested=self.substitutions(node))

    def _assignment(self, node: "Node") -> Assignment:
        """`NAME=value`."""
        name, value = node.children[0], node.children[-1]
        if not _NAME.match(self.text(name)):
            raise Unclear("it holds an assignment to something that is no variable")
        if name.type != "variable_name" or value.type == "array":
            return Assignment(self.text(name).split("[", 1)[0], None, plain=False)
        if value.type == "=" or value.type not in WORDS:
            return Assignment(self.text(name), None, plain=value.type == "=")
        word = self.word(value)
        return Assignment(self.text(name), word, plain="odd" not in word.kinds)

    def _redirected(self, node: "Node") -> Step:
        """A statement with redirections and here-documents after it."""
        body: Node | None = None
        redirects: list[Redirect] = []
        more: list[Node] = []
        documents: list[Heredoc] = []
        nested: list[Step] = []
        for child in node.named_children:
            if child.type == "file_redirect":
                found, rest = self.redirect(child)
                redirects.extend(found)
                more.extend(rest)
                nested.extend(self.substitutions(child))
            elif child.type == "heredoc_redirect":
                documents.append(read_heredoc(self, child))
            elif child.type == "herestring_redirect":
                self.word(child.children[-1])
                nested.extend(self.substitutions(child))
            elif body is None:
                body = child
            else:
                raise Unclear("it holds two commands where one is expected")
        if len(documents) > 1:
            raise Unclear("it holds several here-documents")
        extra = Command(redirects=tuple(redirects), nested=tuple(nested))
        document = documents[0] if documents else None
        more = [*more, *(document.words if document else ())]
        step = self._joined(body, extra, more, document)
        return step if document is None else document.listed(step)

    def _joined(
        self, body: "Node | None", extra: Command, more: list["Node"], document: Heredoc | None
    ) -> Step:
        """The body with its redirections and here-document, which a list gives to its last part."""
        if body is not None and body.type == "list":
            *first, last = filter(_counts, body.named_children)
            steps = (*map(self.statement, first), self._joined(last, extra, more, document))
            return Group(_operator(body), steps)
        step = self._attached(body, extra, more, document)
        return step if document is None else document.piped(step)

    def _attached(
        self, body: "Node | None", extra: Command, more: list["Node"], document: Heredoc | None
    ) -> Step:
        if body is None or body.type == "command":
            base = self._command(body, more)
            return Command(
                base.words,
                base.assignments,
                (*base.redirects, *extra.redirects, *(document.redirects if document else ())),
                (*base.nested, *extra.nested, *(document.nested if document else ())),
                (*base.odd, *(document.odd if document else ())),
                document.body if document else base.stdin,
            )
        if body.type == "pipeline":
            *first, last = filter(_counts, body.named_children)
            steps = (*map(self.statement, first), self._attached(last, extra, more, document))
            return Group("seq", tuple(Group("apart", (step,)) for step in steps))
        if more or document is not None:
            raise Unclear("it redirects a group in a form that is not known")
        return Group("seq", (extra, self.statement(body)))

    def _redirect_only(self, node: "Node") -> Command:
        """`$(< file)`."""
        found, rest = self.redirect(node)
        if rest:
            raise Unclear("a redirection stands before its command in a form that is not known")
        return Command(redirects=found, nested=self.substitutions(node))

    def redirect(self, node: "Node") -> tuple[tuple[Redirect, ...], list["Node"]]:
        """The redirection, and words after its target, which belong to the command."""
        operator, words = "", list["Node"]()
        for child in node.children:
            if child.type == "file_descriptor":
                if not self.text(child).isdigit():
                    raise NotOneWord
                continue
            if child.is_named:
                words.append(child)
            else:
                operator = self.text(child).strip()
        if operator.endswith("&-"):
            return (), words
        if not words:
            raise Unclear("a redirection has no target")
        self._words(words)
        return (Redirect(operator, self.word(words[0])),), words[1:]

    def word(self, node: "Node") -> Word:
        """One word. Raises NotOneWord when our own reading of it differs."""
        raw = self.text(node)
        return read_word(raw, dict(self._spans(node)))

    def _spans(self, node: "Node") -> Iterator[tuple[int, Span]]:
        """The outermost expansions of a word, by their place in it."""
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if current.type in _EXPANSIONS:
                start, end = current.start_byte, current.end_byte
                while self.source[start : start + 1] in (" ", "\t", "\n"):
                    start += 1
                yield start - node.start_byte, Span(current.type, end - node.start_byte)
            else:
                waiting.extend(current.children)

    def substitutions(self, node: "Node") -> tuple[Step, ...]:
        """The commands of the substitutions below a node."""
        found: list[Step] = []
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if current.type in _SUBSTITUTIONS:
                check_tokens(self.source, current, current.start_byte, current.end_byte)
                found.append(Group("apart", self.sequence(current.children)))
            elif not current.children:
                self._check_leaf(current)
            else:
                waiting.extend(current.children)
        return tuple(found)

    def _check_leaf(self, node: "Node") -> None:
        """The parser leaves code in patterns and defaults of `${...}` unread: refuse it."""
        checked = self.expands and node.is_named and node.type not in _VERBATIM
        if checked and _UNREAD.search(_ESCAPED.sub("", self.text(node))):
            raise NotOneWord

    def text(self, node: "Node") -> str:
        """The source text of a node."""
        return self.source[node.start_byte : node.end_byte]


def _operator(node: "Node") -> GroupKind:
    return "and" if any(child.type == "&&" for child in node.children) else "or"


def _counts(node: "Node") -> bool:
    return node.type != "comment"


def _leaves(node: "Node") -> Iterator["Node"]:
    for child in node.children:
        if child.type in WORDS or child.type == "variable_assignment" or not child.children:
            yield child
        else:
            yield from _leaves(child)


def _odd_pieces(word: Word) -> tuple[str, ...]:
    return tuple(f"the expansion {p.text}" for p in word.pieces if p.kind == "odd")
