"""An answer that a test or a fixture gives in the place of an operation's own."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta, Raw, field
from msgspec.structs import replace

from mock_server.api.envelope import SUCCESS
from mock_server.api.faults.answer_checks import (
    CONTENT_TYPE,
    WITHOUT_BODY,
    beyond_json,
    difference,
    is_exact,
    no_method,
    wrong_headers,
    wrong_path,
)
from mock_server.api.faults.answering import Answering, Sent, value_of
from mock_server.api.operations.operation import Distort, Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import Response
from mock_server.domain.access import Level
from mock_server.domain.faults import placeholders
from mock_server.domain.faults.routes import is_route, unlike_routes
from mock_server.domain.journal import Note
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.validation.walk import Path
from mock_server.fixture.document import Encoded, Headers, ResponseText

FORMS = ("data", "json", "text", "base64")
"""The fields that say what the body is."""
_TYPES = {"text": b"text/plain; charset=utf-8", "base64": b"application/octet-stream"}
_JSON = b"application/json"
_DELAY = Meta(
    ge=0,
    le=Published.response_ms,
    extra={"expected": f"whole milliseconds from 0 to {Published.response_ms}"},
)
LARGE_BYTES = 64 * 1024
"""Bytes of JSON up to which a value is kept as it has been read."""
# What was sent may be a script, and the console is at the same origin.
_ISOLATED = ((b"content-security-policy", b"sandbox"),)


class Answer(Answering, tag="answer", dict=True):
    """This response replaces the one of an operation or a path."""

    chinese = "以此应答代替操作自身的应答，或用于任意其他路径。"
    least: ClassVar[Mapping[str, Any]] = {"operation": "listV2", "data": None}
    schema: ClassVar[Mapping[str, Any]] = {
        "not": {
            "anyOf": [
                {
                    "required": [one, other],
                    # Null is a value of these two, and nothing of the others.
                    "properties": {
                        each: {"type": "string"}
                        for each in (one, other)
                        if each not in ("data", "json")
                    },
                }
                for at, one in enumerate(FORMS)
                for other in FORMS[:at]
            ]
        }
    }

    data: Any = UNSET
    """The `data` of the envelope, any JSON value."""
    json: Any = UNSET
    """The whole body, any JSON value."""
    text: ResponseText | None = None
    """The whole body as a text."""
    base64: Encoded | None = None
    """The whole body as bytes in base64."""
    status: Annotated[int, Meta(ge=200, le=599)] = 200
    """The HTTP status."""
    headers: Headers = field(default_factory=dict)
    """Further headers."""
    delay_ms: Annotated[int, _DELAY] = 0
    """Delay in milliseconds."""

    @property
    def held_up_ms(self) -> int:
        return self.delay_ms

    @property
    def form(self) -> str | None:
        """The field that says what the body is; None if there is none."""
        return next(iter(self._given), None)

    @property
    def _given(self) -> list[str]:
        # Null is a value of JSON, and none of the others.
        absent = {"data": UNSET, "json": UNSET}
        return [each for each in FORMS if getattr(self, each) is not absent.get(each)]

    @property
    def content_type(self) -> bytes:
        """The content type of the body; b"" of an answer that can have no body."""
        if self.status in WITHOUT_BODY:
            return b""
        own = {name.lower(): value for name, value in self.headers.items()}
        given = own.get(CONTENT_TYPE, "").encode()
        return given or _TYPES.get(self.form or "text", _JSON)

    def problems(self) -> Iterator[tuple[Path, str]]:
        """No path of its own, a body of two forms, or headers that cannot be sent."""
        if is_route(self.operation):
            yield from wrong_path(self.operation)
            if self.phase == "after":
                expected = "phase before at a path where nothing is carried out"
                yield ("phase",), f"Expected {expected}, got after"
        else:
            yield from no_method(self.operation)
        given = self._given
        if self.status in WITHOUT_BODY and given:
            yield (given[0],), f"Expected no body with status {self.status}, got one"
        elif len(given) > 1:
            expected = "one of json, text, file and base64"
            got = " and ".join(given)
            yield (given[1],), f"Expected {expected}, got {got}"
        elif given in (["json"], ["data"]):
            value = getattr(self, given[0])
            # That of a request is exact, and to go through a large one takes long.
            found = [] if is_exact(value) else [*beyond_json(value, (given[0],))]
            yield from found
            if not found and (problem := placeholders.problem_in(value)):
                yield (given[0],), problem
        elif self.base64 is not None:
            try:
                b64decode(self.base64, validate=True)
            except (binascii.Error, ValueError):
                expected = "bytes in base64 (RFC 4648 4)"
                yield ("base64",), f"Expected {expected}, got another text"
        yield from wrong_headers(self.headers, self.status)

    def plain(self) -> dict[str, Any]:
        value = self._own_value
        if not isinstance(value, Raw):
            return super().plain()
        rest = replace(self, data=UNSET, json=UNSET)
        return rest.plain() | {self.form or "": value}

    def as_kept(self) -> Self:
        """The answer with a large value as JSON, which costs a fraction."""
        if self._own_value is UNSET:
            return self
        encoded = msgspec.json.encode(self._own_value)
        if len(encoded) <= LARGE_BYTES:
            return self
        return replace(self, **{self.form or "": Raw(encoded)})

    def respond(self, sent: Sent, distort: Distort | None) -> Response:
        value = self._value(sent)
        if distort is not None and value is not UNSET:
            value = _distorted(value, distort, sent)
        body = self._written(value)
        if self.phase == "after":  # nothing is carried out for one that is refused
            sent.perform(distort)
        headers = tuple(
            (name.lower().encode(), text.encode())
            for name, text in self.headers.items()
            if name.lower() != CONTENT_TYPE
        )
        if self._has_placeholders and not self.content_type.startswith(_JSON):
            headers += _ISOLATED
        response = Response(self.status, body, headers, self.content_type)
        is_own = value is self._own_value
        hint = (
            self._own_difference if is_own else self._difference(sent.operation, value)
        )
        return replace(response, note=Note(hint=hint)) if hint else response

    def _value(self, sent: Sent) -> Any:
        """The JSON value of the body, with what its placeholders stand for."""
        value = self._own_value
        if value is UNSET or not self._has_placeholders:
            return value
        return placeholders.filled(value, sent.values(), DEFAULT_LIMITS.response_bytes)

    @cached_property
    def _has_placeholders(self) -> bool:
        return placeholders.are_in(self._own_value)

    @property
    def _own_value(self) -> Any:
        # It is still JSON if it is large.
        return self.data if self.form == "data" else self.json

    @property
    def body(self) -> bytes:
        """The body, with placeholders as they stand there."""
        return self._written(self._own_value)

    def _written(self, value: Any) -> bytes:
        if value is not UNSET:
            body = msgspec.json.encode(value)
            return SUCCESS % body if self.form == "data" else body
        if self.base64 is not None:
            return b64decode(self.base64)
        return (self.text or "").encode()

    @cached_property
    def _own_difference(self) -> str:
        return self._difference(OPERATIONS.get(self.operation), self._own_value)

    def _difference(self, operation: object, value: Any) -> str:
        if self.status != 200 or not isinstance(operation, Operation):
            return ""
        return difference(operation, self.form, value)

    def warnings(self) -> Iterator[str]:
        """Also what differs from the operation's own answers, if that is known."""
        yield from super().warnings()
        yield from unlike_routes(self.operation)
        yield from placeholders.warnings_in(self._own_value, self.operation)
        yield from placeholders.outside_json([self.text or "", *self.headers.values()])
        if isinstance(self.json, str) and _holds_json(self.json):
            how = "write it without quotes, or as text"
            yield f"json is a text that holds JSON, and is sent as a JSON string: {how}"
        if not self._has_placeholders and self._own_difference:
            yield self._own_difference


def _holds_json(text: str) -> bool:
    """Whether a text is a JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False
    return True


def _distorted(value: Any, distort: Distort, sent: Sent) -> Any:
    """The value with another page in it, if it is a page."""
    plain = value_of(bytes(value)) if isinstance(value, Raw) else value
    holder = plain if isinstance(plain, dict) else {}
    holder = holder["data"] if isinstance(holder.get("data"), dict) else holder
    items, total = holder.get("list"), holder.get("total", 0)
    if not isinstance(items, list) or type(total) is not int:
        return value
    page = Page(items, total, Level.OWNER, items, 0, max(1, len(items)))
    other = distort(page, sent)
    changed = {**holder, "list": [*other.items]}
    if "total" in holder:
        changed["total"] = other.total
    return changed if holder is plain else {**plain, "data": changed}
