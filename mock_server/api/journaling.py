"""Enters requests and their responses in journals; no key gets further than here."""

from collections.abc import Iterator
from itertools import islice
from time import perf_counter

from msgspec.structs import replace

from mock_server.api import errors
from mock_server.api.context import BOUND_TO, DECLARED, RequestContext
from mock_server.api.headers import ParsedHeaders, missing_authorization, values
from mock_server.api.operations.operation import Operation, Operations, is_served
from mock_server.api.redaction import (
    ESCAPED_KEY_BYTES,
    Secrets,
    redact_entry,
    without_login,
)
from mock_server.api.response import Headers, Response
from mock_server.domain.access import (
    ISSUED_KEY_PREFIX,
    MIN_REDACTABLE_LENGTH,
    redacted_key,
)
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal, describe_value
from mock_server.domain.journal import (
    HONOURED,
    IGNORED,
    REFUSED,
    STORED,
    Entry,
    Journal,
    Note,
    Sent,
    Violation,
)
from mock_server.domain.limits import Limits
from mock_server.domain.tolerance import remedies, tolerates

_WITH_HINT = (
    errors.MethodNotAllowed,
    errors.MissingAuthorization,
    errors.RouteNotFound,
    errors.UnknownKey,
    errors.UnsupportedMediaType,
)
"""Refusals of requests that are for no operation, or not yet: the entry says why."""


_ANY_KEY = (
    "the fixture declares no keys: any key counts as an owner's "
    "(choice unknown_key=accept; said once in a journal)"
)
_DOCUMENTED = Choices()


