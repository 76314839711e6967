"""The read-only set: which simple commands run without a question in every mode."""

import re
from collections.abc import Callable, Sequence

from hames.settings.permissions.bash_git import git_problem
from hames.settings.permissions.bash_options import Arguments, read_arguments, refused
from hames.settings.permissions.bash_sed import harmless
from hames.settings.permissions.bash_table import CommandSpec, command_table, spec_of
from hames.settings.permissions.bash_word import Word, plain_word

_KNOWN_KINDS = frozenset({"text", "quoted", "number"})
_GLOB_KINDS = frozenset({"text", "quoted", "glob", "tilde", "var"})
_TOPIC = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:@-]*")
_SET_FLAGS = re.compile(r"[-+][euxvEhC]*o?")
_SET_NAMES = frozenset(
    {"pipefail", "errexit", "nounset", "xtrace", "verbose", "errtrace", "noclobber"}
)
_AWK_OPTIONS = frozenset({"-F", "-v", "--field-separator", "--assign"})
_AWK_REFUSED = re.compile(r"[|>@]|system|getline|ENVIRON|PROCINFO")
_JQ_REFUSED = re.compile(r"\benv\b|\$ENV|\bimport\b|\binclude\b|\$__prog|\bgetpath\b.*env")
_SED_OPTIONS = frozenset(
    {
        "-n",
        "-E",
        "-r",
        "-s",
        "-u",
        "-z",
        "-e",
        "--quiet",
        "--silent",
        "--regexp-extended",
        "--separate",
        "--unbuffered",
        "--null-data",
        "--expression",
        "--posix",
    }
)
_PS_OPTIONS = re.compile(
    r"-[efFlAdLTMHjZcywN]+|--(forest|no-headers|headers|pid|ppid|user|sort)(=.*)?"
)
_PS_CLUSTER = re.compile(r"-[efFlAdLTMHjZcywN]+[oOpuCtgGU]")
_PS_VALUES = frozenset({"-o", "-p", "-u", "-C", "-t", "-g", "-G", "-U", "-s", "--pid", "--ppid"})
_DOCKER = frozenset({"ps", "images", "inspect", "logs", "version", "info"})
_DOCKER_REFUSED = (
    "-H",
    "-c",
    "--host",
    "--context",
    "--url",
    "--connection",
    "--identity",
    "--config",
)


def read_only_problem(core: Sequence[Word], home: str, *, piped: bool) -> str | None:
    """Why a command is not known to be read-only; None when it is. `core` is stripped."""
    name = core[0].literal if core else None
    if name is None:
        return "its command name is not a plain word"
    spec = spec_of(name)
    if not spec.readonly:
        return f"`{name}` is not known to only read"
    if piped and not spec.any_expansion:
        return f"xargs gives `{name}` names that are not known"
    words = _known_words(name, core[1:], spec, home)
    if isinstance(words, str):
        return words
    arguments = read_arguments(words, spec)
    option = refused(arguments, spec)
    if option is not None:
        return f"`{name} {option}` writes, runs or loads something"
    if spec.operands == "none" and arguments.operands:
        return f"`{name}` with an argument changes something"
    if spec.most is not None and len(arguments.operands) > spec.most:
        return f"`{name}` writes to its second file"
    if spec.special is None:
        return None
    return _SPECIAL[spec.special](name, words, arguments)


def _known_words(
    name: str, words: Sequence[Word], spec: CommandSpec, home: str
) -> list[Word] | str:
    """The arguments with known expansions put in; a text when one of them is not known."""
    free = spec.any_expansion or _printf_format(name, words)
    found: list[Word] = []
    for word in words:
        value = word.value(home)
        options = word.alternatives() if "brace" in word.kinds else None
        if value is not None:
            found.append(plain_word(value))
        elif free:
            found.append(word)
        elif options is not None and not any(set(option) & set("*?[~") for option in options):
            found.extend(plain_word(option) for option in options)
        elif "glob" in word.kinds and word.kinds <= _GLOB_KINDS and word.glob(home) is not None:
            if not spec.globs:
                return f"`{name}` has options that a file name could become (`{word.raw}`)"
            found.append(word)
        elif word.kinds <= _KNOWN_KINDS and spec.operands == "text":
            found.append(plain_word("0"))
        else:
            return f"the value of `{word.raw}` is not known"
    return found


