"""From an exchange to an entry of the journal; no key gets further than here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from time import perf_counter

from mock_server.api.departures import find_violations
from mock_server.api.errors import (
    MethodNotAllowed,
    MissingAuthorization,
    RouteNotFound,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.exchange import Exchange
from mock_server.api.fields import check_integers
from mock_server.api.headers import Header, check_content_type
from mock_server.api.operations import Operation
from mock_server.api.redaction import ESCAPED_KEY_BYTES, redact_entry
from mock_server.api.request import NotJson, read_object
from mock_server.api.requests import is_on_contract
from mock_server.api.response import Response
from mock_server.api.routes import TARGETS, unknown_route
from mock_server.domain.choices import Choices
from mock_server.domain.errors import InvalidField, Refusal, describe_value
from mock_server.domain.journal import Entry, Violation
from mock_server.domain.limits import LIMITS


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
        message = (
            f"Expected {operation.path}, got {describe_value(entry.path)} - at path"
        )
        yield Violation("legacy_paths", operation.section, "path", message)
    yield from _of_envelope(entry, operation)
    if entry.body is not None:
        yield from _of_body(entry.body, operation)


def _of_envelope(entry: Entry, operation: Operation) -> Iterator[Violation]:
    if entry.method != operation.method:
        message = (
            f"Expected the method {operation.method}, "
            f"got {describe_value(entry.method)} - at method"
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
        yield from find_violations(fields, operation.body, section)


_UNMATCHED = (
    MethodNotAllowed,
    MissingAuthorization,
    RouteNotFound,
    UnknownKey,
    UnsupportedMediaType,
)
_KEPT = LIMITS.journal_body_bytes


def redacted(key: str) -> str:
    """A key as journals show it: its beginning, then 8 hex digits of its SHA-256."""
    shown = min(4, len(key) // 2)  # of a short key four characters would be too much
    return key[:shown] + hashlib.sha256(key.encode()).hexdigest()[:8]


class Recorder:
    """Enters exchanges in the journals of their sandboxes."""

    def __init__(self) -> None:
        self._redacted = lru_cache(1_024)(redacted)

    def __call__(
        self,
        exchange: Exchange,
        answer: Response,
        headers: Sequence[Header],
        refusal: Refusal | None = None,
    ) -> None:
        """Enter an exchange with its answer."""
        state, now = exchange.state, exchange.sandbox.state
        # Meanwhile the journal may have been emptied, or all of it been reset.
        journal = now.journal if now.generation == state.generation else state.journal
        if journal.is_closed:
            return
        entry = self._entry(exchange, answer, headers)
        if isinstance(refusal, _UNMATCHED):
            entry.hint = refusal.message
        is_long = len(entry.answer) > _KEPT or len(entry.body or b"") > _KEPT
        if is_long:
            _cut(entry, _KEPT + ESCAPED_KEY_BYTES)
        # An answer repeats what was sent if it is an error, or a fault has changed it.
        is_odd = entry.status != 200 or refusal is not None or entry.firing is not None
        if is_odd or entry.violations or exchange.may_tell_secrets(entry):
            redact_entry(entry, exchange.secrets)
        if is_long:
            _cut(entry, _KEPT)
        journal.append(entry)

    def _entry(
        self, exchange: Exchange, answer: Response, headers: Sequence[Header]
    ) -> Entry:
        scope, state = exchange.scope, exchange.state
        key = exchange.key
        return Entry(
            state.clock.now(),
            state.generation,
            exchange.operation_name,
            self._redacted(key) if key else None,
            exchange.caller.member,
            scope["method"],
            scope["path"],
            scope["query_string"],
            exchange.head.block,
            exchange.content,
            answer.status,
            headers,
            answer.body,
            (perf_counter() - exchange.started) * 1000,
            exchange.firing,
        )


def _cut(entry: Entry, longest: int) -> None:
    """Keep no more of the bodies than so many bytes."""
    if entry.body is not None and len(entry.body) > longest:
        if not entry.is_cut:
            entry.is_cut, entry.violations = True, tuple(violations(entry))
        entry.body = entry.body[:longest]
    if len(entry.answer) > longest:
        entry.answer, entry.answer_is_cut = entry.answer[:longest], True
