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
from mock_server.api.redaction import redact
from mock_server.api.secrets import HIDDEN
from mock_server.api.violations import violations
from mock_server.domain.errors import Refusal
from mock_server.domain.journal import Entry
from mock_server.domain.limits import LIMITS

_SECRET = frozenset((b"authorization", b"proxy-authorization", b"cookie", b"x-api-key"))
_UNMATCHED = (
    MethodNotAllowed,
    MissingAuthorization,
    RouteNotFound,
    UnknownKey,
    UnsupportedMediaType,
)


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
        started: float,
        refusal: Refusal | None = None,
    ) -> None:
        """Enter an exchange that `started` at that time of perf_counter."""
        exchange.is_recorded = True
        # Meanwhile the journal may have been emptied, or all of it been reset.
        is_old = exchange.has_outlived_its_state()
        journal = (exchange.state if is_old else exchange.sandbox.state).journal
        if journal.is_closed:
            return
        scope, state, caller = exchange.scope, exchange.state, exchange.caller
        target, content = exchange.target, exchange.content
        longest = LIMITS.journal_body_bytes
        is_cut = content is not None and len(content) > longest
        entry = Entry(
            time=state.clock.now(),
            generation=state.number,
            operation=target.operation.name if target else None,
            key=self._redacted(exchange.key) if exchange.key else None,
            member=caller.member,
            method=scope["method"],
            path=scope["path"],
            query=scope["query_string"],
            headers=_block(scope["headers"]),
            body=content,
            is_cut=is_cut,
            status=answer.status,
            answer_headers=headers,
            answer=answer.body,
            duration_ms=(perf_counter() - started) * 1000,
            firing=exchange.firing,
            hint=refusal.message if isinstance(refusal, _UNMATCHED) else None,
        )
        redact(entry, exchange.secrets)
        if is_cut:
            entry.violations = tuple(violations(entry))
            entry.body = entry.body and entry.body[:longest]
        if len(answer.body) > longest:
            entry.answer, entry.answer_is_cut = entry.answer[:longest], True
        journal.append(entry)


def _block(headers: Sequence[Header]) -> bytes:
    """Headers as they stand in a request, without secrets."""
    return b"\n".join(
        b"%b:%b" % (name, HIDDEN if name in _SECRET else value)
        for name, value in headers
    )
