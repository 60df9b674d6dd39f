"""Keys: those that count, those that do not, and what the journal shows of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mock_server import MockServerFixture

PIN = "/api/core/chat/history/updateHistory"
LIST = "/api/core/dataset/collection/listV2"


def test_declared_keys_count(
    server: MockServerFixture, pin: Callable[..., int]
) -> None:
    assert pin(key="owner-key") == pin(key=server.key) == 200
    assert set(server.keys) == {"owner-key", "reader-key"}
    assert pin(key=server.keys["reader-key"]) == pin(key="reader-key") == 200


def test_a_wrong_key_is_refused_and_journalled(
    server: MockServerFixture, pin: Callable[..., int]
) -> None:
    assert [pin(key="wrong"), pin(key=None)] == [401, 401]
    server.assert_called("updateHistory", status=401, times=2)
    assert [each["request"]["path"] for each in server.journal] == [PIN, PIN]


def test_a_key_is_asserted_as_it_was_sent(
    server: MockServerFixture, pin: Callable[..., int]
) -> None:
    pin(key="owner-key")
    server.assert_called("updateHistory", key="owner-key")
    server.assert_not_called("updateHistory", key="reader-key")
    with pytest.raises(AssertionError, match="got 0 calls of updateHistory with key"):
        server.assert_called("updateHistory", key="reader-key")


@pytest.mark.parametrize("key", ["owner-key", "fast01234567"])
def test_a_key_is_asserted_as_the_journal_shows_it_too(
    server: MockServerFixture, pin: Callable[..., int], key: str
) -> None:
    pin(key=key)  # one looks like a redacted key
    shown = server.last_call("updateHistory")["key"]
    server.assert_called("updateHistory", key=key)
    server.assert_called("updateHistory", key=shown)
    with pytest.raises(AssertionError, match=f"got 1 call.*key '{shown}'"):
        server.assert_not_called("updateHistory", key=shown)


def test_an_undeclared_key_is_told(server: MockServerFixture) -> None:
    with pytest.raises(KeyError, match=r'did you mean "reader-key"'):
        server.keys["reader-kex"]


def test_any_key_counts_while_none_is_declared(
    server: MockServerFixture, send: Callable[..., Any]
) -> None:
    server.load({"datasets": [{"id": "books"}]})
    answer = send("POST", LIST, "whatever", offset=0, datasetId="books")
    assert answer.status_code == 200
    with pytest.raises(KeyError, match=r"declares no keys; send `.key`, or any text"):
        server.keys["reader-key"]


def test_a_share_link_has_the_id_to_send(
    server: MockServerFixture, send: Callable[..., Any]
) -> None:
    link = {"shareId": "link", "appId": "support"}
    server.load({"apps": [{"id": "support"}], "shares": [link]})
    named = {"shareId": server.shares["link"], "outLinkUid": "ann"}
    path = "/api/core/chat/history/getHistories"
    assert send("POST", path, None, outLinkAuthData=named).status_code == 200
    with pytest.raises(KeyError, match=r'did you mean "link"'):
        server.shares["lnik"]
    server.load({})
    with pytest.raises(KeyError, match=r"it declares none as `shares:`"):
        server.shares["link"]