class Journaling:
    """Enters requests in the journals of their sandboxes."""

    def __init__(
        self, operations: Operations, secrets: Secrets, limits: Limits
    ) -> None:
        self._operations = operations
        self._secrets = secrets
        self._longest = limits.journal_body_bytes
        self._most_kept = limits.cached_heads
        self._longest_kept = limits.cached_head_bytes
        self._kept: dict[tuple[object, ...], Sent] = {}

    def enter(
        self,
        request: RequestContext,
        response: Response,
        headers: Headers,
        refusal: Refusal | None,
    ) -> int:
        """Enter a request with its response, of which these are all headers.

        The number of its entry; 0 if there is none.
        """
        state, now = request.state, request.sandbox.state
        journal = state.journal
        # Meanwhile the journal may have been emptied: then the new one takes it. After
        # a reset it belongs to nobody's test any more, and the old one is closed.
        if now is not state and now.generation == state.generation:
            journal = now.journal
        if journal.is_closed:
            return 0
        entry = self.make_entry(request, response, headers)
        if refusal is not None:
            if isinstance(refusal, _WITH_HINT):
                entry.hint = refusal.message
        elif response.note is not None:
            entry.note, entry.hint = response.note, response.note.hint
        elif not journal.has_told_of_keys and (
            not state.callers or BOUND_TO in request.scope
        ):
            _tell_of_keys(entry, request, journal)
        operation = request.operation
        is_login = False
        if operation is None or operation.neighbour is not None:
            is_login = self.is_login(request)
        if is_login:
            entry.violations = tuple(violations(entry))
            entry.sent = without_login(entry.sent)
        longest = self._longest
        is_long = len(entry.answer) > longest or entry.sent.size > longest
        if is_long:
            # What is cut may end amid a key; redact what a key could reach, then cut.
            self._cut(entry, longest + ESCAPED_KEY_BYTES)
        if is_login or self._may_tell_secrets(entry, request, refusal):
            redact_entry(entry, self._secrets.of(state, request.headers.key))
        if is_long:
            self._cut(entry, longest)
        journal.append(entry)
        return entry.seq

    def make_entry(
        self, request: RequestContext, response: Response, headers: Headers
    ) -> Entry:
        """The entry of a request; secrets are still in it, and nothing is cut."""
        state, operation = request.state, request.operation
        # By position: keywords would cost 0.6 µs, 1.5 % of a request.
        return Entry(
            state.clock.now(),
            state.generation,
            None if operation is None else operation.name,
            request.caller.member,
            self._sent_by(request),
            response.status,
            headers,
            response.body,
            (perf_counter() - request.started) * 1000,
            request.firing,
            self.find_violations,
            state.choices,
        )

    def _sent_by(self, request: RequestContext) -> Sent:
        """What has been sent; of what clients repeat it is the same again.

        That saves 1.5 µs of the 18 that a request takes in process.
        """
        scope, content = request.scope, request.content
        query = scope["query_string"]
        if content is not None and len(content) > self._longest_kept:
            return self._sent(
                request.headers, scope["method"], scope["path"], query, content
            )
        key = request.headers, scope["method"], scope["path"], query, content
        sent = self._kept.get(key)
        if sent is None:
            sent = self._sent(*key)
            if sent.size <= self._longest_kept:
                if len(self._kept) >= self._most_kept:
                    self._kept.clear()
                self._kept[key] = sent
        return sent

    def _sent(
        self,
        headers: ParsedHeaders,
        method: str,
        path: str,
        query: bytes,
        content: bytes | None,
    ) -> Sent:
        """What has been sent, and whether it needs a close look for secrets."""
        key = headers.key
        shown = redacted_key(key) if key else None
        sent = Sent(shown, method, path, query, headers.block, content)
        sent.is_suspect = self._is_suspect(_text_of(sent), key or "")
        return sent

    def _is_suspect(self, text: bytes, key: str) -> bool:
        """Whether a text may hold a secret that is none of a fixture's."""
        # In the escapes of URLs or of JSON a key can be written in many ways.
        if b"%" in text or b"\\" in text or ISSUED_KEY_PREFIX.encode() in text:
            return True
        if len(key) >= MIN_REDACTABLE_LENGTH and key.encode() in text:
            return True
        return any(secret in text for secret in self._secrets.texts)

    def is_login(self, request: RequestContext) -> bool:
        """Whether a request is of an operation that logs in, or would be if served."""
        operation = request.operation
        if operation is None:
            operation = self._operations.meant_by(request.scope["path"])
        return operation is not None and "secret" in operation.traits

    def _may_tell_secrets(
        self, entry: Entry, request: RequestContext, refusal: Refusal | None
    ) -> bool:
        """Whether an entry needs a close look for secrets; nearly none does.

        A response repeats what was sent if it is an error, or if a fault has changed
        it, and a declared one holds anything; what was sent is looked through quickly.
        """
        if entry.status != 200 or refusal or entry.firing or entry.violations:
            return True
        if entry.sent.is_suspect or DECLARED in request.scope:
            return True
        generation = request.state.store.generation
        if not generation.secrets:
            return False
        return self._secrets.are_in(_text_of(entry.sent), generation)

    def _cut(self, entry: Entry, longest: int) -> None:
        """Keep no more of the bodies than so many bytes."""
        sent = entry.sent
        if sent.body is not None and len(sent.body) > longest:
            if not sent.is_cut:
                # They can be found in a whole body only.
                entry.violations = tuple(violations(entry))
            entry.sent = replace(sent, body=sent.body[:longest], is_cut=True)
        if len(entry.answer) > longest:
            entry.answer, entry.answer_is_cut = entry.answer[:longest], True

    def find_violations(self, entry: Entry) -> Iterator[Violation]:
        """Every departure of a request from the spec, whatever was tolerated."""
        return (_in_the_end(each, entry) for each in self._departures(entry))

    def _departures(self, entry: Entry) -> Iterator[Violation]:
        """The violations with the effect that each has by itself."""
        sent, choices = entry.sent, entry.choices
        path = sent.path
        if entry.operation is not None and entry.operation not in self._operations:
            return  # a declared response: the spec says nothing of it
        operation = self._operations.meant_by(path)
        is_off = operation is not None and not is_served(operation, choices)
        if operation is None or is_off:
            message = self._operations.unknown_route(path, choices).message
            section = "4" if operation is None else operation.section
            name = "unknown_route" if operation is None else "neighbours"
            yield Violation(name, section, "path", message)
            return
        if path != operation.path:
            message = f"Expected {operation.path}, got {describe_value(path)} - at path"
            yield _judged("legacy_paths", operation, "path", message, HONOURED, choices)
        yield from _of_envelope(entry, operation)
        if sent.body is not None:
            yield from operation.contract.find_violations(sent.body, choices)


