"""Globs as ripgrep reads them: gitignore style, `{a,b}` choices, `!` for leaving out."""

import re
from collections.abc import Sequence

TYPES = {
    "c": "*.c *.h", "cpp": "*.cpp *.cc *.cxx *.hpp *.hh *.hxx *.h *.inl", "cs": "*.cs *.csx",
    "css": "*.css *.scss", "csv": "*.csv", "dart": "*.dart", "docker": "*Dockerfile*",
    "elixir": "*.ex *.exs *.eex", "erlang": "*.erl *.hrl", "go": "*.go", "graphql": "*.graphql",
    "groovy": "*.groovy *.gradle", "h": "*.h *.hh *.hpp", "haskell": "*.hs *.lhs",
    "html": "*.htm *.html *.ejs", "java": "*.java *.jsp", "js": "*.js *.jsx *.vue *.cjs *.mjs",
    "json": "*.json", "julia": "*.jl", "kotlin": "*.kt *.kts", "less": "*.less", "lua": "*.lua",
    "make": "[Mm]akefile *.mk *.mak", "markdown": "*.md *.mdx *.markdown", "md": "*.md *.mdx",
    "ml": "*.ml", "nix": "*.nix", "objc": "*.h *.m", "perl": "*.pl *.pm *.t", "php": "*.php",
    "protobuf": "*.proto", "ps": "*.ps1 *.psm1", "py": "*.py *.pyi", "python": "*.py *.pyi",
    "r": "*.R *.r *.Rmd", "ruby": "*.rb *.gemspec Gemfile Rakefile", "rust": "*.rs",
    "sass": "*.sass *.scss", "scala": "*.scala *.sbt", "sh": "*.sh *.bash *.zsh *.ksh .bashrc",
    "sql": "*.sql *.psql", "swift": "*.swift", "tex": "*.tex *.sty *.bib", "tf": "*.tf",
    "toml": "*.toml Cargo.lock", "ts": "*.ts *.tsx *.cts *.mts", "txt": "*.txt",
    "typescript": "*.ts *.tsx *.cts *.mts", "vue": "*.vue", "xml": "*.xml *.xsd *.xsl",
    "yaml": "*.yaml *.yml", "zig": "*.zig",
}  # fmt: skip
"""The file types that are offered without ripgrep."""


class BadGlobError(ValueError):
    """A glob or type that cannot be understood; the text says why."""


class Globs:
    """`globs` decide by the last that matches; a file must also match one of `types`, if any."""

    def __init__(self, globs: Sequence[str], types: Sequence[str] = ()) -> None:
        self._rules = [(g.startswith("!"), glob_pattern(g.removeprefix("!"))) for g in globs]
        self._needs_match = any(not negative for negative, _ in self._rules)
        self._types = [glob_pattern(glob) for glob in types]

    def leave_out(self, path: str, *, folder: bool) -> bool:
        """Whether the relative path is not wanted; folders only when a `!` glob names them."""
        verdict: bool | None = None
        for negative, pattern in self._rules:
            if pattern.fullmatch(f"{path}/" if folder else path):
                verdict = negative
        if folder:
            return verdict is True
        if verdict is None and self._needs_match:
            return True
        unwanted = bool(self._types) and not any(p.fullmatch(path) for p in self._types)
        return verdict is True or unwanted


def glob_pattern(glob: str) -> re.Pattern[str]:
    """The glob over a whole relative path; without an inner slash it counts at any depth."""
    anchored = "/" in glob.rstrip("/")
    body = glob.strip("/") if not glob.startswith("**") else glob.rstrip("/")
    only_folders = glob.endswith("/")
    prefix = "" if anchored else "(?:.*/)?"
    return re.compile(prefix + _body(body, glob) + ("/" if only_folders else "/?"), re.DOTALL)


def _body(text: str, glob: str) -> str:
    out: list[str] = []
    at = depth = 0
    while at < len(text):
        char = text[at]
        if text.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 2
        elif text.startswith("**", at):
            out.append(".*")
            at += 1
        elif char == "[":
            end = _class_end(text, at, glob)
            inner = text[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]")
            at = end
        elif char == "\\" and at + 1 < len(text):
            at += 1
            out.append(re.escape(text[at]))
        else:
            depth += (char == "{") - (char == "}")
            out.append(_single(char, depth))
        at += 1
    if depth:
        raise BadGlobError(f"error parsing glob '{glob}': unbalanced braces")
    return "".join(out)


def _single(char: str, depth: int) -> str:
    match char:
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case "{":
            return "(?:"
        case "}":
            return ")"
        case "," if depth:
            return "|"
        case _:
            return re.escape(char)


def _class_end(text: str, start: int, glob: str) -> int:
    first = start + 2 if text[start + 1 : start + 2] in ("!", "^") else start + 1
    end = text.find("]", first + 1)
    if end < 0:
        raise BadGlobError(f"error parsing glob '{glob}': unclosed character class; missing ']'")
    return end
