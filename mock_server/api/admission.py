"""Finds the caller of a request, its sandbox, and the operation that serves it.

The head of a request identifies all three, unless a share link in the body does.
"""

from msgspec.structs import replace
from starlette.types import Scope

from mock_server.api import context
from mock_server.api import headers as request_headers
from mock_server.api.bound_address import bound_sandbox
from mock_server.api.errors import MissingAuthorization, UnknownKey
from mock_server.api.operations import shares
from mock_server.api.operations.answered_path import Served, find_answered
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.routing import Operations
from mock_server.api.operations.shares import TAKES_KEYS, VISITED
from mock_server.domain.access import (
    APP_SUFFIX_CHARS,
    ISSUED_KEY_PREFIX,
    NOBODY,
    Caller,
    split_key,
)
from mock_server.domain.choices.reading import choices_hint, remedies
from mock_server.domain.errors import Refusal
from mock_server.domain.messages import quoted
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import facts_of


class Admission:
    """Checks a request before its body is read, and again if it has a share link."""

    def __init__(self, sandboxes: Sandboxes, operations: Operations) -> None:
        self._sandboxes = sandboxes
        self._operations = operations

    def admit(self, request: context.RequestContext) -> Served:
        """Check a request before its body is read, and return its operation.

        Check path, method, authorization and content type, in this order; set
        `operation` and `caller` of the request. Raises Refusal.
        """
        scope, key = request.scope, request.headers.key
        operation: Served | None = self._operations.by_path.get(scope["path"])
        if operation is None or scope["method"] != operation.method:
            operation = self._find_other_operation(request, operation)
        request.operation = operation
        try:
            if key is not None and operation.access in TAKES_KEYS:
                request.caller = authorize(key, request.state, request.notes.bound_to)
            else:
                request.caller = identify(request, operation)
        except (MissingAuthorization, UnknownKey) as refusal:
            if operation.access != "visitor":
                raise
            request.credential_refusal = refusal.with_traceback(None)
            request.caller = NOBODY
        if not request.headers.is_json:
            choices = request.state.choices
            try:
                operation.check_content_type(scope["method"], scope["headers"], choices)
            except Refusal as refusal:
                self._check_served(request, operation)
                raise request.credential_refusal or refusal from None
        return operation

    def admit_visitor(
        self, request: context.RequestContext, operation: Served
    ) -> Served:
        """Return the operation for a caller with a share link, in the link's sandbox.

        A share link counts even beside an API key; its visitor is then the caller.
        Raises MissingAuthorization or UnknownKey if neither link nor key is accepted,
        and RouteNotFound.
        """
        content, scope = request.content or b"", request.scope
        refusal, bound_to = request.credential_refusal, request.notes.bound_to
        has_key = request.headers.key is not None
        if has_key and refusal is None and not shares.may_have_credentials(content):
            return operation
        sandbox, link = request.sandbox, shares.issued_link_in(content)
        if link:
            self._switch_sandbox(request, self._sandboxes.for_key(link))
        state = request.state
        if request.sandbox is not sandbox:
            # The sandbox of the link does not accept the key of another sandbox.
            refusal = refusal or request_headers.missing_authorization(())
        if request.sandbox is not sandbox or not has_key:
            request.operation = None
            operation = self._require_served(operation, scope, state)
        request.operation = operation
        is_nested = facts_of(state.choices.version).shares_are_nested
        is_bound = bound_to is not None
        credentials = shares.credentials_in(content, is_nested)
        if credentials is not None:
            ids = credentials.out_link_uid, credentials.share_id
            request.caller = state.visitor(*ids, is_bound)
        elif refusal is not None and operation.access == "visitor":
            other = shares.other_form_refusal(content, state, is_nested, is_bound)
            raise other or refusal
        return operation

    def _find_other_operation(
        self, request: context.RequestContext, operation: Served | None
    ) -> Served:
        """Find the operation of a path or method that the spec does not have.

        `operation` is the spec's operation at the path, which has another method, or
        None. Raises Refusal.
        """
        scope, refusal = request.scope, request.notes.refused_preflight
        if refusal is not None:
            raise refusal
        request.operation = operation = operation or self._find_outside_spec(request)
        if operation.access == "login" and request.headers.key is not None:
            # The operation ignores API keys, so no API key selects the sandbox.
            operation = self._enter_login_sandbox(request)
        if scope["method"] != operation.method:
            choices = request.state.choices
            try:
                operation.check_method(scope["method"], choices, scope["headers"])
            except Refusal:
                self._check_served(request, operation)
                raise
        return operation

    def _find_outside_spec(self, request: context.RequestContext) -> Served:
        """Find the related route, or the answers, at a path that the spec lacks.

        Answers fire even for a route that choices switch off. Raises MethodNotAllowed,
        and RouteNotFound with a suggestion.
        """
        scope, state = request.scope, request.state
        path, method, notes = scope["path"], scope["method"], request.notes
        request.is_outside_spec = True
        notes.answered_name = None  # a replaced state may have set it
        operation = self._operations.with_path(path)
        if operation is not None and operation.access == "address":
            self._switch_sandbox(
                request, self._sandboxes.for_token(path.rpartition("/")[2])
            )
            state = request.state
        if operation is None:
            answered_path = find_answered(method, path, state.faults.routes)
            if answered_path is None:
                return self._operations.find(path, method, state.choices)
            notes.answered_name = answered_path.name
            return answered_path
        if operation.access in VISITED and request.headers.key is None:
            return operation  # a share link in the body may select another sandbox
        return self._require_served(operation, scope, state)

    def _require_served(self, operation: Served, scope: Scope, state: State) -> Served:
        """Return `operation` if it has answers, else the one served at the path.

        Raises RouteNotFound.
        """
        faults = state.faults
        if faults.active and not faults.answered_names.keys().isdisjoint(
            operation.names
        ):
            return operation
        return self._operations.find(scope["path"], scope["method"], state.choices)

    def _check_served(self, request: context.RequestContext, operation: Served) -> None:
        """Raise RouteNotFound if a route is not served.

        Only a route that takes share links, called without an API key, was not checked
        for this before.
        """
        if request.headers.key is None and operation.access in VISITED:
            self._require_served(operation, request.scope, request.state)

    def _enter_login_sandbox(self, request: context.RequestContext) -> Operation:
        """Switch to the sandbox of the login token; return the operation there.

        At a bound address, the sandbox stays. Raises RouteNotFound.
        """
        token = request.headers.login or ""
        self._switch_sandbox(request, self._sandboxes.for_login(token))
        path, method = request.scope["path"], request.scope["method"]
        request.operation = self._operations.find(path, method, request.state.choices)
        return request.operation

    def _switch_sandbox(
        self, request: context.RequestContext, sandbox: Sandbox | None
    ) -> None:
        """Switch to `sandbox`, else to the default one.

        At a bound address, the sandbox stays.
        """
        if request.notes.bound_to is None:
            request.sandbox = sandbox or self._sandboxes.default
            request.state = request.sandbox.state
            request.operation = None

    def admit_again(self, request: context.RequestContext) -> Served:
        """Admit a request again if its state was replaced; return its operation.

        A reset may replace the state while the body arrives, or while a fault delays
        the response. A request that has begun to change the replaced state ends there.
        Raises Refusal.
        """
        is_replaced = request.sandbox.state is not request.state
        if request.operation is None or (is_replaced and not request.has_begun_change):
            secrets = request.state.store.fixture.secrets
            # The sandbox may have been deleted too: look it up again.
            request.sandbox = self.sandbox_of(request.notes)
            request.state, request.operation = request.sandbox.state, None
            if request.state.store.fixture.secrets is not secrets:
                request.former_secrets += secrets
            request.credential_refusal = None
            request.answer = request.match_input = None
            request.has_matched_answers = False
            operation = self.admit(request)
            if operation.access in VISITED and request.content is not None:
                operation = self.admit_visitor(request, operation)
            return operation
        return request.operation

    def sandbox_of(self, notes: context.ScopeNotes) -> Sandbox:
        """Return the sandbox of the bound address, else of the API key or login token.

        If none of them has a sandbox, return the default one; `authorize` refuses an
        unknown key later. Raises SandboxNotFound for a bound address.
        """
        head, sandbox = notes.headers, None
        if notes.bound_to is not None:
            return bound_sandbox(notes.bound_to, self._sandboxes)
        if head.key:
            sandbox = self._sandboxes.for_key(head.key)
        elif head.login:
            sandbox = self._sandboxes.for_login(head.login)
        return sandbox or self._sandboxes.default


