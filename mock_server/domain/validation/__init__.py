"""Check plain data (from JSON and YAML) against msgspec types.

`convert.convert` returns a value of the type or raises InvalidField; `walk.mistakes`
yields all mistakes. Messages are the same for fixtures, requests and the admin API.
"""
