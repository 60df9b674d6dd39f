"""What has been pulled becomes a fixture, with other texts if that is wanted."""

import hmac
from collections.abc import Iterator
from typing import Any

import msgspec

from mock_server.api.fixture_loading import load_fixture
from mock_server.domain.objects.models import DEFAULT_TMB_ID
from mock_server.domain.storage.store import Store
from mock_server.fixture.dump import to_json, to_yaml
from mock_server.fixture.problems import FixtureError
from mock_server.service.pull.lists import Branch, GivenUp
from mock_server.service.pull.walk import Lists, Wanted

Plain = dict[str, Any]
_ID_DIGITS, _DIGITS = 24, 16

# Fields by their names in documents, wherever they stand. Times, numbers and types say
# nothing of whose they are.
_WORDS = {
    **dict.fromkeys(("id", "_id", "parentId", "tmbId", "chatId"), ""),
    **dict.fromkeys(("externalFileId", "fileId"), ""),
    "name": "name-",
    "tags": "tag-",
    "title": "title-",
    "customTitle": "title-",
    "rawLink": "https://example.com/",
    "q": "text-",
    "a": "text-",
}


def document_of(lists: Lists, wanted: Wanted) -> Plain:
    """A fixture document: collections flat, each followed by what is in it."""
    plain = msgspec.to_builtins
    # Else the default would stand there when the others are made anonymous.
    member = {"tmbId": DEFAULT_TMB_ID}
    apps = [
        {"id": app, **member, "chats": plain(lists.get(Branch("chats", app), []))}
        for app in dict.fromkeys(wanted.apps)
    ]
    datasets = [
        {"id": dataset, **member, "collections": [*_collections(lists, dataset)]}
        for dataset in dict.fromkeys(wanted.datasets)
    ]
    return {"apps": apps, "datasets": datasets}


def _collections(
    lists: Lists, dataset: str, folder: str | None = None
) -> Iterator[Plain]:
    """From the top level down: what no list leads to any longer is not among them."""
    for each in lists.get(Branch("collections", dataset, folder), ()):
        part: Plain = msgspec.to_builtins(each) | {"parentId": folder}
        if rows := lists.get(Branch("rows", dataset, each.id)):
            part["data"] = msgspec.to_builtins(rows)
        yield part
        yield from _collections(lists, dataset, each.id)


def written(document: Plain, *, is_json: bool) -> Iterator[bytes]:
    """The document as a fixture file, every field explicit, in pieces.

    It is loaded first, so that what is written can be served. Raises GivenUp if it
    cannot.
    """
    try:
        store = Store(load_fixture(document))
    except FixtureError as error:
        problem = error.problems[0].message
        raise GivenUp(f"Expected what a fixture can hold, got: {problem}") from None
    return to_json(store) if is_json else to_yaml(store)


def anonymous(document: Any, secret: str) -> Any:
    """A fixture document with other names, tags, texts and ids; empty ones stay.

    The same text is replaced by the same everywhere. What stands for it derives from it
    and from a secret: with the same secret it is the same in every run, and without it
    nobody can try out what the text may have been.
    """

    def changed(value: Any, word: str | None) -> Any:
        if isinstance(value, dict):
            items = value.items()
            return {name: changed(each, _WORDS.get(name)) for name, each in items}
        if isinstance(value, list):
            return [changed(each, word) for each in value]
        if word is None or not value or not isinstance(value, str):
            return value
        return _replaced(value, word, secret)

    return changed(document, None)


def _replaced(text: str, word: str, secret: str) -> str:
    digest = hmac.digest(secret.encode(), f"{word}\0{text}".encode(), "sha256").hex()
    return word + digest[: _DIGITS if word else _ID_DIGITS]
