"""What was sent: asserted, awaited; choices, and why a page is as it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Thread

import pytest

from mock_server import MockServerFixture

Pin = Callable[..., int]
Ids = Callable[..., list[str]]


def test_calls_are_counted(server: MockServerFixture, pin: Pin, ids: Ids) -> None:
    ids()
    pin(top=False)
    pin()
    server.assert_called("updateHistory", times=2, status=200)
    server.assert_called("updateHistory", times=1, body={"top": True})
    server.assert_not_called("updateHistory", status=404)
    assert server.last_call("updateHistory")["request"]["body"]["top"] is True
    with pytest.raises(AssertionError, match=r"so far: updateHistory \(2\), listV2"):
        server.assert_called("listV2", times=2)


def test_an_order_is_asserted(server: MockServerFixture, pin: Pin, ids: Ids) -> None:
    pin()
    ids()
    pin(top=False)
    last = {"operation": "updateHistory", "body": {"top": False}}
    server.assert_in_order(["updateHistory", "listV2", last])
    with pytest.raises(AssertionError, match="got no listV2 after listV2"):
        server.assert_in_order(["listV2", "listV2"])


def test_an_order_that_may_have_been_is_told(
    server: MockServerFixture, ids: Ids
) -> None:
    ids(more="x" * 10_000)
    step = {"operation": "listV2", "body": {"offset": 0}}
    with pytest.raises(AssertionError, match="got 1 that the journal has cut"):
        server.assert_in_order([step])


def test_nothing_sent_is_told(server: MockServerFixture) -> None:
    server.assert_not_called("listV2")
    with pytest.raises(AssertionError, match="not called; called so far: nothing"):
        server.last_call("listV2")
    with pytest.raises(Exception, match="did you mean 'listV2'"):
        server.assert_called("listv2")


def test_calls_are_awaited(server: MockServerFixture, pin: Pin) -> None:
    calls = Thread(target=lambda: [pin(), pin(False)])
    calls.start()
    second = server.wait_for("updateHistory", times=2, timeout=timedelta(seconds=30))
    calls.join()
    assert second["request"]["body"]["top"] is False
    late = r"was called 2 of 3 times in 0.02 s; called so far: updateHistory \(2\)"
    with pytest.raises(AssertionError, match=late):
        server.wait_for("updateHistory", times=3, timeout=0.02)


def test_a_departure_is_told(server: MockServerFixture, pin: Pin) -> None:
    pin(extra=1)
    with pytest.raises(AssertionError, match=r"unknown_fields .spec 4.1."):
        server.assert_no_violations()
    server.assert_no_violations(["unknown_fields"])


def test_choices_are_read_and_set(server: MockServerFixture, ids: Ids) -> None:
    server.choices["parent_omitted"] = "root"
    assert (ids(), server.choices["parent_omitted"]) == (["guides"], "root")
    with pytest.raises(KeyError, match='did you mean "parent_omitted"'):
        server.choices["parent_omited"]
    with pytest.raises(Exception, match="Expected the name of a choice"):
        server.choices["order"] = "name"


def test_an_empty_page_is_explained(server: MockServerFixture, ids: Ids) -> None:
    asked = {"parentId": None, "searchText": "install"}
    assert ids(**asked) == []
    assert "search_scope" in str(server.why("books", "install", **asked))
    assert "search_scope" in str(server.journal[-1]["hint"])
