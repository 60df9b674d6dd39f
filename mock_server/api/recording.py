"""From an exchange to an entry of the journal; no key gets further than here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter

from mock_server.api.answers import Answer
from mock_server.api.errors import (
    MethodNotAllowed,
    MissingAuthorization,
    RouteNotFound,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.exchange import Exchange
from mock_server.api.headers import Header
from mock_server.api.redaction import ESCAPED_KEY_BYTES, redact_entry
from mock_server.api.violations import violations
from mock_server.domain.errors import Refusal
from mock_server.domain.journal import Entry
from mock_server.domain.limits import LIMITS

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
        answer: Answer,
        headers: Sequence[Header],
        refusal: Refusal | None = None,
    ) -> None:
        """Enter an exchange with its answer."""
        state, now = exchange.state, exchange.sandbox.state
        # Meanwhile the journal may have been emptied, or all of it been reset.
        journal = now.journal if now.number == state.number else state.journal
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
        self, exchange: Exchange, answer: Answer, headers: Sequence[Header]
    ) -> Entry:
        scope, state = exchange.scope, exchange.state
        key = exchange.key
        return Entry(
            state.clock.now(),
            state.number,
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
