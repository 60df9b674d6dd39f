"""Plain data (what JSON and YAML give) checked against msgspec types.

`convert` gives a value of the type or the first mistake, `walk.mistakes` all of them.
Messages read the same wherever they come from: fixture files, requests, the admin API.
"""
