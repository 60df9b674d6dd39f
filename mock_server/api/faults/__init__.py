"""Faults over HTTP: one module for each kind, with its fields and its effect.

`fault` holds the fields that all kinds have, `context` what effects work with; `table`
lists the kinds and reads faults from plain data, `presets` are ready lists of faults.
"""
