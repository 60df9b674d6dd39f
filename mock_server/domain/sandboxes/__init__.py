"""Sandboxes, and the state of each."""
