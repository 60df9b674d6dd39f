"""Records that a test reads and changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mock_server import MockServerFixture

APP, CHAT, BOOKS = "app-1", "chat-1", "books"


def test_a_pin_is_seen(server: MockServerFixture, pin: Callable[..., int]) -> None:
    assert pin() == 200
    assert server.chat(APP, CHAT).top
    assert [each.title for each in server.chats(APP)] == ["Refund"]


def test_an_unknown_chat_is_told(server: MockServerFixture) -> None:
    with pytest.raises(Exception, match=r"nope.*path"):
        server.chat(APP, "nope")
    with pytest.raises(Exception, match="the id of an app"):
        server.chat("nope", CHAT)


def test_a_chat_is_put_and_removed(
    server: MockServerFixture, pin: Callable[..., int]
) -> None:
    put = server.put_chat(APP, {"chatId": "a b/c", "title": "New", "top": True})
    assert put == server.chat(APP, "a b/c")
    server.put_chat(APP, put)
    server.remove_chat(APP, CHAT)
    assert [each.chat_id for each in server.chats(APP)] == ["a b/c"]
    assert pin() == 404


def test_a_collection_is_put_and_removed(
    server: MockServerFixture, ids: Callable[..., list[str]]
) -> None:
    server.put_collection(BOOKS, {"_id": "faq", "name": "FAQ", "tags": ["a"]})
    assert set(ids(parentId=None)) == {"guides", "faq"}
    server.remove_collection(BOOKS, "guides")
    assert ids() == ["faq"]
    assert [each.name for each in server.collections(BOOKS)] == ["FAQ"]


def test_a_folder_lists_its_own(server: MockServerFixture) -> None:
    assert [each.id for each in server.collections(BOOKS, "guides")] == ["install"]
    assert [each.id for each in server.collections(BOOKS)] == ["guides"]


def test_a_dataset_is_put_and_removed(
    server: MockServerFixture, ids: Callable[..., list[str]]
) -> None:
    tree = [{"_id": "p", "name": "P", "children": [{"_id": "c", "name": "C"}]}]
    server.put_dataset({"id": "films", "collections": tree})
    assert set(ids(datasetId="films")) == {"p", "c"}
    server.put_app({"id": "app-2", "chats": [{"chatId": "x"}]})
    assert [each.chat_id for each in server.chats("app-2")] == ["x"]
    server.remove_dataset("films")
    server.remove_app("app-2")
    with pytest.raises(Exception, match="the id of a dataset"):
        server.collections("films")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("chat-9", "Expected a chat such as"),
        ({"title": "T"}, r"got nothing - at \$.chatId of a chat"),
        ({"chatId": 5}, r"got 5 - at \$.chatId"),
    ],
)
def test_what_is_no_record_is_refused(
    server: MockServerFixture, bad: object, said: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        server.put_chat(APP, bad)  # type: ignore[arg-type]


def test_another_fixture_is_loaded(server: MockServerFixture, tmp_path: Path) -> None:
    server.load({"apps": [{"id": "other", "chats": [{"chatId": "x"}]}]})
    assert [each.chat_id for each in server.chats("other")] == ["x"]
    file = tmp_path / "my.yaml"
    file.write_text("apps: [{id: of-file, chats: [{chatId: y}]}]")
    server.load(file)
    assert [each.chat_id for each in server.chats("of-file")] == ["y"]
    with pytest.raises(Exception, match=r"missing.yaml"):
        server.load("missing.yaml")


def test_a_snapshot_has_a_name(
    server: MockServerFixture, pin: Callable[..., int]
) -> None:
    assert server.snapshot("before") == "before"
    other = server.snapshot()
    pin()
    server.restore("before")
    assert not server.chat(APP, CHAT).top
    pin()
    server.restore(other)
    assert not server.chat(APP, CHAT).top
    with pytest.raises(Exception, match="befor"):
        server.restore("befor")


def test_a_reset_brings_the_beginning_back(
    server: MockServerFixture, pin: Callable[..., int]
) -> None:
    pin()
    server.fault("error")
    server.put_chat(APP, {"chatId": "new"})
    server.reset()
    assert server.faults == []
    assert server.journal == []
    assert [each.chat_id for each in server.chats(APP)] == [CHAT]
    assert not server.chat(APP, CHAT).top
