"""What holds for any account and any requests: pages, searches, isolation."""

from typing import Any

import pytest
from account import LIST, PIN, LocalClient, bearer
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server import Control

CHATS = ("c1", "c2")
ACCOUNT = {"apps": [{"id": "a", "chats": [{"chatId": it} for it in CHATS]}]}
quick = settings(max_examples=25, deadline=None)
names = st.sampled_from(
    ["Straße", "STRASSE", "naïve", "nai\u0308ve", "指南", "a%b", "Guide 1", "g"]
)


@pytest.fixture(scope="module")
def server():
    with LocalClient(ACCOUNT) as client:
        yield client.control


def page(server: Control, offset: int, size: int, text: str = "") -> Any:
    body = {"offset": offset, "pageSize": size, "datasetId": "d", "searchText": text}
    return server.http.post(LIST, json=body, headers=bearer(server.key)).json()["data"]


@quick
@given(st.lists(names, max_size=12), st.integers(1, 30), names)
def test_pages_join_to_all_that_a_search_finds(server, found, size, text):
    server.put_dataset({"id": "d", "collections": [{"name": it} for it in found]})
    total = page(server, 0, 1, text)["total"]
    pages = [page(server, offset, size, text)["list"] for offset in range(0, total, size)]
    ids = [item["_id"] for each in pages for item in each]
    assert len({*ids}) == len(ids) == total >= found.count(text)
    assert page(server, total, size, text)["list"] == []


@quick
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(CHATS), st.booleans()), max_size=8))
def test_sandboxes_change_apart(server, pins):
    two = [server.create_sandbox(), server.create_sandbox()]
    expected = [{}, {}]
    keys = [it.key for it in two]
    for which, chat, top in pins:
        body = {"appId": "a", "chatId": chat, "top": top}
        assert server.http.put(PIN, json=body, headers=bearer(keys[which])).status_code == 200
        expected[which][chat] = top
    for sandbox, tops in zip(two, expected, strict=True):
        assert {it: sandbox.chat("a", it).top for it in CHATS} == dict.fromkeys(CHATS, False) | tops
        assert len(sandbox.journal) == sum(which == two.index(sandbox) for which, *_ in pins)
        sandbox.remove_sandbox()
    assert server.chat("a", "c1").top is False
