"""Turn pulled lists into a fixture, with all texts replaced on request."""

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

# The prefix of the text that replaces a field's value. Times, numbers and types
# identify nobody, so they stay.
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
    """Return a fixture document: collections in a flat list, depth first."""
    plain = msgspec.to_builtins
    # Explicit, as `anonymous` replaces only what the document has.
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
    """Yield a folder's collections and all below; unreachable ones are left out."""
    for each in lists.get(Branch("collections", dataset, folder), ()):
        part: Plain = msgspec.to_builtins(each) | {"parentId": folder}
        if rows := lists.get(Branch("rows", dataset, each.id)):
            part["data"] = msgspec.to_builtins(rows)
        yield part
        yield from _collections(lists, dataset, each.id)


def written(document: Plain, *, is_json: bool) -> Iterator[bytes]:
    """Return the pieces of a fixture file, with every field explicit.

    The document is loaded first, which proves that it can be served. Raises GivenUp if
    it cannot.
    """
    try:
        store = Store(load_fixture(document))
    except FixtureError as error:
        problem = error.problems[0].message
        raise GivenUp(f"Expected data of a fixture, got: {problem}") from None
    return to_json(store) if is_json else to_yaml(store)


def anonymous(document: Any, secret: str) -> Any:
    """Return a fixture document with other names, tags, texts and ids; empty ones stay.

    Equal texts get equal replacements, derived from the text and `secret`: the same in
    each run, and nobody can guess the text without the secret.
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
