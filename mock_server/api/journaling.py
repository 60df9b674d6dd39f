"""Enters requests and their responses in journals; no key gets further than here."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from time import perf_counter

from mock_server.api import errors
from mock_server.api.context import RequestContext
from mock_server.api.headers import AUTHORIZATION, check_content_type
from mock_server.api.operations.operation import Operation, Operations
from mock_server.api.redaction import ESCAPED_KEY_BYTES, Secrets, redact_entry
from mock_server.api.response import Headers, Response
from mock_server.domain.access import ISSUED_KEY_PREFIX, MIN_REDACTABLE_LENGTH
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal, describe_value
from mock_server.domain.journal import Entry, Violation
from mock_server.domain.limits import Limits

_WITH_HINT = (
    errors.MethodNotAllowed,
    errors.MissingAuthorization,
    errors.RouteNotFound,
    errors.UnknownKey,
    errors.UnsupportedMediaType,
)
"""Refusals of requests that are for no operation, or not yet: the entry says why."""


class Journaling:
    """Enters requests in the journals of their sandboxes."""

    def __init__(
        self, operations: Operations, secrets: Secrets, limits: Limits
    ) -> None:
        self._operations = operations
        self._secrets = secrets
        self._limits = limits
        self._redacted_key = lru_cache(1_024)(redacted_key)

    def enter(
        self,
        request: RequestContext,
        response: Response,
        headers: Headers,
        refusal: Refusal | None,
    ) -> None:
        """Enter a request with its response, of which these are all headers."""
        state, now = request.state, request.sandbox.state
        # Meanwhile the journal may have been emptied: then the new one takes it. After
        # a reset it belongs to nobody's test any more, and the old one is closed.
        is_same = now.generation == state.generation
        journal = now.journal if is_same else state.journal
        if journal.is_closed:
            return
        entry = self._entry(request, response, headers)
        if isinstance(refusal, _WITH_HINT):
            entry.hint = refusal.message
        longest = self._limits.journal_body_bytes
        is_long = max(len(entry.answer), len(entry.body or b"")) > longest
        if is_long:
            # What is cut may end amid a key; redact what a key could reach, then cut.
            self._cut(entry, longest + ESCAPED_KEY_BYTES)
        if self._may_tell_secrets(entry, request, refusal):
            redact_entry(entry, self._secrets.of(state, request.headers.key))
        if is_long:
            self._cut(entry, longest)
        journal.append(entry)

    def _entry(
        self, request: RequestContext, response: Response, headers: Headers
    ) -> Entry:
        scope, state = request.scope, request.state
        key = request.headers.key
        # By position: keywords would cost 0.6 µs, 1.5 % of a request.
        return Entry(
            state.clock.now(),
            state.generation,
            request.operation.name if request.operation else None,
            self._redacted_key(key) if key else None,
            request.caller.member,
            scope["method"],
            scope["path"],
            scope["query_string"],
            request.headers.block,
            request.content,
            response.status,
            headers,
            response.body,
            (perf_counter() - request.started) * 1000,
            request.firing,
            self.find_violations,
        )

    def _may_tell_secrets(
        self, entry: Entry, request: RequestContext, refusal: Refusal | None
    ) -> bool:
        """Whether an entry needs a close look for secrets; nearly none does.

        A response repeats what was sent if it is an error, or if a fault has changed
        it; what was sent is looked through quickly.
        """
        if entry.status != 200 or refusal or entry.firing or entry.violations:
            return True
        if len(entry.method) >= MIN_REDACTABLE_LENGTH:
            return True
        parts = entry.path.encode(), entry.query, entry.headers, entry.body or b""
        sent, key = b"\n".join(parts), request.headers.key or ""
        # In the escapes of URLs or of JSON a key can be written in many ways.
        if b"%" in sent or b"\\" in sent or ISSUED_KEY_PREFIX.encode() in sent:
            return True
        if len(key) >= MIN_REDACTABLE_LENGTH and key.encode() in sent:
            return True
        generation = request.state.store.generation
        has_secrets = self._secrets.texts or generation.secrets
        return bool(has_secrets and self._secrets.are_in(sent, generation))

    def _cut(self, entry: Entry, longest: int) -> None:
        """Keep no more of the bodies than so many bytes."""
        if entry.body is not None and len(entry.body) > longest:
            if not entry.is_cut:
                # They can be found in a whole body only.
                entry.is_cut, entry.violations = True, tuple(violations(entry))
            entry.body = entry.body[:longest]
        if len(entry.answer) > longest:
            entry.answer, entry.answer_is_cut = entry.answer[:longest], True

    def find_violations(self, entry: Entry) -> Iterator[Violation]:
        """Every departure of a request from the spec, whatever was tolerated."""
        operation = self._operations.meant_by(entry.path)
        if operation is None:
            message = self._operations.unknown_route(entry.path).message
            yield Violation("unknown_route", "4", "path", message)
            return
        if entry.path != operation.path:
            expected, got = operation.path, describe_value(entry.path)
            message = f"Expected {expected}, got {got} - at path"
            yield Violation("legacy_paths", operation.section, "path", message)
        yield from _of_envelope(entry, operation)
        if entry.body is not None:
            yield from operation.contract.find_violations(entry.body)


def violations(entry: Entry) -> Iterator[Violation]:
    """The violations of an entry, as many as one lists; there may be more."""
    if entry.violations is not None:
        return iter(entry.violations)
    return islice(entry.find_violations(entry), Limits.violations)


def redacted_key(key: str) -> str:
    """A key as journals show it: its beginning, then 8 hex digits of its SHA-256."""
    shown = min(4, len(key) // 2)  # of a short key four characters would be too much
    return key[:shown] + hashlib.sha256(key.encode()).hexdigest()[:8]


def _of_envelope(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """Departures in what is around the body: method and headers (spec 4, 5)."""
    if entry.method != operation.method:
        expected, got = operation.method, describe_value(entry.method)
        message = f"Expected the method {expected}, got {got} - at method"
        yield Violation("method_mismatch", operation.section, "method", message)
    if entry.key is None:
        expected = "one header `Authorization: Bearer KEY`"
        message = f"Expected {expected}, got none - at {AUTHORIZATION}"
        yield Violation("missing_authorization", "5", AUTHORIZATION, message)
    try:
        check_content_type(entry.header_pairs(), Choices())
    except errors.UnsupportedMediaType as refusal:
        at = "header Content-Type"
        yield Violation("content_type_missing", "5", at, refusal.message)
