"""Shared type names for JSON at the borders; API blocks stay raw JSON everywhere."""

from typing import Any

JsonObject = dict[str, Any]
"""A JSON object whose members are not checked here."""
