"""Assignments and wrappers around a command: what is stripped, and what rules see through."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hames.settings.permissions.bash_table import WrapperSpec, command_table
from hames.settings.permissions.bash_tree import Assignment, Command
from hames.settings.permissions.bash_word import Word, plain_word

_SAFE = re.compile(
    r"NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI"
    r"|COLUMNS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_BACKTRACE|RUST_LOG"
)
_SPECIAL = re.compile(
    r"PATH|IFS|CDPATH|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|GLOBIGNORE|HOME"
    r"|PWD|OLDPWD|SHELL|EDITOR|VISUAL|PAGER|MANPAGER|LESS|LESSOPEN|LESSCLOSE|BROWSER|LOCPATH"
    r"|LD_.*|DYLD_.*|BASH_FUNC_.*|GIT_.*|PYTHON(PATH|HOME|STARTUP|INSPECT)|PERL5?(LIB|OPT|DB)"
    r"|RUBY(LIB|OPT)|NODE_(OPTIONS|PATH)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|RIPGREP_.*"
    r"|GREP_OPTIONS|TAR_OPTIONS|POSIXLY_CORRECT|GCONV_PATH|HOSTALIASES|NLSPATH|TERMINFO"
)
_SETTERS = frozenset({"export", "declare", "typeset", "local", "readonly", "env"})
_DURATION = re.compile(r"[0-9]+(\.[0-9]+)?[smhd]?")
_MAX_STARTS = 16
_MAX_WRAPPERS = 8


class Stripped(NamedTuple):
    """A command seen by allow rules.

    `texts` are its spellings, from the whole to the innermost; a rule may cover any of them.
    `core` is the innermost command. `piped` says that xargs adds unknown arguments to it.
    """

    texts: tuple[str, ...]
    core: tuple[Word, ...]
    piped: bool = False

    @property
    def name(self) -> str | None:
        """The literal name of the innermost command."""
        return self.core[0].literal if self.core else None


def safe_assignment(assignment: Assignment) -> bool:
    """Whether an assignment is known to do no harm."""
    return assignment.plain and _SAFE.fullmatch(assignment.name) is not None


def special_variable(command: Command) -> str | None:
    """A variable that the command sets and that changes which programs run or how."""
    names = [assignment.name for assignment in command.assignments]
    if command.loop_variable is not None:
        names.append(command.loop_variable)
    if command.words and (command.words[0].literal or "") in _SETTERS:
        names.extend(word.spelled.partition("=")[0].rstrip("+") for word in command.words[1:])
    return next((name for name in names if _SPECIAL.fullmatch(name)), None)


def join(words: Sequence[Word]) -> str:
    """The words as written, one blank between them."""
    return " ".join(word.raw for word in words)


def strip(command: Command) -> Stripped:
    """Strip safe assignments and plain wrappers, one after the other."""
    words = command.words
    assigned = [_assignment_text(assignment) for assignment in command.assignments]
    texts = [" ".join([*assigned, join(words)]).strip()]
    if assigned and not all(map(safe_assignment, command.assignments)):
        return Stripped(tuple(texts), words)
    piped = False
    if assigned:
        texts.append(join(words))
    while words and len(texts) < _MAX_WRAPPERS:
        inner = _unwrapped(words)
        if inner is None:
            break
        piped = piped or words[0].literal == "xargs"
        words = inner
        texts.append(join(words) + (" \ufffc" if piped else ""))
    return Stripped(tuple(text for text in texts if text), words, piped)


def _assignment_text(assignment: Assignment) -> str:
    return f"{assignment.name}={assignment.value.raw if assignment.value else ''}"


def _unwrapped(words: Sequence[Word]) -> tuple[Word, ...] | None:
    """The command inside a plain wrapper; None when the first word is none."""
    name = words[0].literal
    spec = command_table().plain_wrappers.get(name) if name else None
    if spec is None:
        return None
    at = _skip_options(words, spec)
    if at is None:
        return None
    for _ in range(spec.operands):
        if at >= len(words) or not _DURATION.fullmatch(words[at].literal or ""):
            return None
        at += 1
    if at >= len(words) or (words[at].literal or "-").startswith("-"):
        return None
    return tuple(words[at:])


def _skip_options(words: Sequence[Word], spec: WrapperSpec) -> int | None:
    at = 1
    while at < len(words):
        text = words[at].literal
        if text is None or not text.startswith("-"):
            return at
        name = text.partition("=")[0]
        if text in spec.flags or (spec.numbers and text[1:].isdigit()):
            at += 1
        elif text in spec.values:
            at += 2
        elif (name in spec.values and "=" in text) or text[:2] in spec.values:
            at += 1
        else:
            return None
    return at


def guard_texts(command: Command) -> tuple[str, ...]:
    """The spellings that deny and ask rules see: behind wrappers, quotes, folders, braces."""
    words = _brace_words(command.words)
    assigned = [_assignment_text(assignment) for assignment in command.assignments]
    texts = dict.fromkeys([" ".join([*assigned, join(words)]).strip()])
    for start in inner_starts(words):
        for text in _spellings(words[start:]):
            texts[text] = None
        if base_name(words[start]) == "env":
            texts.update(dict.fromkeys(_split_strings(words[start + 1 :])))
    return tuple(text for text in texts if text)


def _split_strings(words: Sequence[Word]) -> Iterator[str]:
    """The commands that `env -S` takes out of one word."""
    for index, word in enumerate(words):
        found = re.fullmatch(r"(?:-[a-zA-Z]*S|--split-string=?)(.*)", word.spelled, re.DOTALL)
        if found:
            rest = (found[1], *(other.spelled for other in words[index + 1 :]))
            yield " ".join(" ".join(rest).split())


def _brace_words(words: Sequence[Word]) -> tuple[Word, ...]:
    found: list[Word] = []
    for word in words:
        options = word.alternatives() if "brace" in word.kinds else None
        if options is None:
            found.append(word)
        else:
            found.extend(plain_word(option) for option in options)
    return tuple(found)


def _spellings(words: Sequence[Word]) -> Iterator[str]:
    raw = join(words)
    yield raw
    spelled = " ".join(" ".join(word.spelled for word in words).split())
    yield spelled
    name, _, rest = spelled.partition(" ")
    base = name.rsplit("/", 1)[-1]
    if base != name:
        yield f"{base} {rest}".strip()
        yield f"{base} {join(words[1:])}".strip()
    if base == "git" and len(words) > 2:
        yield " ".join(("git", *(word.spelled for word in _git_words(words))))


def _git_words(words: Sequence[Word]) -> Sequence[Word]:
    at = 1
    while at < len(words) and words[at].spelled.startswith("-"):
        at += 2 if words[at].spelled in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return words[at:]


def inner_starts(words: Sequence[Word]) -> tuple[int, ...]:
    """Where a command may begin inside exec wrappers, generously; 0 comes first."""
    table = command_table()
    found: dict[int, None] = {}
    waiting = [0]
    while waiting and len(found) < _MAX_STARTS:
        start = waiting.pop(0)
        if start in found or start >= len(words):
            continue
        found[start] = None
        name = base_name(words[start])
        if name in ("find", "fd", "fdfind"):
            waiting.extend(_after_actions(words, start))
        elif name in table.exec_wrappers:
            waiting.extend(_behind(words, start, table.exec_wrappers[name]))
    return tuple(found)


def _after_actions(words: Sequence[Word], start: int) -> Iterator[int]:
    actions = command_table().find_actions | {"-x", "-X", "--exec", "--exec-batch"}
    for at in range(start + 1, len(words)):
        if words[at].spelled in actions:
            yield at + 1


def _behind(words: Sequence[Word], start: int, operands: int) -> Iterator[int]:
    """Positions behind a wrapper that may be the inner command, up to the first certain one."""
    after_option = False
    for at in range(start + 1, len(words)):
        text = words[at].spelled
        if text.startswith("-") and len(text) > 1:
            after_option = "=" not in text
            continue
        if "=" in text.lstrip("=")[:1] or re.match(r"[A-Za-z_][A-Za-z0-9_]*=", text):
            continue
        yield at
        if not after_option:
            operands -= 1
            if operands < 0:
                return
        after_option = False


def base_name(word: Word) -> str:
    """The name of a program without its folder."""
    return word.spelled.rsplit("/", 1)[-1]


def programs_known(words: Sequence[Word]) -> bool:
    """Whether it can be told which programs a command runs, those in its wrappers included."""
    starts = inner_starts(words)
    return len(starts) < _MAX_STARTS and all(_name_known(words[start]) for start in starts)


def _name_known(word: Word) -> bool:
    if word.literal is not None:
        return True
    base = base_name(word)
    return base != "" and not set(base) & set("$`*?[{") and " " not in base
