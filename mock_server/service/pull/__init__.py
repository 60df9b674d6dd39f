"""A fixture from a running service: its lists, walked page by page."""
