"""A request as a client sent it."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, Self
from urllib.parse import parse_qsl

from msgspec import Struct
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from mock_server.decoding import json_value
from mock_server.errors import BadForm, BadJson, LimitReached
from mock_server.forms import FORMS, form_value, media_type

_BEARER = re.compile(r"bearer ([!-+\--~]+)", re.IGNORECASE)
"""A key consists of visible ASCII characters other than the comma."""
_COUNTED_TYPES = {"user": ("text", "image_url", "file_url"), "system": ("text",)}
"""Role -> types of parts that count. The content of an assistant counts only as a text."""


class ClientRequest(Struct, frozen=True, dict=True):
    """The parts of a request, and the values decoded from them."""

    method: str
    path: str
    query_text: str
    """The query as it was sent, percent-encoded."""
    headers: dict[str, str]
    """The headers by their names, which are in lower case."""
    body: bytes
    key: str | None = None
    is_whole: bool = True
    """Whether `body` is complete: not too long to be read, and not dropped by the journal."""
    sent_path: str = ""
    """The path as it was sent, percent-encoded."""

    @classmethod
    def of(cls, scope: Scope, body: bytes, *, is_whole: bool = True) -> Self:
        headers = header_texts(scope["headers"])
        key = bearer_key(headers)
        query = scope["query_string"].decode("latin-1")
        path = scope["path"]
        # Not every server of ASGI gives the path as it was sent.
        sent_path = (scope.get("raw_path") or path.encode()).decode(errors="replace")
        return cls(scope["method"], path, query, headers, body, key, is_whole, sent_path)

    @property
    def key_of_any_scheme(self) -> str:
        """The word after the scheme of the header Authorization, with any scheme."""
        _, _, words = self.headers.get("authorization", "").partition(" ")
        return words.partition(" ")[0]

    @cached_property
    def body_value(self) -> Any:
        """The body as `decode_body` reads it; an empty object without a body."""
        if not self.body:
            return {}
        return decode_body(self.body, self.headers)

    @property
    def fields(self) -> dict[str, Any]:
        """The decoded body if it is an object, else an empty object."""
        return self.body_value if isinstance(self.body_value, dict) else {}

    @property
    def has_broken_json(self) -> bool:
        """Whether the body is not JSON, although its media type is JSON or missing."""
        is_valid = self.body_value is not None or self.body.strip(b" \t\r\n") == b"null"
        return not is_valid and "json" in self.headers.get("content-type", "json").lower()

    @property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The parameters of the query: (name, value), as often as they are sent."""
        return parse_qsl(self.query_text, keep_blank_values=True)

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters of the query; a repeated one has its last value."""
        return dict(self.query_pairs)

    @cached_property
    def question_parts(self) -> list[dict[str, Any]]:
        """The parts of the question, in a request for a completion."""
        messages = self.fields.get("messages")
        if not isinstance(messages, list):
            return []
        return last_question(messages)

    @property
    def question(self) -> str:
        """The text of the question."""
        text_parts = [it for it in self.question_parts if it.get("type") == "text"]
        return "".join(str(it.get("text", "")) for it in text_parts)


async def read_body(receive: Receive, limit: int) -> bytes:
    """Read a body, at most to the piece that exceeds `limit` bytes. Raises ClientDisconnect."""
    body = bytearray()
    has_more = True
    while has_more and len(body) <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
    return bytes(body)


def bearer_key(headers: Mapping[str, str]) -> str | None:
    """The API key of a request, None without one."""
    bearer = _BEARER.fullmatch(headers.get("authorization", ""))
    return bearer and bearer[1]


def decode_body(body: bytes, headers: Mapping[str, str]) -> Any:
    """The JSON value of a body, else the fields of a form; None for another body."""
    with suppress(BadJson):
        return json_value(body)
    if media_type(headers) not in FORMS:
        return None
    try:
        return form_value(body, headers)
    except BadForm:
        return None
    except LimitReached:
        # With None, the journal would show the form as a text, with its secrets.
        return {}


def body_or_text(body: bytes, headers: Mapping[str, str]) -> Any:
    """The decoded body, else its text; None without a body."""
    if not body:
        return None
    value = decode_body(body, headers)
    if value is None:
        return body.decode(errors="replace")
    return value


def header_texts(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by their names, which are in lower case."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}


def last_question(messages: list[Any]) -> list[dict[str, Any]]:
    """The parts of the question: the last messages in a row with the same role and `dataId`."""
    question: list[dict[str, Any]] = []
    last_speaker = None
    for message in messages:
        parts = counted_parts(message)
        # A message without counted parts does not interrupt a row of messages.
        if not parts:
            continue
        speaker = (message["role"], message.get("dataId"))
        if speaker != last_speaker:
            question = []
        question += parts
        last_speaker = speaker
    return question


def counted_parts(message: Any) -> list[dict[str, Any]]:
    """The parts of a message that count."""
    match message:
        case {"role": "assistant", "content": ""}:
            return []
        # An empty text of another role counts.
        case {"role": "user" | "system" | "assistant", "content": str(text)}:
            return [{"type": "text", "text": text}]
        case {"role": "user" | "system" as role, "content": list(parts)}:
            types = _COUNTED_TYPES[role]
            return [it for it in parts if isinstance(it, dict) and it.get("type") in types]
    return []
