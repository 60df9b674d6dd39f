"""Enters requests and their responses in journals, without keys and other secrets."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from time import perf_counter

from msgspec.structs import replace

from mock_server.api import errors, login_secrets, redaction
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
    SentRequest,
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
"""Refusals before an operation runs; their message becomes the hint of the entry."""


_ANY_KEY = (
    "the fixture declares no keys: any key counts as an owner's "
    "(choice unknown_key=accept; said once in a journal)"
)


class Journaling:
    """Enters requests in the journals of their sandboxes."""

    def __init__(
        self, operations: Operations, secrets: redaction.Secrets, limits: Limits
    ) -> None:
        self._operations = operations
        self._find_violations = partial(violations_of, operations=operations)
        self._secrets = secrets
        self._limits = limits
        self._cached_requests: dict[tuple[object, ...], SentRequest] = {}

    def enter(
        self,
        request: RequestContext,
        response: Response,
        headers: Headers,
        refusal: Refusal | None,
        time: int,
    ) -> int:
        """Enter a request and its response; return the number of the entry.

        `headers` are all headers of the response, `time` is the sandbox's time in
        milliseconds. Return 0 if the journal is closed, and so takes no entry.
        """
        state, current_state = request.state, request.sandbox.state
        journal = state.journal
        # If the journal was emptied during the request, the new journal takes the
        # entry. After a reset no test expects the entry: the old journal is closed.
        if current_state is not state and current_state.generation == state.generation:
            journal = current_state.journal
        if journal.is_closed:
            return 0
        entry = self._make_entry(request, response, headers, time)
        if request.answer is not None:
            entry.answer_firing = request.answer.record
        if refusal is not None:
            if isinstance(refusal, _WITH_HINT):
                entry.hint = refusal.message
            if request.notes.refused_preflight is not None:
                entry.violations = ()  # the spec has no rule for preflights
        elif response.note is not None:
            entry.note, entry.hint = response.note, response.note.hint
        elif (
            response.status < 400
            and not journal.has_any_key_hint
            and (not state.callers or request.notes.bound_to is not None)
        ):
            _hint_at_any_key(entry, request, journal)
        entry.hint = request.notes.hint or entry.hint
        login, is_login = request.headers.login, False
        credentials: tuple[bytes, ...] = ()
        if login is not None:
            entry.has_login = state.login_of(login) is not None
        if request.is_outside_spec:
            entry.outside = _outside_part(request)
            is_login = self._is_login(request)
        if is_login:
            credentials = self._hide_login(entry, request, refusal)
        max_bytes = self._limits.journal_body_bytes
        is_long = len(entry.response_body) > max_bytes or entry.request.size > max_bytes
        if is_long:
            # A cut may end inside a key: leave room for a whole key, and cut again
            # after the redaction.
            self._cut(entry, max_bytes + redaction.ESCAPED_KEY_BYTES)
        if is_login or self._may_show_secrets(entry, request, refusal):
            keys, fixture = request.headers.credentials, state.store.fixture
            former = [request.former_secrets] if request.former_secrets else []
            secrets = self._secrets.for_request(
                [fixture], *keys, former=former, texts=credentials
            )
            redaction.redact_entry(entry, secrets)
        if is_long:
            self._cut(entry, max_bytes)
        if request.is_outside_spec and entry.hint is None:
            entry.hint = _idle_fields_hint(request, entry)
        journal.append(entry)
        return entry.seq

    def _make_entry(
        self, request: RequestContext, response: Response, headers: Headers, time: int
    ) -> Entry:
        """Return the entry of a request, before it is redacted and cut."""
        state, operation = request.state, request.operation
        # Positional arguments, as keywords are slower.
        return Entry(
            time,
            state.generation,
            None if operation is None else operation.name,
            request.caller.member,
            self._sent_request(request),
            response.status,
            headers,
            response.body,
            (perf_counter() - request.start_seconds) * 1000,
            None if request.firing is None else request.firing.record,
            self._find_violations,
            state.choices,
        )

    def _hide_login(
        self, entry: Entry, request: RequestContext, refusal: Refusal | None
    ) -> tuple[bytes, ...]:
        """Remove the credentials of a login from its query and body; return them."""
        entry.violations = tuple(violations(entry))
        operation = self._operation_of(request)
        names = operation.contract.names if operation else ()
        credentials = login_secrets.credentials_in(entry.request, names)
        if isinstance(refusal, errors.RouteNotFound):
            credentials += login_secrets.below_login(entry.request.path)
        entry.request = login_secrets.without_login(entry.request)
        return credentials

    def _is_login(self, request: RequestContext) -> bool:
        """Return whether a request is a login, or would be if it were served."""
        operation = self._operation_of(request)
        if operation is not None and "secret" in operation.traits:
            return True
        if operation is not None and operation is request.operation:
            return False
        return login_secrets.find_login(request.scope["path"]) is not None

    def _operation_of(self, request: RequestContext) -> Operation | None:
        """Return the operation of a request, or of its path if none was found."""
        operation_at_path = self._operations.with_path(request.scope["path"])
        operation = request.operation or operation_at_path
        return operation if isinstance(operation, Operation) else None

    def _sent_request(self, request: RequestContext) -> SentRequest:
        """Return the request for the journal; equal requests share one object."""
        scope, head, content = request.scope, request.headers, request.content
        method, path, query = scope["method"], scope["path"], scope["query_string"]
        is_long = content is not None and len(content) > self._limits.cached_head_bytes
        if is_long or request.unread_beginning is not None:
            cache_key = None
        else:
            cache_key = head, request.key, method, path, query, content
            sent = self._cached_requests.get(cache_key)
            if sent is not None:
                return sent
        redacted = redacted_key(request.key) if request.key else None
        body, is_whole = request.unread_beginning or (content, True)
        sent = SentRequest(
            redacted, method, path, query, head.journal_text, body, is_cut=not is_whole
        )
        sent.is_unread = request.unread_beginning is not None
        sent.is_suspect = self._is_suspect(self._kept_text(sent), head.credentials)
        if cache_key is not None and sent.size <= self._limits.cached_head_bytes:
            if len(self._cached_requests) >= self._limits.cached_heads:
                self._cached_requests.clear()
            self._cached_requests[cache_key] = sent
        return sent

    def _is_suspect(self, text: bytes, credentials: Iterable[str | None]) -> bool:
        """Return whether a text may hold a secret that the fixture does not declare.

        A text with escapes of URLs or JSON may, as they can hide any secret.
        """
        if b"%" in text or b"\\" in text:
            return True
        text = redaction.folded(text)
        if self._secrets.finder.find_matches_as_indexes(text):
            return True
        return any(
            redaction.folded(each.encode()) in text
            for each in credentials
            if each is not None and len(each) >= MIN_REDACTABLE_LENGTH
        )

    def _may_show_secrets(
        self, entry: Entry, request: RequestContext, refusal: Refusal | None
    ) -> bool:
        """Return whether an entry needs a thorough search for secrets; few do.

        A response may repeat parts of the request if it is an error or a fault has
        changed it; an answer may hold any text. Others are searched quickly.
        """
        if entry.status != 200 or refusal or entry.firing or entry.violations:
            return True
        if request.headers.unread_keys or request.former_secrets:
            return True
        sent, answer = entry.request, entry.response_body
        if sent.is_suspect or request.notes.answered_name is not None:
            return True
        if sent.is_cut and entry.hint is not None:
            return True  # the hint may quote what was cut, which is not suspected
        credentials, fixture = request.headers.credentials, request.state.store.fixture
        if fixture.secrets and self._secrets.are_in(self._kept_text(sent), fixture):
            return True
        # Equal responses are one object, as they are cached until the data changes.
        if answer is sent.clean_response or answer is NULL:
            return False
        is_suspect = (
            self._is_suspect(answer, credentials)
            or (fixture.secrets and self._secrets.are_in(answer, fixture))
            or redaction.TITLE.search(answer)
        )
        if is_suspect:
            secrets = self._secrets.for_request([fixture], *credentials)
            if secrets.redact_response(answer) != answer:
                return True
        if len(answer) <= self._limits.journal_body_bytes:  # else it is a copy
            sent.clean_response = answer
        return False

    def _kept_text(self, sent: SentRequest) -> bytes:
        """Return as one text the parts of a request that the journal may keep."""
        max_bytes = self._limits.journal_body_bytes + redaction.ESCAPED_KEY_BYTES
        parts = sent.method.encode(), sent.path.encode(), sent.query, sent.headers
        return b"\n".join((*parts, (sent.body or b"")[:max_bytes]))

    def _cut(self, entry: Entry, max_bytes: int) -> None:
        """Cut the bodies of an entry to `max_bytes`."""
        sent = entry.request
        if sent.body is not None and len(sent.body) > max_bytes:
            if not sent.is_cut:
                # Find the violations now: that needs the whole body.
                entry.violations = tuple(violations(entry))
            entry.request = replace(sent, body=sent.body[:max_bytes], is_cut=True)
        if len(entry.response_body) > max_bytes:
            entry.response_body, entry.response_is_cut = (
                entry.response_body[:max_bytes],
                True,
            )


def _idle_fields_hint(request: RequestContext, entry: Entry) -> Hint | None:
    """Return a hint on fields of a request to a related route that have no effect.

    The hint is a function, which is called when the entry is read; or None.
    """
    operation, version = request.operation, request.state.choices.version
    if not isinstance(operation, Operation) or operation.related is None:
        return None
    if entry.is_refusal:
        return None
    return partial(_hint_at_idle, operation, version, entry.request.body)


def _hint_at_idle(operation: Operation, version: Version, body: bytes | None) -> str:
    return operation.contract_under(facts_of(version)).hint_at_idle(body)


def _outside_part(request: RequestContext) -> Outside | None:
    """Return which part of a request the spec does not have: its route, or path."""
    operation, path = request.operation, request.scope["path"]
    if not isinstance(operation, Operation):
        return None  # an unknown path, or a static response
    if operation.related is not None:
        return "related_route"
    return None if path == operation.path else "legacy_path"


def _hint_at_any_key(entry: Entry, request: RequestContext, journal: Journal) -> None:
    """Hint at the first entry with a key that the server would accept any key."""
    state = request.state
    accepts_any_key = (
        state.choices.unknown_key == "accept" and not state.store.fixture.keys
    )
    if request.caller.key and accepts_any_key:
        entry.hint, journal.has_any_key_hint = _ANY_KEY, True


def violations(entry: Entry) -> Iterator[Violation]:
    """Yield the violations of an entry, at most `Published.violations`."""
    if entry.violations is not None:
        return iter(entry.violations)
    return islice(entry.find_violations(entry), Published.violations)
