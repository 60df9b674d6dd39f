"""Provides Hypothesis strategies, and a state machine that tests a client.

The strategies generate fixtures, valid requests, and lists of faults. Examples shrink
towards one dataset, one collection and no faults. Hypothesis is needed, which the
package does not install.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from mock_server.api.fixture_loading import load_fixture
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.clock import format_time
from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import Published
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.fixture.source.files import FixtureLike
from mock_server.testing.machine.client_machine import ClientMachine

__all__ = [
    "ClientMachine",
    "fault_lists",
    "fixtures",
    "list_requests",
    "pin_requests",
    "requests",
]

Document = dict[str, Any]

# Names that test case folding, normalisation and regular expressions in searches.
_WORDS = (
    *("Guide", "Refund", "Invoice", "ärger", "Größe", "指南", "naïve", "🙂 FAQ"),
    "(a+)+$",
)
_TAGS = ("setup", "faq", "Red", "blue", "退款")
_TYPES = ("virtual", "link", "file", "hologram")
_HOUR_MS = 3_600_000
_START_OF_2024 = 1_704_067_200_000

_names = st.sampled_from(_WORDS) | st.text(min_size=1, max_size=12)
_times = st.integers(0, 20_000).map(
    lambda hour: format_time(_START_OF_2024 + hour * _HOUR_MS)
)


def fixtures(*, max_repeat: int = 100) -> st.SearchStrategy[Document]:
    """Generate valid fixtures: an app with chats, datasets with trees of folders.

    Some chats have records, and some collections data rows. Collections are repeated up
    to `max_repeat` times, so that lists have several pages.
    """
    return st.builds(
        _document,
        st.lists(_datasets(max_repeat), min_size=1, max_size=2),
        st.lists(_chats(), max_size=4),
    )


def _document(datasets: list[Document], chats: list[Document]) -> Document:
    named = [
        {"id": f"dataset-{number}"} | each for number, each in enumerate(datasets, 1)
    ]
    numbered = [
        {"chatId": f"chat-{number}"} | each for number, each in enumerate(chats, 1)
    ]
    return {"apps": [{"id": "app-1", "chats": numbered}], "datasets": named}


def _chats() -> st.SearchStrategy[Document]:
    record = st.fixed_dictionaries(
        {"obj": st.sampled_from(["Human", "AI", "System"]), "text": _names}
    )
    records = st.lists(record, min_size=1, max_size=3)
    return _fields(title=_names, top=st.booleans(), records=records)


def _datasets(max_repeat: int) -> st.SearchStrategy[Document]:
    entries = st.lists(_entries(max_repeat), max_size=3)
    return st.builds(
        lambda collections, fields: {"collections": collections} | fields,
        entries,
        _fields(name=_names, intro=_names, updateTime=_times),
    )


def _entries(max_repeat: int) -> st.SearchStrategy[Document]:
    # No default values, because a missing field has the same meaning and is simpler.
    common: dict[str, st.SearchStrategy[Any]] = {
        "tags": st.lists(st.sampled_from(_TAGS), unique=True, min_size=1, max_size=2),
        "updateTime": _times,
        "dataAmount": st.integers(1, 1_000),
        "forbid": st.just(True),
    }
    rows = st.fixed_dictionaries({"q": _names}, optional={"a": _names})
    leaves = _named(
        type=st.sampled_from(_TYPES),
        repeat=st.integers(2, max_repeat),
        data=st.lists(rows, min_size=1, max_size=3),
        **common,
    ).map(_consistent)
    return st.recursive(
        leaves,
        lambda inner: leaves | _named(children=st.lists(inner, max_size=3), **common),
        max_leaves=6,
    )


def _consistent(entry: Document) -> Document:
    """Return an entry without the fields that data rows exclude, if it has any rows."""
    excluded = {"repeat", "dataAmount"} if "data" in entry else ()
    return {name: value for name, value in entry.items() if name not in excluded}


def _named(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Document]:
    fields = _fields(**optional)
    return st.builds(lambda name, fields: {"name": name} | fields, _names, fields)


def _fields(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Document]:
    """Generate objects with any of these fields; they shrink to empty objects."""
    return st.fixed_dictionaries({}, optional=optional)


def list_requests(fixture: FixtureLike | FixtureData) -> st.SearchStrategy[Document]:
    """Generate valid bodies of listV2 for the datasets of a fixture (spec 4.2).

    Nothing is generated if the fixture has no dataset.
    """
    datasets = _loaded(fixture).datasets
    if not datasets:
        return st.nothing()
    return st.sampled_from(list(datasets)).flatmap(
        lambda dataset_id: _list_requests(_loaded(fixture), dataset_id)
    )


def _list_requests(fixture: FixtureData, dataset_id: str) -> st.SearchStrategy[Any]:
    collections = fixture.datasets[dataset_id].tree.collections
    folders = [each.id for each in collections if each.type == "folder"]
    words = sorted({each.name for each in collections})
    searches = st.just("") | st.text(max_size=3)
    if words:
        searches |= st.sampled_from(words).flatmap(_substrings)
    optional = {
        "parentId": st.sampled_from([None, *folders]),
        "pageSize": st.integers(1, Published.page_size),
        "searchText": searches,
    }
    required = {
        "datasetId": st.just(dataset_id),
        "offset": st.integers(0, len(collections) + 1),
    }
    return st.fixed_dictionaries(required, optional=optional)


def _substrings(text: str) -> st.SearchStrategy[str]:
    ends = st.integers(0, len(text))
    return st.tuples(ends, ends).map(lambda pair: text[min(pair) : max(pair)])


def pin_requests(fixture: FixtureLike | FixtureData) -> st.SearchStrategy[Document]:
    """Generate valid bodies of updateHistory for a fixture's chats (spec 4.1).

    Nothing is generated if the fixture has no chat.
    """
    chats = [
        (app.id, chat_id)
        for app in _loaded(fixture).apps.values()
        for chat_id in app.chats
    ]
    if not chats:
        return st.nothing()
    return st.builds(
        lambda chat, top: {"appId": chat[0], "chatId": chat[1], "top": top},
        st.sampled_from(chats),
        st.booleans(),
    )


def requests(
    operation: str | Operation, fixture: FixtureLike | FixtureData
) -> st.SearchStrategy[Document]:
    """Generate bodies of requests for an operation, with fields of the right types.

    Ids are those of the fixture, if any. listV2 needs a dataset and updateHistory a
    chat, or nothing is generated. Raises ValueError for an unknown operation.
    """
    if isinstance(operation, str):
        try:
            OPERATIONS.check_name(operation, "operation")
        except InvalidField as refusal:
            raise ValueError(refusal.message) from None
        operation = OPERATIONS[operation]
    documented = {"listV2": list_requests, "updateHistory": pin_requests}
    if operation.name in documented:
        return documented[operation.name](fixture)
    ids = _ids(_loaded(fixture))
    # The field `id` names an object of the kind in the operation's name.
    kinds = _KINDS_OF_ID | {"id": operation.name.partition(".")[0]}
    strategies: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(_NUMBERS, _WHOLE)
    body = inspect.type_info(operation.contract.fields)
    for each in getattr(body, "fields", ()):
        known = ids.get(kinds.get(each.encode_name, ""))
        if known:
            strategies[each.encode_name] = _known_ids(known, each.type)
    return _struct(body, strategies)


_NUMBERS, _WHOLE = ("offset", "pageNum", "pageSize"), st.integers(1, 30)
"""Fields whose type accepts strings, of which only numbers are valid."""
_KINDS_OF_ID = {
    "appId": "app",
    "chatId": "chat",
    "chatIds": "chat",
    "datasetId": "dataset",
    "collectionId": "collection",
    "collectionIds": "collection",
    "parentId": "collection",
    "sourceId": "collection",
    "dataId": "data",
}


def _ids(fixture: FixtureData) -> Mapping[str, list[str]]:
    datasets = fixture.datasets.values()
    rows = (rows for each in datasets for rows in each.rows.values())
    return {
        "app": list(fixture.apps),
        "chat": [chat for app in fixture.apps.values() for chat in app.chats],
        "dataset": list(fixture.datasets),
        "collection": [item.id for each in datasets for item in each.tree],
        "data": [row.id for each in rows for row in each],
    }


def _known_ids(ids: list[str], data_type: inspect.Type) -> st.SearchStrategy[Any]:
    single = st.sampled_from(ids)
    if any(isinstance(each, inspect.ListType) for each in _members(data_type)):
        return st.lists(single, min_size=1, max_size=_MAX_ITEMS, unique=True)
    return single


_MAX_ITEMS, _MAX_CHARS = 3, 12


def _members(data_type: inspect.Type) -> Iterable[inspect.Type]:
    data_type = data_type.type if isinstance(data_type, inspect.Metadata) else data_type
    types = (
        data_type.types if isinstance(data_type, inspect.UnionType) else (data_type,)
    )
    for each in types:
        plain = each.type if isinstance(each, inspect.Metadata) else each
        if not isinstance(plain, inspect.CustomType):
            yield plain


def _values(data_type: inspect.Type) -> st.SearchStrategy[Any]:
    return st.one_of([_value(each) for each in _members(data_type)])


def _value(data_type: inspect.Type) -> st.SearchStrategy[Any]:
    if isinstance(data_type, inspect.StrType):
        if data_type.pattern is not None:
            return st.from_regex(data_type.pattern, fullmatch=True)
        low = data_type.min_length or 0
        high = min(data_type.max_length or _MAX_CHARS, low + _MAX_CHARS)
        return st.text(_LETTERS, min_size=low, max_size=high)
    if isinstance(data_type, inspect.IntType):
        low, high = data_type.ge or 0, 99 if data_type.le is None else data_type.le
        return st.integers(low, max(low, min(high, low + 99)))
    if isinstance(data_type, inspect.FloatType):
        return st.floats(data_type.ge or 0, 1 if data_type.le is None else data_type.le)
    if isinstance(data_type, inspect.LiteralType):
        return st.sampled_from(data_type.values)
    if isinstance(data_type, inspect.ListType):
        low = data_type.min_length or 0
        return st.lists(
            _values(data_type.item_type), min_size=low, max_size=low + _MAX_ITEMS
        )
    if isinstance(data_type, inspect.StructType):
        return _struct(data_type, {})
    return _OTHER_TYPES.get(type(data_type), st.none())


def _struct(
    data_type: inspect.Type, strategies: Mapping[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[Document]:
    """Generate objects of a struct type; `strategies` replace those of some fields."""
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for each in getattr(data_type, "fields", ()):
        values = strategies.get(each.encode_name)
        group = required if each.required else optional
        group[each.encode_name] = _values(each.type) if values is None else values
    return st.fixed_dictionaries(required, optional=optional)


_LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc"])
_OTHER_TYPES: Mapping[type, st.SearchStrategy[Any]] = {
    inspect.BoolType: st.booleans(),
    inspect.DictType: st.just({}),
    inspect.AnyType: st.none() | st.booleans() | st.integers(0, 9),
}


def fault_lists(*, max_size: int = 3) -> st.SearchStrategy[list[Document]]:
    """Generate lists of faults, as an admin route takes them, for a retrying client."""
    counts = {"times": st.integers(1, 3), "skip": st.integers(0, 3)}
    chances = {"probability": st.sampled_from([0.25, 0.5]), "seed": st.integers(0, 99)}
    operations = {"operation": st.sampled_from(sorted(OPERATIONS))}
    phases = {"phase": st.just("after")}
    kinds: Mapping[str, dict[str, st.SearchStrategy[Any]]] = {
        "error": {"status": st.sampled_from([429, 500, 502, 503]), **phases},
        "reset": phases,
        "empty": phases,
        "garbage": phases,
        "truncate": {"bytes": st.integers(0, 50), **phases},
        "malformed_json": phases,
    }
    faults = st.sampled_from(list(kinds)).flatmap(
        lambda kind: st.builds(
            lambda fields: {"kind": kind} | fields,
            _fields(**kinds[kind], **counts, **chances, **operations),
        )
    )
    return st.lists(faults, max_size=max_size)


def _loaded(fixture: FixtureLike | FixtureData) -> FixtureData:
    return fixture if isinstance(fixture, FixtureData) else load_fixture(fixture)
