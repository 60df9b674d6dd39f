"""Searches, pages and permissions for the routes of applications and of datasets."""

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
WithLevel = tuple[H, Level]
"""An application or a dataset, and the caller's level of permission for it."""


def search(call: Call, term: str, objects: Iterable[H]) -> list[H]:
    """Return the objects whose name or introduction contains a case-folded term.

    Raises NotReady.
    """
    max_chars = call.state.limits.listed_search_chars
    steps = fields.containing(
        term, objects, lambda each: (each.name, each.intro), max_chars
    )
    return call.compute("search", steps).with_hint(call.state)


def page_of(
    call: Call, objects: Iterable[H], limit: int | None = None
) -> Page[WithLevel[H]]:
    """Return one page of the objects that the caller may read, the latest first.

    The page has the first `limit` objects; by default it has all.
    """
    ordered = sorted(objects, key=lambda each: (-each.update_time, each.id))
    levels = ((each, each.level_of(call.caller)) for each in ordered)
    items = [(each, level) for each, level in levels if level >= Level.READ][:limit]
    return Page(items, len(items), call.caller.level, items, 0, Published.integer)


def permissions_of(call: Call) -> Mapping[str, Level]:
    """Return the permissions, by API key, of an object that the caller creates."""
    # An owner of everything needs no entry; a state can name only declared keys.
    key, keys = call.caller.key, call.store.fixture.keys
    is_named = call.caller.level is not Level.OWNER and key in keys
    return {key: Level.OWNER} if is_named else {}
