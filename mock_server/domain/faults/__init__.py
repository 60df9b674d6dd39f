"""Faults: what one is written with, which fires at a request, and all of a sandbox."""
