"""Faults over HTTP: one module for each kind, with its fields and its effect.

`fault` is the base of all kinds, `context` what effects work with; `table` lists the
kinds, `presets` are named lists of faults, `reader` reads both from plain data.
"""
