"""Pulls a fixture from a running service: reads its lists page by page."""
