"""Every list of the service with a total: a choice acts on all of them alike."""

from collections.abc import Iterator
from typing import Any

import pytest
from account import LocalClient

from mock_server.choices import choice_table
from mock_server.service.operation import Operation
from mock_server.service.operations import OPERATIONS
from mock_server.service.pages import PageRequest


def has_total(operation: Operation) -> bool:
    kind = getattr(operation.response_type, "__origin__", operation.response_type)
    return "total" in getattr(kind, "__struct_fields__", ())


LISTS = {it.name: it for it in OPERATIONS if has_total(it)}
SIZED = [name for name, it in LISTS.items() if issubclass(it.request_type, PageRequest)]
REFUSING = [("related_routes", "off"), ("unknown_key", "reject")]
"""Values under which no list is shown."""
VALUES = [(name, value) for name, it in choice_table().items() for value in it.values]
SHOWING = [it for it in VALUES if it not in REFUSING]


@pytest.fixture(scope="module")
def demo() -> Iterator[LocalClient]:
    with LocalClient("demo") as client:
        yield client


def data_of(client: LocalClient, name: str, without: str = "", **fields: Any) -> Any:
    """The data of the response to an operation's example, with other fields, or without one."""
    it = LISTS[name]
    sent = {key: value for key, value in (it.example | fields).items() if key != without}
    return client.request(it.method, it.path, json=sent).json()["data"]


def test_the_lists_are_found():
    assert {"listV2", "collection.list", "getHistories", "getRecords_v2", "data.list"} < {*LISTS}
    assert len(SIZED) > 2


@pytest.mark.parametrize(("choice", "value"), SHOWING)
def test_a_choice_gives_all_totals_one_form(demo, choice, value):
    demo.set_choices(**{choice: value})
    assert len({type(data_of(demo, name)["total"]) for name in LISTS}) == 1


@pytest.mark.parametrize("value", choice_table()["lone_offset"].values)
def test_a_lone_offset_skips_items_of_all_lists_or_of_none(demo, value):
    demo.set_choices(lone_offset=value)
    skipped = []
    for name in SIZED:
        data = data_of(demo, name, without="pageSize", offset=1)
        skipped.append(data["total"] - len(data["list"]))
    assert skipped == [int(value == "honour")] * len(SIZED)


@pytest.mark.parametrize("name", LISTS)
def test_a_total_counts_what_is_on_all_pages(demo, name):
    demo.set_choices()
    whole = data_of(demo, name)
    one = data_of(demo, name, pageSize=1)
    items, page = (it.get("list", it.get("data")) for it in (whole, one))
    assert whole["total"] == one["total"] == len(items) >= len(page) == 1
