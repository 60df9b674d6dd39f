"""Names, tags, texts and ids replaced, the same one by the same everywhere.

What stands for a text is derived from it and from a secret: with the same secret it is
the same in every run, and without it nobody can try out what it may have been.
"""

import hmac
from typing import Any

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


def anonymous(document: Any, secret: str) -> Any:
    """A fixture document with other names, tags, texts and ids; empty ones stay."""

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
