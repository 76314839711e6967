"""The subcommands by name; a module is imported only when its command runs."""

COMMANDS: dict[str, str] = {
    "auth": "tell which credential is in use",
    "context": "show what fills the context window of a session that starts here",
    "demo": "watch hames repair a small project on a scripted model",
    "hooks": "list, try and check hooks",
    "permissions": "explain a decision, check the rules, run permission cases",
    "plugin": "local plugins: what is enabled, and whether a folder is sound",
    "prompt": "print the first request of a session that starts here",
    "settings": "show the effective settings, print their schema",
}
"""Subcommand name to one help line. Module `hames.cli.commands.<name>` holds `command`."""


def near_command(word: str) -> str | None:
    """The subcommand that a single word was probably meant to be; None for any other text."""
    if not word.isascii() or not word.isalpha() or word in COMMANDS:
        return None
    return next((name for name in COMMANDS if _one_slip(word, name)), None)


def _one_slip(word: str, name: str) -> bool:
    """Whether one letter was added, left out, changed or swapped with its neighbour."""
    if abs(len(word) - len(name)) > 1 or len(word) < 3:
        return False
    if len(word) == len(name):
        wrong = [at for at, letter in enumerate(word) if letter != name[at]]
        swapped = (
            len(wrong) == 2 and word[wrong[0]] + word[wrong[1]] == name[wrong[1]] + name[wrong[0]]
        )
        return len(wrong) == 1 or (swapped and wrong[1] == wrong[0] + 1)
    longer, shorter = (word, name) if len(word) > len(name) else (name, word)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))
