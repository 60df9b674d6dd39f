"""Reads the lists of a running service page by page, and writes a fixture."""
