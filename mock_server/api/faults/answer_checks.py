"""Finds mistakes in an answer: in its path, method, values, data and headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Raw

from mock_server.api.faults.answering import value_of
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.request import long_integer
from mock_server.domain.errors import LimitReached
from mock_server.domain.faults.routes import METHODS
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.messages import cut, describe_value
from mock_server.domain.validation.walk import Path, dotted, is_unicode, mistakes
from mock_server.fixture.builders.parts import DOT_SEGMENTS
from mock_server.fixture.document import HEADER_NAME, HEADER_VALUE, PATH_PATTERN

WITHOUT_BODY = (204, 205, 304)
"""Statuses of responses that have no body (RFC 9110 15)."""
CONTENT_TYPE = "content-type"


def path_problems(route: str) -> Iterator[tuple[Path, str]]:
    """Yield a problem if the path of a route is malformed, too long or taken."""
    path = route.partition(" ")[2]
    got = describe_value(path)
    segments = path.split("/")
    parameters = [each for each in segments if each.startswith("{")]
    if not re.fullmatch(PATH_PATTERN, path) or set(segments) & {*DOT_SEGMENTS}:
        expected = "a path as it is sent, such as /api/x/{id}: no query, no fragment"
        message = f"Expected {expected}, others percent-encoded, got {got}"
        base, _, query = path.partition("?")
        if query and path.startswith("/"):
            match = dict(parse_qsl(cut(query))) or {"name": "value"}
            query_text = json.dumps({"query": match}, ensure_ascii=False)
            advice = f"write {cut(base)}, and as `match` {cut(query_text)}"
            message = f"Expected a path without a query, got {got} ({advice})"
        if not path.startswith("/"):
            base = path.partition("://")[2].partition("/")[2] or path
            message = (
                f"Expected a path that begins with /, got {got} (write /{cut(base)})"
            )
        yield ("operation",), message
    elif len(set(parameters)) < len(parameters):
        expected = "parameters of different names"
        yield ("operation",), f"Expected {expected}, got {got}"
    elif len(segments) > Published.answered_segments + 1:
        expected = f"at most {Published.answered_segments} segments"
        yield ("operation",), f"Expected {expected}, got {len(segments) - 1}"
    elif owner := OPERATIONS.owner_of(path):
        row = OPERATIONS.with_path(path)
        hint = f" (name the operation instead: {row.name!r})" if row else ""
        yield ("operation",), f"Expected a path of its own, got that of {owner}{hint}"


def missing_method(operation: str) -> Iterator[tuple[Path, str]]:
    """Yield a problem if a path has no known method in capitals before it."""
    method_text, _, path = operation.rpartition(" ")
    if path.upper() in METHODS:
        method_text, path = path, method_text
    if path.startswith("/") and not OPERATIONS.owner_of(path):
        method = method_text.upper() if method_text.upper() in METHODS else "GET"
        suffix = (
            "" if method == method_text.upper() else ", with the method of the request"
        )
        hint = f"write it as '{method} {cut(path)}'{suffix}"
        got = f"got {describe_value(operation)} ({hint})"
        expected = f"one of {', '.join(METHODS)} before a path"
        yield ("operation",), f"Expected {expected}, {got}"


def survives_json(value: Any) -> bool:
    """Return whether a value stays equal when it is encoded and decoded again."""
    try:
        encoded = msgspec.json.encode(value)
        decoded = msgspec.json.decode(encoded)
        return bool(decoded == value) and long_integer(encoded, decoded) is None
    except UnicodeEncodeError:
        return False


def json_problems(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield values that no JSON can hold, or some readers change (RFC 8259 6, 8.2)."""
    match value:
        case dict():
            for name, item in value.items():
                yield from json_problems(name, (*path, name))
                yield from json_problems(item, (*path, name))
        case list():
            for index, item in enumerate(value):
                yield from json_problems(item, (*path, index))
        case str() if not is_unicode(value):
            yield path, "Expected Unicode text, got a lone surrogate"
        case int() if abs(value) > Published.integer:
            expected = f"integers of at most {Published.integer}"
            yield path, f"Expected {expected}, got {describe_value(value)}"
        case float() if not isfinite(value):
            yield path, "Expected a number that JSON can hold, got one beyond"


