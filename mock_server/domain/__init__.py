"""Data and behaviour of the service, as plain synchronous Python.

Nothing here speaks HTTP or YAML, reads the environment or a clock, draws a random
number or awaits: callers pass time and limits, and refusals are raised.
"""
