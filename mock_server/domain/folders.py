"""Folders of apps or datasets: find the path to an object, and a folder's content."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import App

T = TypeVar("T", App, Dataset)


def path_of(get: Callable[[str], T | None], own_id: str | None) -> list[T]:
    """Return the object with this id and the folders above it, outermost first.

    `get` returns the object of an id. For an unknown id the path is empty.
    """
    path: list[T] = []
    while own_id is not None and (found := get(own_id)) is not None:
        path.insert(0, found)
        own_id = found.parent_id
    return path


def descendants(every: Iterable[T], own_id: str) -> list[T]:
    """Return all objects in a folder at any depth, direct children first."""
    inside: dict[str | None, list[T]] = {}
    for each in every:
        inside.setdefault(each.parent_id, []).append(each)
    found = [*inside.get(own_id, ())]
    for each in found:  # the list grows here, level by level
        found += inside.get(each.id, ())
    return found
