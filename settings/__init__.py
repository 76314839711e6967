"""What is read from disk: settings, permissions, memory, definitions."""
