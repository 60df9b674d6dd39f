"""Every departure from the spec in a journalled request, whatever was tolerated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mock_server.api.body import NotJson, read_object
from mock_server.api.content_type import check_content_type
from mock_server.api.departures import departures
from mock_server.api.errors import UnsupportedMediaType
from mock_server.api.fields import check_integers
from mock_server.api.operations import Operation
from mock_server.api.requests import is_on_contract
from mock_server.api.routes import TARGETS, unknown_route
from mock_server.domain.choices import Choices
from mock_server.domain.errors import InvalidField, show
from mock_server.domain.journal import Entry
from mock_server.domain.limits import LIMITS
from mock_server.domain.violations import Violation


def violations(entry: Entry) -> Iterator[Violation]:
    """The violations of an entry, as many as one lists; there may be more."""
    kept = entry.violations
    return iter(kept) if kept is not None else islice(_all(entry), LIMITS.violations)


def _all(entry: Entry) -> Iterator[Violation]:
    target = TARGETS.get(entry.path)
    if target is None:
        message = unknown_route(entry.path).message
        yield Violation("unknown_route", "4", "path", message)
        return
    operation = target.operation
    if target.is_legacy:
        message = f"Expected {operation.path}, got {show(entry.path)} - at path"
        yield Violation("legacy_paths", operation.section, "path", message)
    yield from _of_envelope(entry, operation)
    if entry.body is not None:
        yield from _of_body(entry.body, operation)


def _of_envelope(entry: Entry, operation: Operation) -> Iterator[Violation]:
    if entry.method != operation.method:
        message = (
            f"Expected the method {operation.method}, got {show(entry.method)}"
            " - at method"
        )
        yield Violation("method_mismatch", operation.section, "method", message)
    if entry.key is None:
        at = "header Authorization"
        message = f"Expected one header `Authorization: Bearer KEY`, got none - at {at}"
        yield Violation("missing_authorization", "5", at, message)
    try:
        check_content_type(entry.header_pairs(), Choices())
    except UnsupportedMediaType as refusal:
        at = "header Content-Type"
        yield Violation("content_type_missing", "5", at, refusal.message)


def _of_body(content: bytes, operation: Operation) -> Iterator[Violation]:
    section = operation.section
    if is_on_contract(content, operation.body):
        return
    try:
        fields = read_object(content)
        check_integers(content, fields)
    except NotJson as error:
        message = f"Expected a JSON object, got {error} - at $"
        yield Violation("invalid_field", section, "$", message)
    except InvalidField as refusal:
        path = refusal.message.rpartition(" - at ")[2]
        yield Violation("invalid_field", section, path, refusal.message)
    else:
        yield from departures(fields, operation.body, section)
