"""Enters requests and their responses in journals, with all keys redacted."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from time import perf_counter

from msgspec.structs import replace

from mock_server.api import errors, redaction
from mock_server.api.context import RequestContext
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.routing import Operations
from mock_server.api.operations.update_history import NULL
from mock_server.api.response import Headers, Response
from mock_server.api.violations import violations_of
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.errors import Refusal
from mock_server.domain.journal import (
    Entry,
    Hint,
    Journal,
    Outside,
    Sent,
    Violation,
    redacted_key,
)
from mock_server.domain.limits import Limits, Published
from mock_server.domain.versions import Version, facts_of

_WITH_HINT = (
    errors.CommercialRoute,
    errors.ForeignOrigin,
    errors.MethodNotAllowed,
    errors.MissingAuthorization,
    errors.RouteNotFound,
    errors.UnknownKey,
    errors.UnsupportedMediaType,
)
"""Refusals of requests that reach no operation; the entry repeats their message."""


_ANY_KEY = (
    "the fixture declares no keys: any key counts as an owner's "
    "(choice unknown_key=accept; said once in a journal)"
)
_OF_LOGINS = re.compile(
    "/support/user/account/|/register/|login|password|openapi/health", re.IGNORECASE
)
"""Matches paths of the service, unserved or misspelled, that take passwords."""


class Journaling:
    """Enters requests in the journals of their sandboxes."""

    def __init__(
        self, operations: Operations, secrets: redaction.Secrets, limits: Limits
    ) -> None:
        self._operations = operations
        self._find_violations = partial(violations_of, operations=operations)
        self._secrets = secrets
        self._limits = limits
        self._kept: dict[tuple[object, ...], Sent] = {}

    def enter(
        self,
        request: RequestContext,
        response: Response,
        headers: Headers,
        refusal: Refusal | None,
        time: int,
    ) -> int:
        """Enter a request, its response and all headers of the response.

        `time` is the sandbox's time in milliseconds. Return the number of the entry, 0
        without an entry.
        """
        state, now = request.state, request.sandbox.state
        journal = state.journal
        # If the journal was emptied meanwhile, the new journal takes the entry. After a
        # reset, no test expects the entry, and the old journal is closed.
        if now is not state and now.generation == state.generation:
            journal = now.journal
        if journal.is_closed:
            return 0
        entry = self._make_entry(request, response, headers, time)
        if request.answer is not None:
            entry.answering = request.answer.record
        if refusal is not None:
            if isinstance(refusal, _WITH_HINT):
                entry.hint = refusal.message
            if request.notes.refused_preflight is not None:
                entry.violations = ()  # the spec has no rule for preflights
        elif response.note is not None:
            entry.note, entry.hint = response.note, response.note.hint
        elif not journal.has_told_of_keys and (
            not state.callers or request.notes.bound_to is not None
        ):
            _hint_at_any_key(entry, request, journal)
        login, is_login = request.headers.login, False
        credentials: tuple[bytes, ...] = ()
        if login is not None:
            entry.has_login = state.login_of(login) is not None
        if request.is_beyond:
            entry.outside = _outside(request)
            is_login = self._is_login(request)
        if is_login:
            entry.violations = tuple(violations(entry))
            operation = self._operation_of(request)
            names = operation.contract.names if operation else ()
            credentials = redaction.credentials_in(entry.sent, names)
            entry.sent = redaction.without_login(entry.sent)
        longest = self._limits.journal_body_bytes
        is_long = len(entry.answer) > longest or entry.sent.size > longest
        if is_long:
            # A cut may end inside a key: redact all that a key could reach, then cut.
            self._cut(entry, longest + redaction.ESCAPED_KEY_BYTES)
        if is_login or self._may_show_secrets(entry, request, refusal):
            secrets = self._secrets.of(state, request.headers.key)
            secrets = replace(secrets, texts=(*secrets.texts, *credentials))
            redaction.redact_entry(entry, secrets)
        if is_long:
            self._cut(entry, longest)
        if request.is_beyond and entry.hint is None:
            entry.hint = _idle_in(request, entry)
        journal.append(entry)
        return entry.seq

    def _make_entry(
        self, request: RequestContext, response: Response, headers: Headers, time: int
    ) -> Entry:
        """Return the entry of a request, with secrets and uncut."""
        state, operation = request.state, request.operation
        # Positional arguments, as keywords are slower.
        return Entry(
            time,
            state.generation,
            None if operation is None else operation.name,
            request.caller.member,
            self._sent_by(request),
            response.status,
            headers,
            response.body,
            (perf_counter() - request.started) * 1000,
            None if request.firing is None else request.firing.record,
            self._find_violations,
            state.choices,
        )

    def _is_login(self, request: RequestContext) -> bool:
        """Return whether a request is a login, or would be if it were served."""
        operation = self._operation_of(request)
        if operation is not None:
            return "secret" in operation.traits
        return _OF_LOGINS.search(request.scope["path"]) is not None

    def _operation_of(self, request: RequestContext) -> Operation | None:
        """Return the operation of a request, or the one that its path means."""
        meant = self._operations.meant_by(request.scope["path"])
        operation = request.operation or meant
        return operation if isinstance(operation, Operation) else None

    def _sent_by(self, request: RequestContext) -> Sent:
        """Return the sent request; repeated requests share one cached object."""
        scope, head, content = request.scope, request.headers, request.content
        method, path, query = scope["method"], scope["path"], scope["query_string"]
        is_long = content is not None and len(content) > self._limits.cached_head_bytes
        if is_long or request.unread is not None:
            known = None
        else:
            known = head, method, path, query, content
            sent = self._kept.get(known)
            if sent is not None:
                return sent
        shown = redacted_key(head.key) if head.key else None
        body, is_whole = request.unread or (content, True)
        sent = Sent(shown, method, path, query, head.block, body, is_cut=not is_whole)
        sent.is_unread = request.unread is not None
        key = (head.key or "").encode()
        sent.is_suspect = self._is_suspect(_text_of(sent), key)
        if known is not None and sent.size <= self._limits.cached_head_bytes:
            if len(self._kept) >= self._limits.cached_heads:
                self._kept.clear()
            self._kept[known] = sent
        return sent

    def _is_suspect(self, text: bytes, key: bytes) -> bool:
        """Return whether a text may hold a secret other than the fixture's."""
        text = text.lower()  # a secret in capitals reveals as much
        # With escapes of URLs or JSON, a key can be written in many ways.
        if (
            b"%" in text
            or b"\\" in text
            or self._secrets.finder.find_matches_as_indexes(text)
        ):
            return True
        is_long = len(key) >= MIN_REDACTABLE_LENGTH
        return is_long and key.lower() in text

    def _may_show_secrets(
        self, entry: Entry, request: RequestContext, refusal: Refusal | None
    ) -> bool:
        """Return whether an entry needs a close search for secrets; few do.

        A response repeats parts of the request if it is an error or a fault has changed
        it, and an answer may hold anything; others get a quick search.
        """
        if entry.status != 200 or refusal or entry.firing or entry.violations:
            return True
        sent, answer = entry.sent, entry.answer
        if sent.is_suspect or request.notes.answered is not None:
            return True
        state, key = request.state, request.headers.key
        generation = state.store.generation
        if generation.secrets and self._secrets.are_in(_text_of(sent), generation):
            return True
        # Responses are cached until data changes.
        if answer is sent.harmless or answer is NULL:
            return False
        is_suspect = self._is_suspect(answer, (key or "").encode()) or (
            generation.secrets and self._secrets.are_in(answer, generation)
        )
        if is_suspect and self._secrets.of(state, key).are_in(answer):
            return True
        sent.harmless = answer
        return False

    def _cut(self, entry: Entry, longest: int) -> None:
        """Cut the bodies to `longest` bytes."""
        sent = entry.sent
        if sent.body is not None and len(sent.body) > longest:
            if not sent.is_cut:
                # Violations can be found only in a whole body.
                entry.violations = tuple(violations(entry))
            entry.sent = replace(sent, body=sent.body[:longest], is_cut=True)
        if len(entry.answer) > longest:
            entry.answer, entry.answer_is_cut = entry.answer[:longest], True


