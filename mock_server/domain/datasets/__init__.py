"""Datasets, collections and rows: their changes."""
