"""A request as a client sent it."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain, groupby
from typing import Any, Self
from urllib.parse import parse_qsl, quote, unquote

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from mock_server.choices import Choices
from mock_server.decoding.json_values import MAX_DEPTH, JsonObject
from mock_server.errors import BadCharset, BadJson, BodyTooLarge
from mock_server.http.body import DecodedBody, decode_body, value_or_text
from mock_server.http.forms import JSON, group_by_name

ADMIN_PATH = "/__admin"
OPENAPI_PATH = "/openapi.json"
DEMO_PATH = "/demo"
MAX_BODY = 1024 * 1024
"""The largest body of a request, in bytes, unless its route takes a larger one."""
_BEARER = re.compile(r"bearer ([!-+\--~]+)", re.IGNORECASE)
"""A key consists of visible ASCII characters other than the comma."""
ENCODED_SLASH = "\uffff"
"""The character that stands for `%2F` in a path whose segments are compared."""
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
    is_whole: bool = True
    """Whether `body` is complete: not too long to be read, and not dropped by the journal."""
    sent_path: str = ""
    """The path as it was sent, percent-encoded."""
    choices: Choices = Choices()
    """The choices under which the body is read."""

    @classmethod
    def of(
        cls, scope: Scope, headers: dict[str, str], body: bytes, choices: Choices, *, is_whole: bool
    ) -> Self:
        """The request of a scope with these headers, as texts, and this body."""
        query = scope["query_string"].decode("latin-1")
        path = scope["path"]
        # Not every server of ASGI gives the path as it was sent.
        sent_path = (scope.get("raw_path") or quote(path).encode()).decode(errors="replace")
        return cls(scope["method"], path, query, headers, body, is_whole, sent_path, choices)

    def with_choices(self, choices: Choices) -> "ClientRequest":
        """The request, to be read under these choices."""
        return self if choices is self.choices else replace(self, choices=choices)

    @property
    def api_key(self) -> str | None:
        """The API key, None without one."""
        if self.choices.request_form == "strict":
            return bearer_key(self.headers)
        return key_of_any_scheme(self.headers) or None

    @cached_property
    def decoded_body(self) -> DecodedBody:
        """The value of the body, or why it is refused."""
        return decode_body(self.body, self.headers, self.choices)

    @cached_property
    def path_of_segments(self) -> str:
        """The decoded path, with ENCODED_SLASH for a slash that is part of a segment."""
        return unquote(re.sub("%2f", ENCODED_SLASH, self.sent_path, flags=re.IGNORECASE))

    @property
    def body_or_text(self) -> Any:
        """The value of the body, else its text; None without a body."""
        return value_or_text(self.decoded_body.value, self.body)

    @property
    def fields(self) -> JsonObject:
        """The value of the body if it is an object, else an empty object."""
        value = self.decoded_body.value
        return value if isinstance(value, dict) else {}

    @property
    def is_flat_json(self) -> bool:
        """Whether the body is surely read as JSON in UTF-8, of few levels."""
        is_alike = self.choices.request_form == "strict" or (
            self.body.isascii() and self.headers.get("content-type") == JSON
        )
        return is_alike and self.body.count(b"{") + self.body.count(b"[") <= MAX_DEPTH

    @property
    def has_broken_json(self) -> bool:
        """Whether the body is not JSON, although its media type is JSON or missing."""
        is_broken = isinstance(self.decoded_body.refusal, BadJson | BadCharset)
        is_json = "json" in self.headers.get("content-type", "json").lower()
        return bool(self.body) and is_broken and is_json

    @property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The parameters of the query: (name, value), as often as they are sent."""
        return parse_qsl(self.query_text, keep_blank_values=True)

    @property
    def query_fields(self) -> JsonObject:
        """The fields of the query; a repeated one is an array."""
        return group_by_name(self.query_pairs)

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters of the query; a repeated one has its last value."""
        return dict(self.query_pairs)

    @cached_property
    def turns(self) -> list[list[dict[str, Any]]]:
        """The parts of the messages of a completion, of which those of a speaker in a row are one.

        A speaker has a role and a `dataId` (FastGPT 4.16, GPTMessages2Chats of
        packages/global/core/chat/adapt.ts).
        """
        messages = self.fields.get("messages")
        if not isinstance(messages, list):
            return []
        counted = filter(counted_parts, messages)
        rows = groupby(counted, key=lambda it: (it["role"], it.get("dataId")))
        return [[*chain.from_iterable(map(counted_parts, row))] for _, row in rows]

    @property
    def question_parts(self) -> list[dict[str, Any]]:
        """The parts of the question, in a request for a completion: those of the last turn."""
        return [[], *self.turns][-1]

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


def check_body_size(body: bytes, limit: int) -> None:
    """Raises BodyTooLarge for a body of more than `limit` bytes."""
    if len(body) > limit:
        raise BodyTooLarge(limit)


def bearer_key(headers: Mapping[str, str]) -> str | None:
    """The API key of a request, None without one."""
    bearer = _BEARER.fullmatch(headers.get("authorization", ""))
    return bearer and bearer[1]


def key_of_any_scheme(headers: Mapping[str, str]) -> str:
    """The word after the scheme of the header Authorization, with any scheme."""
    _, _, words = headers.get("authorization", "").partition(" ")
    return words.partition(" ")[0]


def header_texts(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by their names, which are in lower case."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}


def counted_parts(message: Any) -> list[dict[str, Any]]:
    """The parts of a message that count."""
    match message:
        case {"role": "assistant", "content": str(text)} if text:
            return [{"type": "text", "text": text}]
        # An empty text of another role counts.
        case {"role": "user" | "system", "content": str(text)}:
            return [{"type": "text", "text": text}]
        # Calls of tools and reasoning count as an empty text.
        case {"role": "assistant"} if message.get("tool_calls") or message.get("reasoning_content"):
            return [{"type": "text", "text": ""}]
        case {"role": "user" | "system" as role, "content": list(parts)}:
            types = _COUNTED_TYPES[role]
            return [it for it in parts if isinstance(it, dict) and it.get("type") in types]
    return []