def _idle_in(request: RequestContext, entry: Entry) -> Hint | None:
    """Return a hint that names fields of a served related route without effect."""
    operation, version = request.operation, request.state.choices.version
    if not isinstance(operation, Operation) or operation.related is None:
        return None
    if entry.was_refused:
        return None
    return partial(_tell_idle, operation, version, entry.sent.body)


def _tell_idle(operation: Operation, version: Version, body: bytes | None) -> str:
    return operation.contract_under(facts_of(version)).tell_idle(body)


def _outside(request: RequestContext) -> Outside | None:
    """Return which part of a served call the spec does not show, if any."""
    operation, path = request.operation, request.scope["path"]
    if not isinstance(operation, Operation):
        return None  # an unknown path, or a static response
    if operation.related is not None:
        return "related_route"
    return None if path == operation.path else "legacy_path"


def _text_of(sent: Sent) -> bytes:
    """Return the whole request as one text."""
    parts = sent.method.encode(), sent.path.encode(), sent.query, sent.headers
    return b"\n".join((*parts, sent.body or b""))


def _hint_at_any_key(entry: Entry, request: RequestContext, journal: Journal) -> None:
    """Add a hint to the first entry with a key, if any key would be accepted."""
    state = request.state
    is_any = state.choices.unknown_key == "accept" and not state.store.generation.keys
    if request.caller.key and is_any:
        entry.hint, journal.has_told_of_keys = _ANY_KEY, True


def violations(entry: Entry) -> Iterator[Violation]:
    """Yield at most as many violations of an entry as a list shows."""
    if entry.violations is not None:
        return iter(entry.violations)
    return islice(entry.find_violations(entry), Published.violations)
