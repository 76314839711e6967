"""hames: a coding-agent harness."""

__version__ = "0.1.0"
CONTRACT_VERSION = "2.1.332"
"""Version of the public Claude Code contract that hames speaks."""
