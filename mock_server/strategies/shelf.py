"""What a machine has happen unless it says otherwise: data, choices, faults."""

from collections.abc import Mapping, Sequence
from typing import Any

from mock_server.domain.choices import Value

Document = Mapping[str, Any]

FIXTURE: Document = {
    "keys": [
        {"key": "owner-key", "permission": "owner"},
        {"key": "guest-key", "permission": "none"},
    ],
    "apps": [
        {"id": "app-1", "chats": [{"chatId": "one"}, {"chatId": "two", "top": True}]},
        {"id": "app-2", "chats": [{"chatId": "one"}]},
    ],
    "datasets": [
        {
            "id": "few",
            "collections": [
                {
                    "_id": "guides",
                    "name": "Guides",
                    "children": [
                        {"_id": "install", "name": "Install", "tags": ["setup"]},
                        {"_id": "größe", "name": "Größe & (a+)+$", "tags": ["FAQ"]},
                    ],
                },
                {"_id": "faq", "name": "FAQ", "type": "link"},
            ],
        },
        {
            "id": "many",
            "collections": [
                {
                    "_id": "item-{n:02}",
                    "name": "Article {n}",
                    "repeat": 64,
                    "updateTime": {"start": "2024-01-01T00:00:00Z", "step": "1h"},
                },
                {
                    "_id": "archive",
                    "name": "Archive",
                    "children": [
                        {"_id": "old-{n:02}", "name": "Old {n:02}", "repeat": 31}
                    ],
                },
            ],
        },
    ],
}
"""Lists of a few, of 31 and of 65; names for searches; two who call."""

WORDS = ("faq", "old 3", "größe", "(a+)+$", "nothing has this")
"""What is searched for."""

CHOICES: Mapping[str, Value | Sequence[Value]] = {
    "page_size_default": (10, 1, 30),
    "list_order": ("update_time_desc", "name", "fixture"),
    "parent_omitted": ("any", "root"),
    "parent_unknown": ("not_found", "empty"),
    "chat_unknown": ("not_found", "ignore"),
    "search_fields": ("name_and_tags", "name"),
    "search_scope": ("folder", "dataset"),
    "error_form": ("plain", "service"),
    "error_http_status": ("mapped", "always_500", "always_200"),
    "item_fields": ("documented", "extended"),
    "tags_empty": ("list", "absent"),
}
"""What is left open that a client on contract copes with, whatever is chosen."""

FAULTS: Sequence[Document] = (
    {"kind": "error", "status": 503},
    {"kind": "error", "status": 500, "phase": "after"},
    {"kind": "error", "status": 429, "retryAfter": 1},
    {"kind": "error", "status": 404},
    {"kind": "error", "status": 200, "code": 500},
    {"kind": "reset"},
    {"kind": "reset", "phase": "after"},
    {"kind": "empty"},
    {"kind": "truncate"},
    {"kind": "malformed_json"},
    {"kind": "wrong_total", "by": 1},
    {"kind": "alter", "set": {"type": "hologram", "newField": None}},
)

DRIFT: Sequence[Document] = (
    {"kind": "page_drift", "insert": 1},
    {"kind": "page_drift", "remove": 1},
    {"kind": "duplicate_item"},
)
"""Lists that change while they are read."""

OF_LISTS = ("page_drift", "duplicate_item", "wrong_total")
"""Kinds that only lists of several pages meet."""
OF_PAGES = (*OF_LISTS, "alter")
"""Kinds that only pages meet."""
HARMLESS = ("alter", "delay", "dribble")
"""Kinds that leave an answer right."""
MADE_BY_MACHINE = ("parent_unknown", "chat_unknown", "unknown_key")
"""Violations that are the machine's, which asks for what there is not."""
_OFTEN = 40
"""More often than any client should try."""


def befall(
    kinds: Sequence[Document], attempts: int | None, are_lists: bool
) -> list[list[Document]]:
    """These faults once and often, from the first request on, or at the second.

    Those of a kind together, the simplest first. Where a client makes several
    `attempts`, also so often that it should still succeed.
    """
    survived = max(1, (attempts or 1) - 1)
    found: dict[str, list[Document]] = {}
    for times, skip in (1, 0), (1, 1), (survived, 0), (_OFTEN, 0):
        if are_lists or not skip:
            how = _without_defaults(times=times, skip=skip)
            for each in kinds:
                if _may_be(each, times, skip):
                    found.setdefault(each["kind"], []).append(dict(each) | how)
    return list(found.values())


def _may_be(kind: Document, times: int, skip: int) -> bool:
    """Whether a client can cope at all."""
    if kind["kind"] == "page_drift":
        # Once: a list that goes on changing can never be read. Later: nobody could know
        # that the only page was another one before.
        return times == 1 and skip > 0
    if kind["kind"] == "duplicate_item":
        return times == 1
    return True


def _without_defaults(times: int, skip: int) -> dict[str, Any]:
    return ({} if times == 1 else {"times": times}) | ({"skip": skip} if skip else {})
