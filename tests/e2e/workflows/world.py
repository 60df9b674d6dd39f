"""The fixture of workflows."""

from __future__ import annotations

from typing import Any

APP = "a" * 24
KEY = "sync-key"
USER, PASSWORD = "root", "secret"
SIZES = {"Empty": 0, "One": 1, "Page": 30, "More": 31, "Many": 95}
"""How many rows collections have, by their names."""


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a collection of that name; some have no answer."""
    return [
        {"q": f'{name} "{n}",\nline two', "a": f"Answer {n}" if n % 3 else ""}
        for n in range(SIZES[name])
    ]


def collections() -> list[dict[str, Any]]:
    """Folders within folders, with the collections among them, and 40 without rows."""
    parts = [{"name": name, "data": rows(name)} for name in SIZES]
    inner = {"name": "Inner", "children": [*parts[3:], {"name": "x{n}", "repeat": 40}]}
    return [{"name": "Outer", "children": [*parts[1:3], inner]}, parts[0]]


WORLD: dict[str, Any] = {
    "keys": [{"key": KEY, "member": "tmb-owner"}],
    "users": [{"username": USER, "password": PASSWORD, "member": "tmb-owner"}],
    "replies": ["Yes, that is so."],
    "apps": [{"id": APP, "name": "Desk", "chats": [{"chatId": "one", "title": "One"}]}],
    "datasets": [{"id": "d" * 24, "name": "Archive", "collections": collections()}],
}
CITED = {"id": "e" * 24, "q": "When are you open?", "a": "From 9."}
"""A row that the help desk's answer cites, as a quote of it."""
_HOURS = {
    "name": "Hours",
    "data": [{"_id": CITED["id"], "q": CITED["q"], "a": "From 9."}],
}
DESK: dict[str, Any] = WORLD | {
    "apps": [{"id": APP, "replies": [{"parts": [{"quotes": [CITED]}, "At 9."]}]}],
    "datasets": [{"id": "d" * 24, "collections": [_HOURS]}],
}