_NAME, _VALUE = re.compile(HEADER_NAME), re.compile(HEADER_VALUE)
_RESERVED_HEADERS = {
    "connection": "the server decides when a connection ends",
    "content-length": "the server counts the bytes",
    "date": "the server sets the time",
    "keep-alive": "the server decides when a connection ends",
    "te": "only requests have it",
    "trailer": "the server sends no trailers",
    "transfer-encoding": "the server frames the body",
    "upgrade": "the server speaks HTTP/1.1 only",
    "x-mock-generation": "the server sets it",
    "x-mock-hint": "the server sets it",
    "x-mock-sandbox": "the server sets it",
}
_CORS = "access-control-"


def header_problems(
    headers: Mapping[str, str], status: int
) -> Iterator[tuple[Path, str]]:
    """Yield the problems of the headers of a response with this status."""
    names: set[str] = set()
    if len(headers) > DEFAULT_LIMITS.response_headers:
        yield ("headers",), f"more than {DEFAULT_LIMITS.response_headers} headers"
    for name, value in headers.items():
        lower = name.lower()
        if mistake := header_mistake(name, value, status):
            yield ("headers", name), mistake
        elif lower in names:
            yield ("headers", name), f"duplicate header {lower!r}"
        names.add(lower)


def header_mistake(name: str, value: str, status: int) -> str:
    """Return the mistake in a header of a response; "" if there is none."""
    lower = name.lower()
    if not _NAME.fullmatch(name):
        return f"Expected the name of a header, got {describe_value(name)}"
    if lower in _RESERVED_HEADERS:
        return f"Expected no header {lower!r}: {_RESERVED_HEADERS[lower]}"
    if lower.startswith(_CORS):
        return f"Expected no header {lower!r}: --cors-origin says which pages may call"
    if lower == CONTENT_TYPE and status in WITHOUT_BODY:
        return f"Expected no content type with status {status}, which has no body"
    if not _VALUE.fullmatch(value):
        expected = "visible ASCII with blanks in between"
        return f"Expected {expected}, got {describe_value(value)}"
    return ""


def data_difference(operation: Operation, body_field: str | None, value: Any) -> str:
    """Return how an answer's data differs from the operation's type; "" if it fits.

    `body_field` is the field of the answer that has the body.
    """
    if body_field not in ("data", "json") or operation.data_type is None:
        return ""
    if isinstance(value, Raw):
        try:
            value = value_of(bytes(value))
        except LimitReached:  # comparing a large value takes too long
            return ""
    place = "$.data"
    if body_field == "json" and operation.has_envelope:
        if not isinstance(value, dict) or "data" not in value:
            missing = "code, statusText, message and data"
            hint = f"pass the value as data instead, and the server adds {missing}"
            return f"{operation.name} returns more than this json: {hint}"
        value, place = value["data"], "$.json.data"
    try:
        msgspec.convert(value, operation.data_type)
    except msgspec.ValidationError as error:
        is_small = len(msgspec.json.encode(value)) <= Published.differing_bytes
        problems = mistakes(value, operation.data_type) if is_small else iter(())
        problem = next(problems, None)
        text = (
            f"{problem.message} - at {place}{dotted(problem.path)[1:]}"
            if problem
            else error
        )
        hint = ""
        if operation.name.endswith("completions"):
            hint = "; kind reply writes the whole answer for a text"
        elif body_field == "data" and isinstance(value, dict) and "data" in value:
            hint = "; the server adds the envelope: pass its data only, or all as json"
        return f"The answer differs from what {operation.name} returns: {text}{hint}"
    return ""