def authorize(key: str, state: State, bound_to: str | None = None) -> Caller:
    """Return the holder of an API key (spec 5) in a state.

    If the fixture declares no keys, any key is an owner's (choice unknown_key), except
    an unknown key with the prefix of issued keys. At an address that is bound to the
    sandbox `bound_to`, its declared keys and its issued keys count. The id of an app
    may follow a key (`KEY-APPID`). Raises UnknownKey.
    """
    caller = state.callers.get(key)
    if caller is None and len(key) > APP_SUFFIX_CHARS and (parts := split_key(key)):
        return replace(authorize(parts[0], state, bound_to), named_app=parts[1])
    if caller is None and (bound_to is not None or key.startswith(ISSUED_KEY_PREFIX)):
        caller = _find_holder(key, state, bound_to)
    if caller is not None:
        return caller
    declared = state.callers if bound_to is None else state.store.fixture.keys
    if declared or state.choices.unknown_key == "reject":
        expected, got = "a key that the fixture declares", "an unknown one"
        # If the fixture declares keys, no choice accepts other keys.
        values = () if declared else remedies(state.choices, "unknown_key")
        hint = choices_hint(*values)
        raise UnknownKey(expected, got, request_headers.AUTHORIZATION, hint)
    return Caller(key)


def _find_holder(key: str, state: State, bound_to: str | None) -> Caller | None:
    """Return the holder of a key that is declared, issued or created.

    Raises UnknownKey for a key that another sandbox has issued.
    """
    caller = state.callers.get(key)
    if caller is None and key.startswith(ISSUED_KEY_PREFIX):
        caller = state.created_key_caller(key)
        if caller is not None:
            return caller
        expected, got = "a key of a sandbox", "one that leads to none"
        hint = "it was deleted or has expired: create it again"
        if bound_to is not None:
            name = quoted(bound_to)
            expected = f"a key of sandbox {name}, to which the address is bound"
            got, hint = "one that it has not issued", ""
        raise UnknownKey(expected, got, request_headers.AUTHORIZATION, hint)
    if caller is None and bound_to is not None:
        return state.store.fixture.keys.get(key)
    return caller


