"""The engine: session, loop, dispatch, state and models."""
