"""The ground floor: what the service knows and does, as plain synchronous Python.

Nothing here speaks HTTP, JSON or YAML, reads the environment or a clock, draws a
random number or awaits: time comes in as a parameter, facts go out as exceptions.
"""
