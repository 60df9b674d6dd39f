"""What has been pulled becomes a fixture."""

from collections.abc import Iterator
from typing import Any

import msgspec

from mock_server.domain.limits import Limits
from mock_server.domain.records import DEFAULT_TMB_ID
from mock_server.domain.store import Store
from mock_server.fixture.dump import to_json, to_yaml
from mock_server.fixture.load import load_fixture
from mock_server.fixture.problems import FixtureError
from mock_server.pull.branches import Branch, Lists, Wanted
from mock_server.service import GivenUp

Plain = dict[str, Any]


def document_of(lists: Lists, wanted: Wanted) -> Plain:
    """A fixture document: collections flat, each followed by what is in it."""
    plain = msgspec.to_builtins
    apps = [
        {"id": app, "chats": plain(lists.get(Branch("chats", app), []))}
        for app in dict.fromkeys(wanted.apps)
    ]
    datasets = [
        {
            "id": dataset,
            # Else the default would stand there when the others are made anonymous.
            "tmbId": DEFAULT_TMB_ID,
            "collections": [*_collections(lists, dataset)],
        }
        for dataset in dict.fromkeys(wanted.datasets)
    ]
    return {"apps": apps, "datasets": datasets}


def _collections(lists: Lists, dataset: str) -> Iterator[Plain]:
    """From the top level down: what no list leads to any longer is not among them."""
    levels = [(None, iter(lists[Branch("collections", dataset)]))]
    while levels:
        parent, items = levels[-1]
        for each in items:
            part: Plain = msgspec.to_builtins(each) | {"parentId": parent}
            if rows := lists.get(Branch("rows", dataset, each.id)):
                part["data"] = msgspec.to_builtins(rows)
            yield part
            below = lists.get(Branch("collections", dataset, each.id), ())
            levels.append((each.id, iter(below)))
            break
        else:
            levels.pop()


def written(document: Plain, limits: Limits, *, is_json: bool) -> Iterator[bytes]:
    """The document as a fixture file, every field explicit, in pieces.

    It is loaded first, so that what is written can be served. Raises GivenUp if it
    cannot.
    """
    try:
        store = Store(load_fixture(document, limits=limits))
    except FixtureError as error:
        problem = error.problems[0].message
        raise GivenUp(f"Expected what a fixture can hold, got: {problem}") from None
    return to_json(store) if is_json else to_yaml(store)
