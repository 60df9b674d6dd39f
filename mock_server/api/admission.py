"""Finds the caller of a request, its sandbox, and the operation that serves it.

Nearly all of this is in the head; a share link is in the body.
"""

from msgspec.structs import replace
from starlette.types import Scope

from mock_server.api import context
from mock_server.api import headers as request_headers
from mock_server.api.bound import bound_sandbox
from mock_server.api.errors import MissingAuthorization, UnknownKey
from mock_server.api.operations import shares
from mock_server.api.operations.answered_path import Served, answered_at
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.routing import Operations
from mock_server.api.operations.shares import TAKES_KEYS, VISITED
from mock_server.domain.access import (
    APP_CHARS,
    ISSUED_KEY_PREFIX,
    NOBODY,
    Caller,
    split_key,
)
from mock_server.domain.choices.reading import remedies, served_with
from mock_server.domain.errors import Refusal
from mock_server.domain.messages import quoted
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import facts_of


class Admission:
    """Checks requests: before their bodies are read, and again for a share link."""

    def __init__(self, sandboxes: Sandboxes, operations: Operations) -> None:
        self._sandboxes = sandboxes
        self._operations = operations

    def admit(self, request: context.RequestContext) -> Served:
        """Run the checks before the body, in their order. Raises Refusal."""
        scope, key = request.scope, request.headers.key
        operation: Served | None = self._operations.by_path.get(scope["path"])
        if operation is None or scope["method"] != operation.method:
            operation = self._other(request, operation)
        request.operation = operation
        try:
            if key is not None and operation.access in TAKES_KEYS:
                request.caller = authorize(key, request.state, request.notes.bound_to)
            else:
                request.caller = identify(request, operation)
        except (MissingAuthorization, UnknownKey) as refusal:
            if operation.access != "visitor":
                raise
            request.unidentified = refusal.with_traceback(None)
            request.caller = NOBODY
        if not request.headers.is_json:
            choices = request.state.choices
            try:
                operation.check_content_type(scope["method"], scope["headers"], choices)
            except Refusal as refusal:
                self._check_served(request, operation)
                raise request.unidentified or refusal from None
        return operation

    def visit(self, request: context.RequestContext, operation: Served) -> Served:
        """Return the operation for a caller with a share link, in the link's sandbox.

        The link is accepted beside any key. Raises MissingAuthorization or UnknownKey
        if neither is accepted, and RouteNotFound.
        """
        content, scope = request.content or b"", request.scope
        refusal, bound_to = request.unidentified, request.notes.bound_to
        has_key = request.headers.key is not None
        if has_key and refusal is None and not shares.may_name(content):
            return operation
        sandbox, link = request.sandbox, shares.issued_in(content)
        if link:
            self._follow(request, self._sandboxes.of_key(link))
        state = request.state
        if request.sandbox is not sandbox:
            # A key of another sandbox is not accepted in this one.
            refusal = refusal or request_headers.missing_authorization(())
        if request.sandbox is not sandbox or not has_key:
            request.operation = None
            operation = self._served(operation, scope, state)
        request.operation = operation
        is_nested = facts_of(state.choices.version).shares_are_nested
        named = shares.named_in(content, is_nested)
        if named is not None:
            ids = named.out_link_uid, named.share_id
            request.caller = state.visitor(*ids, is_bound=bound_to is not None)
        elif refusal is not None and operation.access == "visitor":
            raise shares.in_other_form(content, is_nested) or refusal
        return operation

    def _other(
        self, request: context.RequestContext, operation: Served | None
    ) -> Served:
        """Return what serves a request that no operation of the spec matches directly.

        `operation` is the spec's operation at the path, if any. Raises Refusal.
        """
        scope, refusal = request.scope, request.notes.refused_preflight
        if refusal is not None:
            raise refusal
        request.operation = operation = operation or self._beyond(request)
        if operation.access == "login" and request.headers.key is not None:
            # Such an operation ignores keys, so the key does not select the sandbox.
            operation = self._led_by_login(request)
        if scope["method"] != operation.method:
            choices = request.state.choices
            try:
                operation.check_method(scope["method"], choices, scope["headers"])
            except Refusal:
                self._check_served(request, operation)
                raise
        return operation

    def _beyond(self, request: context.RequestContext) -> Served:
        """Return what serves a path beyond the spec: answers, or a related route.

        Answers fire also for an operation that is off. Raises MethodNotAllowed, and
        RouteNotFound with a suggestion.
        """
        scope, state = request.scope, request.state
        path, method, notes = scope["path"], scope["method"], request.notes
        request.is_beyond = True
        notes.answered = None  # it may be of a replaced state
        meant = self._operations.meant_by(path)
        if meant is not None and meant.access == "address":
            self._follow(request, self._sandboxes.of_token(path.rpartition("/")[2]))
            state = request.state
        if meant is None:
            found = answered_at(method, path, state.faults.routes)
            if found is None:
                return self._operations.at(path, method, state.choices)
            notes.answered = found.name
            return found
        if meant.access in VISITED and request.headers.key is None:
            return meant  # a link in its fields may lead to another sandbox
        return self._served(meant, scope, state)

    def _served(self, meant: Served, scope: Scope, state: State) -> Served:
        """Return `meant` if it is served or has answers. Raises RouteNotFound."""
        faults = state.faults
        if faults.active and not faults.answered.keys().isdisjoint(meant.names):
            return meant
        return self._operations.at(scope["path"], scope["method"], state.choices)

    def _check_served(self, request: context.RequestContext, meant: Served) -> None:
        """Raise RouteNotFound if a keyless share-link route is not served."""
        if request.headers.key is None and meant.access in VISITED:
            self._served(meant, request.scope, request.state)

    def _led_by_login(self, request: context.RequestContext) -> Operation:
        """Return the operation in the login's sandbox. Raises RouteNotFound.

        A readmitted request has its login checked again. A bound address overrides the
        login.
        """
        token = request.headers.login or ""
        self._follow(request, self._sandboxes.of_login(token))
        path, method = request.scope["path"], request.scope["method"]
        request.operation = self._operations.at(path, method, request.state.choices)
        return request.operation

    def _follow(self, request: context.RequestContext, found: Sandbox | None) -> None:
        """Switch to the sandbox that a token leads to, else to the default one."""
        if request.notes.bound_to is None:
            request.sandbox = found or self._sandboxes.default
            request.state = request.sandbox.state
            request.operation = None

    def readmit(self, request: context.RequestContext) -> Served:
        """Admit a request again if its state was replaced meanwhile.

        A reset may have come while the body arrived, or while a fault delayed the
        response, which must show one moment. Raises Refusal.
        """
        if request.sandbox.state is not request.state or request.operation is None:
            # The sandbox may be gone too, and with it the target of the key.
            request.sandbox = self.sandbox_of(request.notes)
            request.state, request.operation = request.sandbox.state, None
            request.unidentified = None
            request.answer, request.seen, request.has_decided = None, None, False
            operation = self.admit(request)
            if operation.access in VISITED and request.content is not None:
                operation = self.visit(request, operation)
            return operation
        return request.operation

    def sandbox_of(self, notes: context.ScopeNotes) -> Sandbox:
        """Return the sandbox of a bound address, a key or a login, in this order.

        Without any, it is the default one; an unknown key is refused later, by
        `authorize`. Raises SandboxNotFound.
        """
        head, found = notes.headers, None
        if notes.bound_to is not None:
            return bound_sandbox(notes.bound_to, self._sandboxes)
        if head.key:
            found = self._sandboxes.of_key(head.key)
        elif head.login:
            found = self._sandboxes.of_login(head.login)
        return found or self._sandboxes.default


