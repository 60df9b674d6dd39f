"""The ground floor: what the service knows and does, as plain synchronous Python.

Nothing here speaks HTTP or YAML, reads the environment or a clock, draws a random
number or awaits: time and limits are handed in, refusals are raised.
"""
