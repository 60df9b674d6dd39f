"""The kind `answer`: a response that a test or a fixture declares."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, Raw, field
from msgspec.structs import replace

from mock_server.api.envelope import SUCCESS
from mock_server.api.faults.answer_checks import (
    CONTENT_TYPE,
    WITHOUT_BODY,
    data_difference,
    header_problems,
    json_problems,
    missing_method,
    path_problems,
    survives_json,
)
from mock_server.api.faults.answering import AnsweredRequest, BaseAnswer, value_of
from mock_server.api.operations.operation import Distortion, Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import Response
from mock_server.domain.access import Level
from mock_server.domain.faults import placeholders
from mock_server.domain.faults.routes import is_route, wildcard_warnings
from mock_server.domain.journal import Note
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.validation.walk import Path
from mock_server.fixture.document import Base64Text, Headers, ResponseText

BODY_FIELDS = ("data", "json", "text", "base64")
"""The fields that can hold the body; at most one of them is given."""
_TYPES = {"text": b"text/plain; charset=utf-8", "base64": b"application/octet-stream"}
_JSON = b"application/json"
_EVENT_STREAM = "text/event-stream"
_DELAY = Meta(
    ge=0,
    le=Published.response_ms,
    extra={"expected": f"whole milliseconds from 0 to {Published.response_ms}"},
)
# A placeholder may fill in a script; it must not run at the origin of the console.
_NO_SCRIPTS = ((b"content-security-policy", b"sandbox"),)


class Answer(BaseAnswer, tag="answer", dict=True):
    """A scripted response replaces that of an operation or path."""

    json_fields = ("data", "json")
    chinese = "以此应答代替操作自身的应答，或用于任意其他路径。"
    required_fields: ClassVar[Mapping[str, Any]] = {"operation": "listV2", "data": None}
    schema: ClassVar[Mapping[str, Any]] = {
        "not": {
            "anyOf": [
                {
                    "required": [one, other],
                    # `data` and `json` may be null; null in other fields is no value.
                    "properties": {
                        each: {"type": "string"}
                        for each in (one, other)
                        if each not in ("data", "json")
                    },
                }
                for at, one in enumerate(BODY_FIELDS)
                for other in BODY_FIELDS[:at]
            ]
        }
    }

    data: Any = UNSET
    """The `data` of the service's envelope, any JSON value."""
    json: Any = UNSET
    """The whole body, any JSON value."""
    text: ResponseText | None = None
    """The whole body as a text."""
    base64: Base64Text | None = None
    """The whole body as bytes in base64."""
    status: Annotated[int, Meta(ge=200, le=599)] = 200
    """The HTTP status."""
    headers: Headers = field(default_factory=dict)
    """Additional headers."""
    delay_ms: Annotated[int, _DELAY] = 0
    """Response delay in milliseconds."""

    @property
    def answer_delay_ms(self) -> int:
        return self.delay_ms

    @property
    def body_field(self) -> str | None:
        """Return the name of the field that holds the body, None without one."""
        return next(iter(self._body_fields), None)

    @property
    def _body_fields(self) -> list[str]:
        # `data` and `json` may be null; null in the other fields is no value.
        absent = {"data": UNSET, "json": UNSET}
        return [
            each for each in BODY_FIELDS if getattr(self, each) is not absent.get(each)
        ]

    @property
    def content_type(self) -> bytes:
        """Return the content type of the body; b"" if the status allows no body."""
        if self.status in WITHOUT_BODY:
            return b""
        headers = {name.lower(): value for name, value in self.headers.items()}
        own_type = headers.get(CONTENT_TYPE, "").encode()
        return own_type or _TYPES.get(self.body_field or "text", _JSON)

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Yield problems of the path, the body and the headers."""
        if is_route(self.operation):
            yield from path_problems(self.operation)
            if self.phase == "after":
                expected = "phase before at a path without an operation"
                yield ("phase",), f"Expected {expected}, got after"
        else:
            yield from missing_method(self.operation)
        body_fields = self._body_fields
        if self.status in WITHOUT_BODY and body_fields:
            message = f"Expected no body with status {self.status}, got one"
            yield (body_fields[0],), message
        elif len(body_fields) > 1:
            expected = "one of data, json, text, file and base64"
            got = " and ".join(body_fields)
            yield (body_fields[1],), f"Expected {expected}, got {got}"
        elif body_fields in (["json"], ["data"]):
            value = getattr(self, body_fields[0])
            # A value that was read from JSON needs no search, which may take long.
            path = (body_fields[0],)
            mistakes = [] if survives_json(value) else [*json_problems(value, path)]
            yield from mistakes
            if not mistakes and (problem := placeholders.problem_in(value)):
                yield path, problem
        elif self.base64 is not None:
            try:
                b64decode(self.base64, validate=True)
            except (binascii.Error, ValueError):
                expected = "bytes in base64 (RFC 4648 4)"
                yield ("base64",), f"Expected {expected}, got another text"
        yield from header_problems(self.headers, self.status)

    def respond(
        self, request: AnsweredRequest, distortion: Distortion | None
    ) -> Response:
        value = self._filled_value(request)
        if distortion is not None and value is not UNSET:
            value = _with_other_page(value, distortion, request)
        body = self._encoded_body(value)
        if self.phase == "after":  # not earlier: a refused answer changes nothing
            request.perform()
        headers = tuple(
            (name.lower().encode(), text.encode())
            for name, text in self.headers.items()
            if name.lower() != CONTENT_TYPE
        )
        if self._has_placeholders and not self.content_type.startswith(_JSON):
            headers += _NO_SCRIPTS
        response = Response(self.status, body, headers, self.content_type)
        is_own = value is self._declared_value
        hint = self._missed_stream(request) or (
            self._own_difference
            if is_own
            else self._difference_of(request.operation, value)
        )
        return replace(response, note=Note(hint=hint)) if hint else response

    def _filled_value(self, request: AnsweredRequest) -> Any:
        """Return the JSON value of the body, with its placeholders filled in."""
        value = self._declared_value
        if value is UNSET or not self._has_placeholders:
            return value
        return placeholders.fill(value, request.values(), DEFAULT_LIMITS.response_bytes)

    @cached_property
    def _has_placeholders(self) -> bool:
        return placeholders.are_in(self._declared_value)

    @property
    def _declared_value(self) -> Any:
        # A large value is still encoded JSON.
        return self.data if self.body_field == "data" else self.json

    @property
    def body(self) -> bytes:
        """Return the body; its placeholders are not filled in."""
        return self._encoded_body(self._declared_value)

    def _encoded_body(self, value: Any) -> bytes:
        if value is not UNSET:
            body = msgspec.json.encode(value)
            return SUCCESS % body if self.body_field == "data" else body
        if self.base64 is not None:
            return b64decode(self.base64)
        return (self.text or "").encode()

    def _missed_stream(self, request: AnsweredRequest) -> str:
        """Return a hint if the client asks for a stream and gets JSON, else ""."""
        operation = request.operation
        can_stream = _EVENT_STREAM in getattr(operation, "response_types", ())
        is_json = self.content_type.startswith(_JSON) and self.status == 200
        if not (can_stream and is_json and request.request.body.get("stream") is True):
            return ""
        return (
            "The client asks for a stream (stream: true), but this answer is JSON: "
            "use kind reply, or text with Content-Type: text/event-stream"
        )

    @cached_property
    def _own_difference(self) -> str:
        return self._difference_of(OPERATIONS.get(self.operation), self._declared_value)

    def _difference_of(self, operation: object, value: Any) -> str:
        if self.status != 200 or not isinstance(operation, Operation):
            return ""
        return data_difference(operation, self.body_field, value)

    def warnings(self) -> Iterator[str]:
        """Yield warnings; also of data that differs from the operation's own type."""
        yield from super().warnings()
        yield from wildcard_warnings(self.operation)
        yield from placeholders.json_warnings(self._declared_value, self.operation)
        yield from placeholders.text_warnings([self.text or "", *self.headers.values()])
        if isinstance(self.json, str) and _holds_json(self.json):
            fix = "write it without quotes, or as text"
            yield f"json is a text that holds JSON, and is sent as a JSON string: {fix}"
        is_typed = any(name.lower() == "content-type" for name in self.headers)
        if (self.text or "").startswith("data:") and not is_typed:
            fix = "give the header Content-Type: text/event-stream, or use kind reply"
            yield f"the text is an event stream, but is sent as text/plain: {fix}"
        if not self._has_placeholders and self._own_difference:
            yield self._own_difference


def _holds_json(text: str) -> bool:
    """Return whether a text is a JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False
    return True


def _with_other_page(
    value: Any, distortion: Distortion, request: AnsweredRequest
) -> Any:
    """Return the value with its page changed by `distortion`; other values stay."""
    document = value_of(bytes(value)) if isinstance(value, Raw) else value
    holder = document if isinstance(document, dict) else {}
    holder = holder["data"] if isinstance(holder.get("data"), dict) else holder
    items, total = holder.get("list"), holder.get("total", 0)
    if not isinstance(items, list) or type(total) is not int:
        return value
    page = Page(items, total, Level.OWNER, items, 0, max(1, len(items)))
    changed_page = distortion(page, request)
    result = {**holder, "list": [*changed_page.items]}
    if "total" in holder:
        result["total"] = changed_page.total
    return result if holder is document else {**document, "data": result}
