"""Data and behaviour of the service, as plain synchronous Python.

No module here reads HTTP, YAML, the environment or a clock, draws random numbers or
awaits. Callers pass the time and the limits. A refused request raises a Refusal.
"""
