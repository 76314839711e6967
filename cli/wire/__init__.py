"""Events to and from the public JSON; nothing else knows its shape."""
