"""What routes of applications and of datasets have in common."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from mock_server.api.operations.related import fields
from mock_server.domain.access import Level
from mock_server.domain.call import Call
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import App

H = TypeVar("H", App, Dataset)
Seen = tuple[H, Level]
"""An application or a dataset, and what the caller may do with it."""


def named(call: Call, term: str, every: Iterable[H]) -> list[H]:
    """Those with a folded term in their name or introduction."""
    return fields.having(term, every, lambda it: (it.name, it.intro), call.state)


def page_of(call: Call, found: Iterable[H], most: int | None = None) -> Page[Seen[H]]:
    """Those that the caller may read, on one page, the latest first."""
    ordered = sorted(found, key=lambda each: (-each.update_time, each.id))
    levels = ((each, each.level_of(call.caller)) for each in ordered)
    seen = [(each, level) for each, level in levels if level >= Level.READ][:most]
    return Page(seen, len(seen), call.caller.level, seen, 0, Published.integer)


def permissions_of(call: Call) -> Mapping[str, Level]:
    """The permissions of what the caller creates."""
    # Whoever owns all needs none, and a state can name declared keys only.
    key, keys = call.caller.key, call.store.generation.keys
    is_named = call.caller.level is not Level.OWNER and key in keys
    return {key: Level.OWNER} if is_named else {}
