"""Checks whether a server keeps to the spec, and detects its choices."""
