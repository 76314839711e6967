"""Headers as people write them: each file loads, and what was guessed is said."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.frontmatter import Document, Guess, parse
from hames.settings.frontmatter_values import Value, plain_value, surely_text
from hames.settings.frontmatter_yaml import yaml_value

TEXT = "not valid YAML, read as plain text; put it in quotes"


def fields(document: Document) -> dict[str, Value]:
    return {field.name: field.value for field in document.fields.values()}


def header(text: str) -> Document:
    return parse(f"---\n{text}\n---\nBODY")


VALID: list[tuple[str, dict[str, Value]]] = [
    ("name: a", {"name": "a"}),
    ("name:   spaced   ", {"name": "spaced"}),
    ("name:\tx", {"name": "x"}),
    ("name:", {"name": ""}),
    ("name: ~", {"name": ""}),
    ("name: null", {"name": ""}),
    ("name: 'null'", {"name": "null"}),
    ('name: "quoted: colon"', {"name": "quoted: colon"}),
    ("name: 'it''s'", {"name": "it's"}),
    (r'name: "line\nbreak \u00e9 \"q\""', {"name": 'line\nbreak é "q"'}),
    (r'name: "\x41"', {"name": "A"}),
    ("name: a # comment", {"name": "a"}),
    ('name: "a" # comment', {"name": "a"}),
    ("# comment\nname: a\n# other", {"name": "a"}),
    ("'name': a", {"name": "a"}),
    ('"name": a', {"name": "a"}),
    ("name : a", {"name": "a"}),
    (
        "a: 1\nb: true\nc: 2024-01-01\nd: 12:30",
        {"a": "1", "b": "true", "c": "2024-01-01", "d": "12:30"},
    ),
    ("tools: Read, Grep", {"tools": "Read, Grep"}),
    ("tools: [Read, Grep]", {"tools": ["Read", "Grep"]}),
    ("tools: [ 'Read', \"Grep\", ]", {"tools": ["Read", "Grep"]}),
    ("tools: []", {"tools": []}),
    ("tools: [Read,\n  Grep]", {"tools": ["Read", "Grep"]}),
    ("tools: [\n  Read,\n  Grep\n]", {"tools": ["Read", "Grep"]}),
    ("tools: [Bash(git:*), 'a,b']", {"tools": ["Bash(git:*)", "a,b"]}),
    ("tools:\n  - Read\n  - Grep", {"tools": ["Read", "Grep"]}),
    ("tools:\n- Read\n- 'Bash(git *)'", {"tools": ["Read", "Bash(git *)"]}),
    ("tools:\n\n  - Read\n\n  - Grep\n", {"tools": ["Read", "Grep"]}),
    ("tools:\n  - Read # why\n  # note\n  - Grep", {"tools": ["Read", "Grep"]}),
    ("tools:\n  -   Read", {"tools": ["Read"]}),
    ("d: |\n  one\n  two", {"d": "one\ntwo\n"}),
    ("d: |-\n  one\n    two", {"d": "one\n  two"}),
    ("d: |+\n  one\n", {"d": "one\n\n"}),
    ("d: >\n  one\n  two\n\n  three", {"d": "one two\nthree\n"}),
    ("d: >-\n  one\n  two", {"d": "one two"}),
    ("d: >\n  one\n    code\n  two", {"d": "one\n  code\ntwo\n"}),
    ("d: |2\n    one", {"d": "  one\n"}),
    ("d: |\n  a: b # c\n  - x", {"d": "a: b # c\n- x\n"}),
    ("d: one\n  two\n  three", {"d": "one two three"}),
    ("d: one\n\n  two", {"d": "one\ntwo"}),
    ("d:\n  one\n  two", {"d": "one two"}),
    ('d: "one\n  two"', {"d": "one two"}),
    ("m:\n  a: 1\n  b: yes\n  c: true", {"m": {"a": 1, "b": "yes", "c": True}}),
    ("m:\n  d: '1'\n  e: 1.5\n  f:", {"m": {"d": "1", "e": 1.5, "f": None}}),
    ("m: {a: [1, x]}", {"m": {"a": [1, "x"]}}),
    ("s:\n  - one\n  - two: {x: 2}", {"s": ["one", {"two": {"x": 2}}]}),
    ("h: <a> | [b]", {"h": "<a> | [b]"}),
    ("  name: a\n  d: b", {"name": "a", "d": "b"}),
    ('{"name": "a", "tools": ["x"]}', {"name": "a", "tools": ["x"]}),
    ("name: a\n...\n", {"name": "a"}),
]


@pytest.mark.parametrize(("text", "expected"), VALID)
def test_valid_headers_need_no_guess(text: str, expected: dict[str, Value]) -> None:
    document = header(text)
    assert (fields(document), document.guesses) == (expected, ())
    assert document.body.endswith("BODY")


GUESSED: list[tuple[str, dict[str, Value]]] = [
    ("d: Use this: when it rains", {"d": "Use this: when it rains"}),
    ("d: Examples: user: 'x' assistant: \"y\"", {"d": "Examples: user: 'x' assistant: \"y\""}),
    ("d: ends with a colon:", {"d": "ends with a colon:"}),
    ("d: one: two\n  three: four", {"d": "one: two\nthree: four"}),
    ("h: [file] [message]", {"h": "[file] [message]"}),
    ("h: [file", {"h": "[file"}),
    ("h: [--flag] <path>", {"h": "[--flag] <path>"}),
    ("h: {a} {b}", {"h": "{a} {b}"}),
    ("h: @file", {"h": "@file"}),
    ("h: `code`", {"h": "`code`"}),
    ("h: %x", {"h": "%x"}),
    ("h: *.py", {"h": "*.py"}),
    ("h: **/*.py", {"h": "**/*.py"}),
    ("h: {src,lib}/**", {"h": "{src,lib}/**"}),
    ("h: !important", {"h": "!important"}),
    ("h: !!python/object:os.system x", {"h": "!!python/object:os.system x"}),
    ("h: &anchor", {"h": "&anchor"}),
    ("h: - dash", {"h": "- dash"}),
    ("h: ? x", {"h": "? x"}),
    ("h: > text on the line", {"h": "> text on the line"}),
    ("h: | text", {"h": "| text"}),
    ('h: "open', {"h": '"open'}),
    ("h: 'open", {"h": "'open"}),
    ('h: "a" and "b"', {"h": '"a" and "b"'}),
    ("h: 'it's'", {"h": "it's"}),
    (r'h: "C:\path\q"', {"h": r"C:\path\q"}),
    ('h: say "x": y', {"h": 'say "x": y'}),
    ("paths:\n  - **/*.ts\n  - src/*", {"paths": ["**/*.ts", "src/*"]}),
    ("paths:\n  - *.ts", {"paths": ["*.ts"]}),
    ("paths:\n  - @x\n  -y", {"paths": ["@x", "y"]}),
    ("paths:\n  - {a,b}/c\n  - [x", {"paths": ["{a,b}/c", "[x"]}),
    ("paths:\n  - a\n b", {"paths": "- a\nb"}),
    ("d: fix #12 now", {"d": "fix #12 now"}),
    ("name:a\nd: b", {"name": "a", "d": "b"}),
    ("name: a\nname: b", {"name": "b"}),
    ("name: a\n\tx: 1", {"name": "a\nx: 1"}),
    ("m:\n\ta: 1", {"m": {"a": 1}}),
    ("\tname: a", {"name": "a"}),
    ("d: x: y\n\tname: a", {"d": "x: y", "name": "a"}),
    ("d: x\n  tools: a", {"d": "x", "tools": "a"}),
    ("stray text\nname: a", {"name": "a"}),
    ("name: a\nstray text", {"name": "a\nstray text"}),
    ("- item\nname: a", {"name": "a"}),
    ("m: {a: 1", {"m": "{a: 1"}),
    ("m:\n  a: 1\n b: 2", {"m": "a: 1\nb: 2"}),
    ("m:\n  a: x: y", {"m": "a: x: y"}),
    ("d: a\x07b: c", {"d": "a\x07b: c"}),
    ("d: [" + "[" * 500, {"d": "[" + "[" * 500}),
    ("d: &a [*a]", {"d": "&a [*a]"}),
    ("m:\n  ? [a]\n  : b", {"m": "? [a]\n: b"}),
]


@pytest.mark.parametrize(("text", "expected"), GUESSED)
def test_malformed_headers_load_and_say_so(text: str, expected: dict[str, Value]) -> None:
    document = header(text)
    assert fields(document) == expected
    assert document.guesses != ()
    assert document.body == "BODY"


WHOLE: list[tuple[str, Document | None, dict[str, Value], str]] = [
    ("", None, {}, ""),
    ("\n\n", None, {}, "\n\n"),
    ("just text", None, {}, "just text"),
    ("# Title\n---\ntext", None, {}, "# Title\n---\ntext"),
    ("---\n---\nbody", None, {}, "body"),
    ("---", None, {}, "---"),
    ("---\n", None, {}, "---\n"),
    ("\ufeff---\nname: a\n---\nbody", None, {"name": "a"}, "body"),
    ("---\r\nname: a\r\n---\r\nbody\r\n", None, {"name": "a"}, "body\n"),
    ("---\rname: a\r---\rbody", None, {"name": "a"}, "body"),
    ("\n\n---\nname: a\n---\nbody", None, {"name": "a"}, "body"),
    ("--- \nname: a\n---  \nbody", None, {"name": "a"}, "body"),
    ("----\nname: a\n-----\nbody", None, {"name": "a"}, "body"),
    ("---\nname: a\n...\nbody", None, {"name": "a"}, "body"),
    ("---\nname: a\n---", None, {"name": "a"}, ""),
    ("---\nname: a\n---\n\n---\nhr\n---\n", None, {"name": "a"}, "\n---\nhr\n---\n"),
    ("---\nd: |\n  text\n\n  ---\n  more\n---\nb", None, {"d": "text\n\n---\nmore\n"}, "b"),
]


@pytest.mark.parametrize(("text", "_", "expected", "body"), WHOLE)
def test_well_formed_files(
    text: str, _: Document | None, expected: dict[str, Value], body: str
) -> None:
    document = parse(text)
    assert (fields(document), document.body, document.guesses) == (expected, body, ())


@pytest.mark.parametrize(
    ("text", "expected", "body"),
    [
        ("# Title\n\n---\nname: a\n---\nrest", {"name": "a"}, "# Title\n\nrest"),
        ("<!-- licence -->\n---\nname: a\n---\nrest", {"name": "a"}, "<!-- licence -->\nrest"),
        ("name: a\ndescription: b\n---\nrest", {"name": "a", "description": "b"}, "rest"),
        ("---\nname: a\ntools:\n  - b\n\nBody text", {"name": "a", "tools": ["b"]}, "\nBody text"),
        ("---\nname: a\n# Title\nBody", {"name": "a"}, "Body"),
        ("---\nsome prose\n---\nmore", {}, "---\nsome prose\n---\nmore"),
    ],
)
def test_misplaced_fences(text: str, expected: dict[str, Value], body: str) -> None:
    document = parse(text)
    assert (fields(document), document.body) == (expected, body)
    assert document.guesses != ()


def test_guesses_name_the_line() -> None:
    document = parse("---\nname: a\n\nd: x: y\n---\n")
    assert document.guesses == (Guess(4, f"`d`: {TEXT}"),)


def test_one_bad_field_costs_no_other() -> None:
    document = header("name: a\nhint: [x] [y]\nhooks:\n  Stop:\n    - hooks: []\ntools: [R]")
    assert fields(document) == {
        "name": "a",
        "hint": "[x] [y]",
        "hooks": {"Stop": [{"hooks": []}]},
        "tools": ["R"],
    }


def test_spellings_of_a_name_are_one_field() -> None:
    document = header("allowed_tools: x\nallowedTools: y\nAllowed-Tools: z")
    assert list(document.fields) == ["allowedtools"]
    assert len(document.guesses) == 2


def test_bombs_end_quickly() -> None:
    bomb = "m:\n  a: &a [x,x,x,x,x,x,x,x,x]\n"
    for one, two in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"  {two}: &{two} [" + ",".join([f"*{one}"] * 9) + "]\n"
    assert header(bomb).guesses != ()
    deep = "d:\n" + "".join(" " * n + "- \n" for n in range(500))
    assert "d" in header(deep).fields
    long = "d: {" + "a: b, " * 40_000
    assert header(long).guesses != ()


YAML_TEXT = st.text(alphabet="ab: #'\"[]{},-|>&*!?\\\n~0", max_size=24)


@pytest.mark.property
@given(st.text(alphabet="a-:'\"[]{}|>&*!\t\n\r ~.\x00é", max_size=60))
def test_nothing_written_is_lost(text: str) -> None:
    document = parse(text)
    kept = document.body + "".join(guess.text for guess in document.guesses)
    kept += "".join(f"{field.name}{field.raw}" for field in document.fields.values())
    assert ("é" in text) == ("é" in kept)


@pytest.mark.property
@given(YAML_TEXT)
def test_the_small_reader_agrees_with_yaml(text: str) -> None:
    first, *rest = text.split("\n")
    rest = [f"  {line}" if line.strip() else "" for line in rest]
    value = plain_value(first.strip(), rest)
    if value is not None:
        assert yaml_value(first.strip(), rest) == value


@pytest.mark.property
@given(YAML_TEXT)
def test_what_is_called_invalid_is_invalid(text: str) -> None:
    first, *rest = text.split("\n")
    first = first.strip()
    rest = [f"  {line}" for line in rest]
    tagged = "!" in text or "&" in text
    if not tagged and plain_value(first, rest) is None and surely_text(first, rest):
        with pytest.raises((ValueError, yaml.YAMLError)):
            yaml_value(first, rest)


def test_the_table_holds_the_promised_number_of_odd_files() -> None:
    assert len(VALID) + len(GUESSED) + len(WHOLE) + 6 >= 120
