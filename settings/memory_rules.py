"""Rules: `.claude/rules/**/*.md`, always on or waiting for a file that matches their `paths`."""

from pathlib import Path

from hames.settings.frontmatter import Document, canonical, parse
from hames.settings.globs import broken_patterns, matches_any
from hames.settings.memory_files import Kind, MemoryFile, Reason
from hames.settings.memory_imports import Loading, append, claim
from hames.settings.memory_text import without_comments
from hames.settings.text_files import Problem, markdown_files, real_path


def load_rules(loading: Loading, folder: Path, kind: Kind, base: Path, reason: Reason) -> None:
    """Append the rules of a folder; those with `paths` (relative to `base`) become conditional."""
    for path in markdown_files(folder, loading.problems):
        text = claim(loading, path, kind)
        if text is None:
            continue
        document = parse(text)
        globs = rule_globs(document)
        _report(loading, path, document, globs)
        body = without_comments(document.body)
        if globs:
            loading.conditional.append(MemoryFile(path, kind, body, globs, None, reason, base))
        else:
            append(loading, MemoryFile(path, kind, body, reason=reason))


def rule_globs(document: Document) -> tuple[str, ...]:
    """The patterns of `paths`: a list, or text separated by commas outside braces."""
    field = document.fields.get(canonical("paths"))
    if field is None:
        return ()
    if isinstance(field.value, list):
        parts = [item for item in field.value if isinstance(item, str)]
    else:
        parts = _split(field.value if isinstance(field.value, str) else field.raw)
    return tuple(part.strip() for part in parts if part.strip())


def rule_matches(rule: MemoryFile, read: Path) -> bool:
    """Whether a rule applies to a file, by its path as given or by its real path."""
    base = rule.base or rule.path.parent
    patterns = [pattern.removeprefix("./") for pattern in rule.globs]
    for path, root in ((read, base), (real_path(read), real_path(base))):
        if path.is_relative_to(root):
            inner = path.relative_to(root).as_posix()
            if matches_any([p.lstrip("/") for p in patterns], inner):
                return True
        if matches_any([p for p in patterns if p.startswith("/")], path.as_posix()):
            return True
    return False


def _split(text: str) -> list[str]:
    parts: list[str] = [""]
    depth = 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char in ",\n" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _report(loading: Loading, path: Path, document: Document, globs: tuple[str, ...]) -> None:
    loading.problems += [Problem(path, guess.text, guess.line) for guess in document.guesses]
    loading.problems += [
        Problem(path, f"the pattern {pattern!r} is malformed and matches nothing")
        for pattern in broken_patterns(globs)
    ]
