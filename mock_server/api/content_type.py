"""What the body must say of itself (spec 5): JSON, in UTF-8, not compressed."""

from __future__ import annotations

from email.message import Message

from starlette.types import Scope

from mock_server.api.errors import UnsupportedMediaType
from mock_server.api.headers import values
from mock_server.domain.choices import Choices
from mock_server.domain.errors import show

_EXPECTED = "application/json in UTF-8"


def check_content_type(scope: Scope, choices: Choices) -> None:
    """Raises UnsupportedMediaType. A missing type is choice content_type_missing."""
    encodings = values(scope, b"content-encoding")
    if encodings and encodings != [b"identity"]:
        got = show(b", ".join(encodings).decode("latin-1"))
        raise UnsupportedMediaType("a plain body", got, "header Content-Encoding")
    types = values(scope, b"content-type")
    if types == [b"application/json"]:
        return
    if not types:
        if choices.content_type_missing == "reject":
            raise UnsupportedMediaType(_EXPECTED, "nothing", "header Content-Type")
    elif len(types) > 1 or not _is_json(types[0].decode("latin-1")):
        got = show(b", ".join(types).decode("latin-1"))
        raise UnsupportedMediaType(_EXPECTED, got, "header Content-Type")


def _is_json(content_type: str) -> bool:
    message = Message()
    message["content-type"] = content_type
    charset = message.get_content_charset() or "utf-8"
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" and charset in ("utf-8", "utf8")
