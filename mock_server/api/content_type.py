"""Checks of Content-Type and Content-Encoding (spec 5)."""

from __future__ import annotations

from collections.abc import Sequence

from mock_server.api.errors import UnsupportedMediaType
from mock_server.api.headers import Header, values
from mock_server.domain.choices import Choices
from mock_server.domain.errors import show

_EXPECTED = "application/json in UTF-8"


def check_content_type(headers: Sequence[Header], choices: Choices) -> None:
    """Raises UnsupportedMediaType. A missing type is choice content_type_missing."""
    encodings = values(headers, b"content-encoding")
    if encodings and encodings != [b"identity"]:
        got = _shown(encodings)
        raise UnsupportedMediaType("a plain body", got, "header Content-Encoding")
    types = values(headers, b"content-type")
    if types == [b"application/json"]:
        return
    if not types and choices.content_type_missing == "accept":
        return
    if len(types) != 1 or not _is_json(types[0].decode("latin-1")):
        raise UnsupportedMediaType(_EXPECTED, _shown(types), "header Content-Type")


def media_type(headers: Sequence[Header]) -> str:
    """The media type of a body without its parameters; empty if there is not one."""
    types = values(headers, b"content-type")
    text = types[0].decode("latin-1") if len(types) == 1 else ""
    return text.partition(";")[0].strip().lower()


def _is_json(content_type: str) -> bool:
    kind, *parameters = content_type.lower().split(";")
    named = [parameter.strip().partition("=") for parameter in parameters]
    charsets = [value.strip('"') for name, _, value in named if name == "charset"]
    return kind.strip() == "application/json" and set(charsets) <= {"utf-8", "utf8"}


def _shown(given: list[bytes]) -> str:
    return show(b", ".join(given).decode("latin-1")) if given else "nothing"