def _text_of(sent: Sent) -> bytes:
    """All that has been sent, in one text."""
    parts = sent.method.encode(), sent.path.encode(), sent.query, sent.headers
    return b"\n".join((*parts, sent.body or b""))


def _tell_of_keys(entry: Entry, request: RequestContext, journal: Journal) -> None:
    """Give the first entry with a key the hint that any other would do too."""
    state = request.state
    is_any = state.choices.unknown_key == "accept" and not state.store.generation.keys
    if request.caller.key and is_any:
        entry.hint, journal.has_told_of_keys = _ANY_KEY, True


def violations(entry: Entry) -> Iterator[Violation]:
    """The violations of an entry, as many as one lists; there may be more."""
    if entry.violations is not None:
        return iter(entry.violations)
    return islice(entry.find_violations(entry), Limits.violations)


def _judged(
    name: str,
    operation: Operation,
    at: str,
    message: str,
    effect: str,
    choices: Choices,
) -> Violation:
    """A departure with that effect if it is tolerated, else refused."""
    departure = Violation(name, operation.section, at, message, effect)
    if tolerates(choices, name):
        return departure
    return departure.refused(*remedies(choices, name))


def _in_the_end(violation: Violation, entry: Entry) -> Violation:
    """A violation with its effect in a request that may be refused for another."""
    effect = violation.effect
    if effect in (REFUSED, IGNORED):
        return violation
    note = entry.note or Note()
    if entry.was_refused:
        return replace(violation, effect=REFUSED)
    if effect == STORED and note.hint is not None:
        return replace(violation, effect=IGNORED)  # there is no chat to store it in
    if violation.name == "page_size_over_limit" and note.served is not None:
        served, total = note.served
        return replace(violation, effect=f"{effect} ({served} of {total} served)")
    return violation


def _of_envelope(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """Departures in what is around the body: method and headers (spec 4, 5)."""
    choices = entry.choices
    try:
        operation.check_method(entry.sent.method, _DOCUMENTED)
    except errors.MethodNotAllowed as refusal:
        name, at = "method_mismatch", "method"
        yield _judged(name, operation, at, refusal.reason, IGNORED, choices)
    yield from _of_credentials(entry, operation)
    yield from _of_content_type(entry, operation)


def _of_credentials(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """The departure of a request without a key (spec 5)."""
    # Neighbours may be called with a login, and some by anyone.
    if entry.key is not None or (operation.neighbour and not entry.was_refused):
        return
    if operation.access != "caller":
        return
    refusal = missing_authorization(values(entry.sent.header_pairs(), b"authorization"))
    # Which choice would help depends on the token, which is not kept.
    message = refusal.message
    hint = entry.hint_text
    if hint is not None and hint.startswith(message):
        message = hint
    section = operation.section if operation.neighbour else "5"
    is_login = not entry.was_refused and tolerates(entry.choices, "credentials")
    effect = HONOURED if is_login else REFUSED
    yield Violation("missing_authorization", section, refusal.at, message, effect)


def _of_content_type(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """The departure of a body that does not say it is JSON (spec 5)."""
    section = operation.section if operation.neighbour else "5"
    method, pairs = entry.sent.method, entry.sent.header_pairs()
    try:
        operation.check_content_type(method, pairs, entry.choices)
    except errors.UnsupportedMediaType as refusal:
        by_query = entry.choices.query_delete != _DOCUMENTED.query_delete
        is_delete = bool(operation.neighbour) and method == "DELETE" and by_query
        name = "query_delete" if is_delete else "content_type_missing"
        yield Violation(name, section, refusal.at, refusal.message, REFUSED)
        return
    try:
        operation.check_content_type(method, pairs, _DOCUMENTED)
    except errors.UnsupportedMediaType as refusal:
        name, at = "content_type_missing", refusal.at
        yield Violation(name, section, at, refusal.reason, IGNORED)
