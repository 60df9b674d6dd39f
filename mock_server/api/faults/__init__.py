"""Faults over HTTP: what each kind says of itself, and what it does to an answer.

`definitions` are the types that validate and describe faults, `table` lists the kinds,
the other modules hold their effects: on answers, on connections, on data.
"""
