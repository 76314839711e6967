"""User hooks: select, run, combine; knows nothing of the engine."""
