"""Implements the resources of the admin API, in modules named after their URLs."""