def _printf_format(name: str, words: Sequence[Word]) -> bool:
    """Whether printf can take no option any more: its format is plain text."""
    first = words[0].literal if words else None
    return name == "printf" and first is not None and not first.startswith("-")


def _texts(words: Sequence[Word]) -> list[str]:
    return [word.spelled for word in words]


def _printf(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    if words and words[0].spelled.startswith("-") and words[0].spelled != "--":
        return f"`{name}` with an option"
    return None


def _set(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    texts = _texts(words)
    at = 0
    while at < len(texts):
        if not _SET_FLAGS.fullmatch(texts[at]) or len(texts[at]) < 2:
            return f"`{name} {texts[at]}`"
        if texts[at].endswith("o"):
            at += 1
            if at >= len(texts) or texts[at] not in _SET_NAMES:
                return f"`{name} -o` in a form that is not known"
        at += 1
    return None if texts else "`set` prints every variable"


def _test(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    texts = _texts(words)
    if name == "[" and texts[-1:] != ["]"]:
        return "`[` without its `]`"
    inner = texts[:-1] if name == "[" else texts
    if any(text in ("-v", "-R") or "[" in text for text in inner):
        return f"`{name}` evaluates a subscript"
    return None


def _date(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del words
    if all(operand.spelled.startswith("+") for operand in arguments.operands):
        return None
    return f"`{name}` sets the clock"


def _find(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    refused_words = command_table().find_actions | {"-files0-from"}
    found = next((text for text in _texts(words) if text in refused_words), None)
    return None if found is None else f"`{name} {found}` runs, deletes or writes something"


def _jq(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del words
    program = arguments.operands[0].literal if arguments.operands else None
    if program is None or _JQ_REFUSED.search(program):
        return f"`{name}` reads the environment or other programs"
    return None


def _sed(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del words
    scripts = sed_scripts(arguments)
    known = all(option.name in _SED_OPTIONS for option in arguments.options)
    if known and scripts and all(harmless(script, editing=False) for script in scripts):
        return None
    return f"the script or an option of `{name}` is not known to only read"


def sed_scripts(arguments: Arguments) -> list[str]:
    """The scripts of a sed command; empty when one is not literal."""
    given = [o.value for o in arguments.options if o.name in ("-e", "--expression")]
    found = given or list(arguments.operands[:1])
    texts = [word.literal for word in found if word is not None]
    return [text for text in texts if text is not None] if None not in texts else []


def _awk(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del words
    program = arguments.operands[0].literal if arguments.operands else None
    known = all(option.name in _AWK_OPTIONS for option in arguments.options)
    if program is None or not known or _AWK_REFUSED.search(program):
        return f"the program of `{name}` is not known to only read"
    return None


def _ps(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    texts, at = _texts(words), 0
    while at < len(texts):
        text = texts[at]
        at += 1
        if text in _PS_VALUES or _PS_CLUSTER.fullmatch(text):
            if "env" in "".join(texts[at : at + 1]).lower():
                return f"`{name}` shows the environment"
            at += 1
        elif text.startswith("-"):
            if not _PS_OPTIONS.fullmatch(text):
                return f"`{name} {text}` is not known to be harmless"
        elif not re.fullmatch(r"[0-9]+|[aAuxlfjwTtr]+", text):
            return f"`{name} {text}` shows the environment"
    return None


def _topic(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    if words and all(_TOPIC.fullmatch(text) for text in _texts(words)):
        return None
    return f"`{name}` with more than a topic" if words or name == "man" else None


def _git(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    return git_problem([name, *_texts(words)])


def _docker(name: str, words: Sequence[Word], arguments: Arguments) -> str | None:
    del arguments
    texts = _texts(words)
    if not texts or texts[0] not in _DOCKER:
        return f"`{name} {' '.join(texts[:1])}`"
    if any(text.startswith(_DOCKER_REFUSED) for text in texts[1:]):
        return f"`{name}` talks to another daemon"
    return None


_SPECIAL: dict[str, Callable[[str, Sequence[Word], Arguments], str | None]] = {
    "printf": _printf,
    "set": _set,
    "test": _test,
    "date": _date,
    "find": _find,
    "jq": _jq,
    "sed": _sed,
    "awk": _awk,
    "ps": _ps,
    "topic": _topic,
    "git": _git,
    "docker": _docker,
}
