"""Explain why a list shows a collection or not."""
