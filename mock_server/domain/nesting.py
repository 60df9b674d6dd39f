"""How deep plain data nests."""

from __future__ import annotations


def deeper_than(value: object, depth: int) -> bool:
    """Whether arrays and objects nest deeper; each round goes one level down."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, dict | list)
        ]
    return bool(level)
