"""One request on its way to an answer: the order in which it is checked."""

from __future__ import annotations

from time import perf_counter

from starlette.types import Receive, Scope

from mock_server.api.errors import BodyTooLarge, MethodNotAllowed
from mock_server.api.headers import (
    ParsedHeaders,
    authorize,
    bearer_token,
    check_content_type,
)
from mock_server.api.operations import Operation
from mock_server.api.redaction import RequestSecrets, Secrets
from mock_server.api.request import RequestBody, TooLarge
from mock_server.api.routes import TARGETS, unknown_route
from mock_server.domain.access import MIN_REDACTABLE_LENGTH, NOBODY
from mock_server.domain.errors import describe_value
from mock_server.domain.faults import Firing
from mock_server.domain.journal import Entry
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandboxes import Sandboxes


class Exchange:
    """A request, and what is known of it so far.

    `started` is when, by perf_counter. `state` is that of the sandbox which the key
    leads to, the default one without; `caller` is known once the request is admitted,
    `content` once its body has come.
    """

    __slots__ = (
        "_sandboxes",
        "_secrets",
        "body",
        "caller",
        "content",
        "firing",
        "head",
        "is_recorded",
        "key",
        "sandbox",
        "scope",
        "started",
        "state",
        "target",
    )

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        head: ParsedHeaders,
        sandboxes: Sandboxes,
        secrets: Secrets,
    ) -> None:
        self.started = perf_counter()
        self.scope = scope
        self.head = head
        self.key = head.key
        self.body = RequestBody(scope, receive, head)
        self.target = TARGETS.get(scope["path"])
        self.caller = NOBODY
        self.firing: Firing | None = None
        self.is_recorded = False
        self.content: bytes | None = None
        self._sandboxes = sandboxes
        self._secrets = secrets
        self._identify()

    @property
    def operation(self) -> Operation:
        """What is asked for, once the request is admitted."""
        if self.target is None:
            raise LookupError("a request that was not admitted")
        return self.target.operation

    @property
    def operation_name(self) -> str | None:
        """The operation that the path leads to under the choices in force, if any."""
        target = self.target
        if target is None:
            return None
        if target.is_legacy and self.state.choices.legacy_paths == "off":
            return None
        return target.operation.name

    @property
    def secrets(self) -> RequestSecrets:
        """What must not be kept or repeated of this request."""
        return self._secrets.of(self.state, self.key)

    def may_tell_secrets(self, entry: Entry) -> bool:
        """Whether an entry for this request needs a closer look for secrets."""
        if len(entry.method) >= MIN_REDACTABLE_LENGTH:
            return True
        parts = entry.path.encode(), entry.query, entry.headers, entry.body or b""
        return self._secrets.may_be_in(b"\n".join(parts), self.state, self.key)

    def has_outlived_its_state(self) -> bool:
        """Whether a reset or a restore has replaced the state meanwhile."""
        return self.sandbox.state.generation != self.state.generation

    async def ready(self) -> None:
        """Return once the request is admitted and its body is there.

        Raises Refusal, or ClientGone.
        """
        self._admit()
        try:
            self.content = await self.body.read(
                LIMITS.body_bytes, self._sandboxes.memory
            )
        except TooLarge as error:
            expected = f"at most {LIMITS.body_bytes} bytes"
            raise BodyTooLarge(expected, str(error), "body") from None
        if self.sandbox.state is not self.state:
            self.readmit()

    def readmit(self) -> None:
        """Admit the request again if the state it was admitted under was replaced.

        Its answer is to be that of one moment. Raises Refusal.
        """
        if self.sandbox.state is not self.state:
            self._identify()
            self._admit()

    def _identify(self) -> None:
        sandboxes = self._sandboxes
        found = sandboxes.of_key(self.key) if self.key else None
        self.sandbox = found or sandboxes.default
        self.state = self.sandbox.state

    def _admit(self) -> None:
        """The checks before the body, in their order. Raises Refusal."""
        scope, target, choices = self.scope, self.target, self.state.choices
        if target is None or (target.is_legacy and choices.legacy_paths == "off"):
            raise unknown_route(scope["path"])
        operation = target.operation
        if scope["method"] != operation.method and choices.method_mismatch == "reject":
            raise MethodNotAllowed(operation.method, describe_value(scope["method"]))
        key = bearer_token(scope["headers"]) if self.key is None else self.key
        self.caller = authorize(key, self.state)
        if not self.head.is_json:
            check_content_type(scope["headers"], choices)
