"""Faults over HTTP: one module for each kind, with its fields and its effect.

`fault` is what all kinds have, `context` what effects work with; `table` lists the
kinds, `presets` are ready lists of faults, `reader` reads both from plain data.
"""
