"""Folders of apps or datasets: find the path to an object, and a folder's content."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import App

T = TypeVar("T", App, Dataset)


def path_of(get: Callable[[str], T | None], item_id: str | None) -> list[T]:
    """Return the object with this id and the folders above it, outermost first.

    `get` returns the object of an id. For an unknown id the path is empty.
    """
    path: list[T] = []
    while item_id is not None and (item := get(item_id)) is not None:
        path.insert(0, item)
        item_id = item.parent_id
    return path


def descendants(items: Iterable[T], folder_id: str) -> list[T]:
    """Return all objects in a folder at any depth, direct children first."""
    by_parent: dict[str | None, list[T]] = {}
    for item in items:
        by_parent.setdefault(item.parent_id, []).append(item)
    results = [*by_parent.get(folder_id, ())]
    for item in results:  # the list grows here, level by level
        results += by_parent.get(item.id, ())
    return results
