"""Turns pulled lists into a fixture, and replaces all texts on request."""

import hmac
from collections.abc import Iterator
from typing import Any

import msgspec

from mock_server.api.fixture_loading import load_fixture
from mock_server.domain.objects.models import DEFAULT_TMB_ID
from mock_server.domain.storage.store import Store
from mock_server.fixture.dump import to_json, to_yaml
from mock_server.fixture.problems import FixtureError
from mock_server.service.pull.lists import ListRef, PermanentFailure
from mock_server.service.pull.walk import Lists, Selection

Fields = dict[str, Any]
_ID_HEX_DIGITS, _HEX_DIGITS = 24, 16

# The prefix of the text that replaces the value of each field. Other fields, such as
# times, numbers and types, identify nobody, so they stay.
_PREFIXES = {
    **dict.fromkeys(("id", "_id", "parentId", "tmbId", "chatId"), ""),
    **dict.fromkeys(("externalFileId", "fileId", "shareId", "outLinkUid"), ""),
    "name": "name-",
    "tags": "tag-",
    "title": "title-",
    "customTitle": "title-",
    "rawLink": "https://example.com/",
    "q": "text-",
    "a": "text-",
    "indexes": "text-",
}


def document_of(lists: Lists, selection: Selection) -> Fields:
    """Return a fixture document: collections in a flat list, depth first."""
    to_plain = msgspec.to_builtins
    # Write it explicitly, because `anonymous` replaces only fields of the document.
    member = {"tmbId": DEFAULT_TMB_ID}
    apps = [
        {"id": app, **member, "chats": to_plain(lists.get(ListRef("chats", app), []))}
        for app in dict.fromkeys(selection.apps)
    ]
    datasets = [
        {"id": dataset, **member, "collections": [*_collections(lists, dataset)]}
        for dataset in dict.fromkeys(selection.datasets)
    ]
    return {"apps": apps, "datasets": datasets}


def _collections(
    lists: Lists, dataset: str, folder: str | None = None
) -> Iterator[Fields]:
    """Yield the collections below a folder, depth first, each before its content."""
    for each in lists.get(ListRef("collections", dataset, folder), ()):
        part: Fields = msgspec.to_builtins(each) | {"parentId": folder}
        if rows := lists.get(ListRef("rows", dataset, each.id)):
            part["data"] = msgspec.to_builtins(rows)
        yield part
        yield from _collections(lists, dataset, each.id)


def encode_fixture(document: Fields, *, is_json: bool) -> Iterator[bytes]:
    """Return the pieces of a fixture file, with every field explicit.

    The document is loaded first, to check it. Raises PermanentFailure if it is invalid.
    """
    try:
        store = Store(load_fixture(document))
    except FixtureError as error:
        problem = error.problems[0].message
        raise PermanentFailure(f"Expected data of a fixture, got: {problem}") from None
    return to_json(store) if is_json else to_yaml(store)


def anonymous(document: Any, secret: str) -> Any:
    """Return a fixture document with names, tags, texts and ids replaced.

    Empty texts stay. Each replacement is derived from the text and `secret`: equal
    texts get equal replacements, in every run, and the text cannot be guessed without
    the secret.
    """

    def replace_texts(value: Any, prefix: str | None) -> Any:
        if isinstance(value, dict):
            items = value.items()
            return {
                name: replace_texts(each, _PREFIXES.get(name)) for name, each in items
            }
        if isinstance(value, list):
            return [replace_texts(each, prefix) for each in value]
        if prefix is None or not value or not isinstance(value, str):
            return value
        return _replacement(value, prefix, secret)

    return replace_texts(document, None)


def _replacement(text: str, prefix: str, secret: str) -> str:
    digest = hmac.digest(secret.encode(), f"{prefix}\0{text}".encode(), "sha256").hex()
    return prefix + digest[: _HEX_DIGITS if prefix else _ID_HEX_DIGITS]
