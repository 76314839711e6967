"""Globs of rules and excludes match whole paths, segment by segment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.globs import MAX_PATTERNS, broken_patterns, expand_braces, matches_any


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.md", "README.md", True),
        ("*.md", "docs/README.md", False),
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "src/deep/a.ts", True),
        ("src/**", "src/a", True),
        ("src/**", "src/a/b.py", True),
        ("src/**", "src", False),
        ("src/**/x.py", "src/x.py", True),
        ("src/**/x.py", "src/a/b/x.py", True),
        ("src/*.{ts,tsx}", "src/a.tsx", True),
        ("src/*.{ts,tsx}", "src/a.js", False),
        ("{src,lib/{a,b}}/*.c", "lib/b/x.c", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[!a]bc", "abc", False),
        ("[^a]bc", "xbc", True),
        (r"\*.md", "*.md", True),
        (r"\*.md", "a.md", False),
        ("{a}", "{a}", True),
        ("**/secret/**", "/x/secret/y", True),
        ("src/", "src", False),
        ("", "", False),
    ],
)
def test_pattern(pattern: str, path: str, expected: bool) -> None:
    assert matches_any([pattern], path) is expected


def test_a_broken_pattern_matches_nothing_and_the_others_work() -> None:
    assert matches_any(["[a", "*.py"], "x.py")
    assert not matches_any(["[a"], "[a")
    assert broken_patterns(["[a", "*.py", "x{[,b}"]) == ["[a", "x{[,b}"]


def test_braces_are_bounded() -> None:
    assert expand_braces("a{b,c}d", 10) == ["abd", "acd"]
    bomb = "{a,b}" * 40
    assert len(expand_braces(bomb, MAX_PATTERNS)) <= MAX_PATTERNS
    assert matches_any([bomb, "x"], "nothing") is False


def test_hostile_patterns_are_quick() -> None:
    assert not matches_any(["*a" * 40 + "b"], "a" * 2000)
    assert not matches_any(["**/a/" * 60 + "b"], "a/" * 500 + "c")


@pytest.mark.property
@given(
    st.lists(st.text(alphabet="ab*?[]{},/\\!", max_size=20), max_size=4), st.text("ab/", max_size=9)
)
def test_any_text_is_a_pattern(patterns: list[str], path: str) -> None:
    assert matches_any(patterns, path) in (True, False)


@pytest.mark.property
@given(st.text("abc/.", min_size=1, max_size=20))
def test_a_plain_path_matches_itself(path: str) -> None:
    assert matches_any([path], path)