def identify(request: context.RequestContext, operation: Served) -> Caller:
    """Return the caller of a request whose key is absent, unusable or not needed.

    Where the operation accepts API keys, a key decides before a login token. The spec's
    operations accept login tokens only with choice credentials=login_too. Raises
    MissingAuthorization, UnknownKey.
    """
    access, choices = operation.access, request.state.choices
    headers, state, key = request.scope["headers"], request.state, request.headers.key
    bound_to = request.notes.bound_to
    if access == "guest" and key is not None:
        return _find_holder(key, state, bound_to) or NOBODY
    authorizations = request_headers.values(headers, b"authorization")
    token = request.headers.login
    login = state.login_of(token or "")
    takes_logins = bool(operation.related) or choices.credentials != "bearer"
    values = remedies(choices, "credentials") if login and not takes_logins else ()
    if access in TAKES_KEYS and (authorizations or not (token and takes_logins)):
        if not authorizations:
            raise request_headers.missing_authorization((), *values, headers=headers)
        # If the header cannot be read, this refusal says what is wrong.
        return authorize(request_headers.bearer_token(headers), state, bound_to)
    caller = login if takes_logins else None
    if caller is None and access in ("caller", "login", "visitor"):
        expected = "a login token, in header `token` or cookie `fastgpt_token`"
        got = "an API key" if authorizations else "nothing"
        if token:
            got = "one that no login has given"
        if login:
            got = "one that this operation does not accept"
        raise MissingAuthorization(expected, got, "headers", choices_hint(*values))
    return caller or NOBODY
