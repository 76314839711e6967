"""The built-in tools; each declares what it touches and returns what it changed."""
