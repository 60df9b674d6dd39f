"""What calls cost as a dataset grows from a hundred to a million collections.

In process, without HTTP: what the server does between a received body and an answer.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from mock_server.api.fixture_loading import load_fixture
from mock_server.app import Application, create_app
from tests.bench.figures import Figure, median, shown_time
from tests.bench.in_process import Call, call_seconds, together
from tests.support import LIST, PIN

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
SMALL, LARGEST = SIZES[1], SIZES[-1]
DATASET = "grown"
COMMON = ("article", "rticl", "ticle", "icle 0", "cle")
MISSES = ("none of these", "nor this", "absent", "zebra", "not there")
TARGETS = {
    "first search of all": 25e-3,
    "search without a hit": 25e-3,
    "search with one hit": 25e-3,
    "search that all names match": 250e-3,
    "the same again": 1e-3,
    "reset": 100e-6,
    "new sandbox": 100e-6,
    "create, page, search": 2e-3,
    "update, page, search": 2e-3,
    "delete, page, search": 2e-3,
    "reset after changes": 100e-6,
}
"""In seconds, at the largest size."""
CHANGES = 300
MOST_AT_SMALL = 100e-6
"""Seconds for a change with its page and search, at 10^3."""


T = TypeVar("T")


def known(found: T | None) -> T:
    """What has been looked up, which is there."""
    assert found is not None
    return found


def document(collections: int) -> dict[str, object]:
    """A dataset of so many collections at the top level, and a chat session."""
    entry = {"name": "Article {n:07}", "repeat": collections, "type": "link"}
    return {
        "apps": [{"id": "app", "chats": [{"chatId": "chat"}]}],
        "datasets": [{"id": DATASET, "collections": [entry]}],
    }


def rare(size: int) -> Sequence[str]:
    """Terms that only one name each contains, near the end of all."""
    return [f"cle {number:07}" for number in range(size - 50, size - 45)]


def listing(app: Application, times: int = 300, **fields: object) -> float:
    """Seconds for a page."""
    body = json.dumps({"offset": 0, "datasetId": DATASET} | fields).encode()
    return call_seconds(app, "POST", LIST, body, times)


def new_pages(app: Application, size: int) -> float:
    """Seconds for a page, the median over pages that come for the first time."""
    offsets = range(size // 3, size // 3 + 30)
    return statistics.median(listing(app, 1, offset=offset) for offset in offsets)


def pinning(app: Application) -> float:
    """Seconds for a pin."""
    body = json.dumps({"appId": "app", "chatId": "chat", "top": True}).encode()
    return call_seconds(app, "PUT", PIN, body, 300)


def searching(app: Application, terms: Sequence[str]) -> float:
    """Seconds for a search that has not been made before: the median over terms."""
    return statistics.median(listing(app, 1, searchText=term) for term in terms)


COLLECTION = "/api/core/dataset/collection"
Change = Callable[[Application, int], tuple[str, dict[str, object]]]
"""Prepares a change by its number: the path and the fields of the call."""


def changing(app: Application, change: Change) -> float:
    """Seconds for a client's change of one collection, the next page and a repeated
    search, all of them calls of the application.
    """
    page = {"offset": 0, "datasetId": DATASET}
    lists = [("POST", LIST, as_json(page | {"searchText": it})) for it in ("", "ART")]
    groups = ([call_of(app, change, number), *lists] for number in range(CHANGES))
    return statistics.median(together(app, groups))


def call_of(app: Application, change: Change, number: int) -> Call:
    """The call that makes a change."""
    path, fields = change(app, number)
    return "POST", COLLECTION + path, as_json(fields)


def as_json(fields: Mapping[str, object]) -> bytes:
    """A body."""
    return json.dumps(fields).encode()


def create(_app: Application, number: int) -> tuple[str, dict[str, object]]:
    """Add a collection, the latest of all."""
    name = f"Article {number}"
    return "/create", {"datasetId": DATASET, "name": name, "type": "virtual"}


def update(app: Application, number: int) -> tuple[str, dict[str, object]]:
    """Rename a loaded collection, which makes it the latest of all."""
    store = app.sandbox.store
    loaded = store.fixture.datasets[DATASET].tree.collections
    name = f"Article again {number}"
    return "/update", {"id": loaded[number % len(loaded)].id, "name": name}


def delete(app: Application, _number: int) -> tuple[str, dict[str, object]]:
    """Remove the latest collection."""
    dataset = known(app.sandbox.store.dataset(DATASET))
    newest = dataset.tree.listing(None, "update_time_desc").items[0]
    return "/delete", {"collectionIds": [newest.id]}


def seconds_at(size: int) -> dict[str, float]:
    """What each call costs with so many collections."""
    choices = {"related_routes": "on"}
    app = create_app(load_fixture(document(size)), choices=choices)
    sandboxes = app.sandboxes
    return {
        "first page of all": listing(app, 1),
        "page at the start": listing(app),
        "page in the middle": listing(app, offset=size // 2),
        "page at the end": listing(app, offset=size - 10),
        "page not asked for before": new_pages(app, size),
        "first search of all": listing(app, 1, searchText="first of all"),
        "search without a hit": searching(app, MISSES),
        "search with one hit": searching(app, rare(size)),
        "search that all names match": searching(app, COMMON),
        "the same again": listing(app, searchText=COMMON[0]),
        "pin": pinning(app),
        "reset": median(sandboxes.default.reset, 300),
        "new sandbox": median(sandboxes.create, 300),
        "create, page, search": changing(app, create),
        "update, page, search": changing(app, update),
        "delete, page, search": changing(app, delete),
        "reset after changes": resetting(app),
    }


def resetting(app: Application) -> float:
    """Seconds for a reset of a sandbox with some collections changed."""
    took = []
    for _ in range(20):
        together(app, [[call_of(app, create, number) for number in range(20)]])
        took.append(median(app.sandbox.reset, 1))
    return statistics.median(took)


def finding(size: int, terms: Sequence[str]) -> float:
    """Seconds for one `str.find` over the same names."""
    text = "\n".join(f"article {n:07}" for n in range(1, size + 1))
    return statistics.median(median(partial(text.find, term), 3) for term in terms)


def figures() -> Iterator[Figure]:
    """Each call at the largest size, with what it costs at the others."""
    found = {size: seconds_at(size) for size in SIZES}
    large, small = found[LARGEST], found[SMALL]
    for name in large:
        others = [f"10^{len(str(n)) - 1}: {shown_time(found[n][name])}" for n in SIZES]
        note = ", ".join(others[:-1])
        yield figure_of(name, large[name], note)
    for name in ("page at the start", "page in the middle", "page at the end"):
        ratio = large[name] / small[name]
        yield Figure(f"{name}: 10^6 to 10^3", ratio, "×", most=1.2)
    for name in ("reset after changes", "new sandbox"):
        yield Figure(f"{name}: 10^6 to 10^3", large[name] / small[name], "×")
    for name in large:
        if name.endswith("page, search"):
            most = MOST_AT_SMALL * 1e6
            yield Figure(f"{name}, 10^3", small[name] * 1e6, "µs", most=most)
    terms = {"search without a hit": MISSES, "search with one hit": rare(LARGEST)}
    for name in terms:
        ratio = large[name] / finding(LARGEST, terms[name])
        yield Figure(f"{name}: to one str.find", ratio, "×", most=2)


def figure_of(name: str, value: float, note: str) -> Figure:
    """A time in the unit that fits it, with its target."""
    most = TARGETS.get(name)
    unit, factor = ("ms", 1e3) if (most or value) >= 1e-3 else ("µs", 1e6)
    bound = None if most is None else most * factor
    return Figure(f"{name}, 10^6", value * factor, unit, most=bound, note=note)
