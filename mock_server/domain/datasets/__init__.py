"""Datasets, collections and rows as they are changed."""
