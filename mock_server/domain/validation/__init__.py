"""Check plain data (from JSON and YAML) against msgspec types.

`convert` returns a value of the type or raises, `walk.mistakes` yields all mistakes.
Messages are the same for fixture files, requests and the admin API.
"""
