"""One port to language models, several implementations."""
