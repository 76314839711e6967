"""Shared code of the tests."""
