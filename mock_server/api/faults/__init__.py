"""Faults and answers over HTTP: one module for each kind, with its fields and effect.

`fault` has the base class of all kinds, `answering` that of answers. `table` lists the
kinds and reads faults from plain data; `presets` has named lists of faults.
"""
