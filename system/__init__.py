"""Processes, files and text: the only code that starts processes or writes atomically."""