def authorize(key: str, state: State, bound_to: str | None = None) -> Caller:
    """Return the holder of an API key (spec 5) in a state.

    If the fixture declares no keys, any key is an owner's (choice unknown_key), except
    one that looks as if a sandbox had issued it. At an address `bound_to` a sandbox,
    declared keys count beside the keys issued for them. An app may be named after the
    key. Raises UnknownKey.
    """
    caller = state.callers.get(key)
    if caller is None and len(key) > APP_CHARS and (parts := split_key(key)):
        return replace(authorize(parts[0], state, bound_to), named_app=parts[1])
    if caller is None and (bound_to is not None or key.startswith(ISSUED_KEY_PREFIX)):
        caller = _known(key, state, bound_to)
    if caller is not None:
        return caller
    declared = state.callers if bound_to is None else state.store.generation.keys
    if declared or state.choices.unknown_key == "reject":
        expected, got = "a key that the fixture declares", "an unknown one"
        # If some keys are declared, no choice accepts others.
        values = () if declared else remedies(state.choices, "unknown_key")
        hint = served_with(*values)
        raise UnknownKey(expected, got, request_headers.AUTHORIZATION, hint)
    return Caller(key)


def _known(key: str, state: State, bound_to: str | None) -> Caller | None:
    """Return the holder of a key that is declared, issued or created.

    Raises UnknownKey for a key that another sandbox has issued.
    """
    caller = state.callers.get(key)
    if caller is None and key.startswith(ISSUED_KEY_PREFIX):
        caller = state.holder_of(key)
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
        return state.store.generation.keys.get(key)
    return caller


def identify(request: context.RequestContext, operation: Served) -> Caller:
    """Return the caller of a request whose key is absent, unusable or not needed.

    A key counts first, where allowed; then a login, which the spec's operations take by
    choice (credentials). Raises MissingAuthorization, UnknownKey.
    """
    access, choices = operation.access, request.state.choices
    headers, state, key = request.scope["headers"], request.state, request.headers.key
    bound_to = request.notes.bound_to
    if access == "guest" and key is not None:
        return _known(key, state, bound_to) or NOBODY
    keys = request_headers.values(headers, b"authorization")
    token, known = request.headers.login, state.login_of(request.headers.login or "")
    takes_logins = bool(operation.related) or choices.credentials != "bearer"
    values = remedies(choices, "credentials") if known and not takes_logins else ()
    if access in TAKES_KEYS and (keys or not (token and takes_logins)):
        if not keys:
            raise request_headers.missing_authorization(keys, *values, headers=headers)
        # If the header cannot be read, this refusal says what is wrong.
        return authorize(request_headers.bearer_token(headers), state, bound_to)
    caller = known if takes_logins else None
    if caller is None and access in ("caller", "login", "visitor"):
        expected = "a login token, in header `token` or cookie `fastgpt_token`"
        got = "an API key" if keys else "nothing"
        if token:
            got = "one that no login has given"
        if known:
            got = "one that does not count"
        raise MissingAuthorization(expected, got, "headers", served_with(*values))
    return caller or NOBODY
