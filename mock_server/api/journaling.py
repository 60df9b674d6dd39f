"""Enters requests and their responses in journals; no key gets further than here."""

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

_WITH_HINT = (
    errors.CommercialRoute,
    errors.ForeignOrigin,
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
_OF_LOGINS = re.compile(
    "/support/user/account/|/register/|password|openapi/health", re.IGNORECASE
)
"""Paths of the service's that nobody serves, or near one: they take passwords."""


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
        """Enter a request with its response, of which these are all headers.

        `time` is that of the sandbox, in milliseconds. It gives the number
        of its entry; 0 if there is none.
        """
        state, now = request.state, request.sandbox.state
        journal = state.journal
        # Meanwhile the journal may have been emptied: then the new one takes it. After
        # a reset it belongs to nobody's test any more, and the old one is closed.
        if now is not state and now.generation == state.generation:
            journal = now.journal
        if journal.is_closed:
            return 0
        entry = self._make_entry(request, response, headers, time)
        if request.answer is not None:
            entry.answering = request.answer.told
        if refusal is not None:
            if isinstance(refusal, _WITH_HINT):
                entry.hint = refusal.message
            if request.notes.refused_preflight is not None:
                entry.violations = ()  # the spec says nothing of preflights
        elif response.note is not None:
            entry.note, entry.hint = response.note, response.note.hint
        elif not journal.has_told_of_keys and (
            not state.callers or request.notes.bound_to is not None
        ):
            _tell_of_keys(entry, request, journal)
        login, is_login = request.headers.login, False
        if login is not None:
            entry.has_login = state.login_of(login) is not None
        if request.is_beyond:
            entry.outside = _outside(request)
            is_login = self._is_login(request)
        if is_login:
            entry.violations = tuple(violations(entry))
            entry.sent = redaction.without_login(entry.sent)
        longest = self._limits.journal_body_bytes
        is_long = len(entry.answer) > longest or entry.sent.size > longest
        if is_long:
            # What is cut may end amid a key; redact what a key could reach, then cut.
            self._cut(entry, longest + redaction.ESCAPED_KEY_BYTES)
        if is_login or self._may_tell_secrets(entry, request, refusal):
            redaction.redact_entry(entry, self._secrets.of(state, request.headers.key))
        if is_long:
            self._cut(entry, longest)
        if request.is_beyond and entry.hint is None and not entry.was_refused:
            entry.hint = _idle_in(request, entry.sent)
        journal.append(entry)
        return entry.seq

    def _make_entry(
        self, request: RequestContext, response: Response, headers: Headers, time: int
    ) -> Entry:
        """The entry of a request; secrets are still in it, and nothing is cut."""
        state, operation = request.state, request.operation
        # By position: by name it takes 1 % of a request more.
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
            None if request.firing is None else request.firing.told,
            self._find_violations,
            state.choices,
        )

    def _is_login(self, request: RequestContext) -> bool:
        """Whether a request logs somebody in, or would if that were served."""
        path = request.scope["path"]
        operation = request.operation or self._operations.meant_by(path)
        if isinstance(operation, Operation):
            return "secret" in operation.traits
        return _OF_LOGINS.search(path) is not None

    def _sent_by(self, request: RequestContext) -> Sent:
        """What has been sent; of what clients repeat it is the same again.

        That saves 1.5 µs of the 18 that a request takes in process.
        """
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
        # The names of headers come in lower case.
        in_names = len(key) >= MIN_REDACTABLE_LENGTH and key.lower() in head.block
        sent.is_suspect = in_names or self._is_suspect(_text_of(sent), key)
        if known is not None and sent.size <= self._limits.cached_head_bytes:
            if len(self._kept) >= self._limits.cached_heads:
                self._kept.clear()
            self._kept[known] = sent
        return sent

    def _is_suspect(self, text: bytes, key: bytes) -> bool:
        """Whether a text may hold a secret that is none of a fixture's."""
        # In the escapes of URLs or of JSON a key can be written in many ways.
        if (
            b"%" in text
            or b"\\" in text
            or self._secrets.finder.find_matches_as_indexes(text)
        ):
            return True
        is_long = len(key) >= MIN_REDACTABLE_LENGTH
        return is_long and (key in text or key.upper() in text)

    def _may_tell_secrets(
        self, entry: Entry, request: RequestContext, refusal: Refusal | None
    ) -> bool:
        """Whether an entry needs a close look for secrets; nearly none does.

        A response repeats what was sent if it is an error, or if a fault has changed
        it, and an answer holds anything; all else is looked through quickly.
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
        # Responses are kept until data changes.
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
        """Keep no more of the bodies than so many bytes."""
        sent = entry.sent
        if sent.body is not None and len(sent.body) > longest:
            if not sent.is_cut:
                # They can be found in a whole body only.
                entry.violations = tuple(violations(entry))
            entry.sent = replace(sent, body=sent.body[:longest], is_cut=True)
        if len(entry.answer) > longest:
            entry.answer, entry.answer_is_cut = entry.answer[:longest], True


def _idle_in(request: RequestContext, sent: Sent) -> Hint | None:
    """Return a hint that names fields of a related route without effect."""
    operation = request.operation
    if not isinstance(operation, Operation) or operation.related is None:
        return None
    contract = operation.contract_under(request.state.facts)
    return partial(contract.tell_idle, sent.body)


def _outside(request: RequestContext) -> Outside | None:
    """What the spec does not show of a call of an operation that is served."""
    operation, path = request.operation, request.scope["path"]
    if not isinstance(operation, Operation):
        return None  # there is none, or the fixture declares a response
    if operation.related is not None:
        return "related_route"
    return None if path == operation.path else "legacy_path"


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
    return islice(entry.find_violations(entry), Published.violations)
