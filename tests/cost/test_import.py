"""What `import har` costs: for twice as much in a file, twice the price."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf
from time import thread_time
from typing import Any

import pytest
from msgspec import convert

from mock_server.service.har.importing import HarImport
from mock_server.service.har.reading import Har
from tests.har.files import entry, har
from tests.support import LIST

MANY, FEWEST, ROUNDS = 3_000, 3, 12
"""What disturbs a round only adds to it, so the least of several counts."""
MOST = 2.6
"""As in `test_cost`: twice, and what measuring adds."""


def keyed(count: int) -> list[Any]:
    """Requests each of which has its own key."""
    sent = [{"Authorization": f"Bearer my-secret-key-{key}"} for key in range(count)]
    return [entry("/x", '"%s"' % ("y" * 500), sent=each) for each in sent]


def deleted(count: int) -> list[Any]:
    """Collections, each in a folder of its own that nothing shows, and deleted."""
    page = [{"_id": f"c{at}", "name": "n", "parentId": f"p{at}"} for at in range(count)]
    body = json.dumps({"code": 200, "data": {"list": page, "total": count}})
    asked = {"datasetId": "d", "offset": 0, "pageSize": 30}
    gone = (
        f"/api/core/dataset/collection/delete?id=c{at}" for at in range(0, count, 2)
    )
    return [
        entry(LIST, body, method="POST", posted=asked),
        *(entry(each, '{"code":200,"data":null}', method="DELETE") for each in gone),
    ]


def repeating(count: int) -> list[Any]:
    """A request with a long secret that repeats itself."""
    sent = {"signature": '<a href="x">' * count}
    return [entry("/x", '"y"', method="POST", posted=sent)]


def incomplete(count: int) -> list[Any]:
    """A secret in a response that ends within a text of JSON."""
    token = "Xk9fQ2mZ7tLw4Rb1cD3e"
    body = '{"token": "%s", "x": "%s' % (token, '\\"' * 4 * count)
    return [entry("/x", body, kind="text/plain")]


def spent(entries: list[Any]) -> float:
    """Seconds of CPU to import a file of these entries."""
    file = convert(har(*entries), Har)
    start = thread_time()
    found = HarImport()
    found.add_entries(file.log.entries)
    found.document()
    return thread_time() - start


@pytest.mark.ci
@pytest.mark.parametrize("made", [keyed, deleted, repeating, incomplete])
def test_twice_as_many_cost_twice_at_most(made: Callable[[int], list[Any]]) -> None:
    half = whole = inf
    for number in range(ROUNDS):
        half = min(half, spent(made(MANY // 2)))
        whole = min(whole, spent(made(MANY)))
        if number >= FEWEST and whole <= MOST * half:
            return
    assert whole <= MOST * half
