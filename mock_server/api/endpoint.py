"""The ASGI endpoint of one operation: the order in which a request is checked."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

from mock_server.api.answers import Answer, sandbox_headers, write
from mock_server.api.auth import authorize
from mock_server.api.body import ClientGone, NotJson, RequestBody, TooLarge, read_object
from mock_server.api.content_type import check_content_type
from mock_server.api.envelope import success
from mock_server.api.errors import BadJson, BodyTooLarge, MethodNotAllowed, refused
from mock_server.api.fields import check_integers
from mock_server.api.not_found import unknown_route
from mock_server.api.operations import Operation
from mock_server.domain.errors import Refusal, show
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandbox import Sandbox


class Endpoint:
    """Serves one operation for a sandbox, at its path or at its legacy path."""

    def __init__(
        self, operation: Operation, sandbox: Sandbox, *, legacy: bool = False
    ) -> None:
        self._operation = operation
        self._sandbox = sandbox
        self._legacy = legacy
        self._write_data = operation.writer()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sandbox, body = self._sandbox, RequestBody(scope, receive)
        try:
            answer = Answer(200, success(await self._perform(scope, body)))
        except Refusal as refusal:
            answer = refused(refusal, sandbox.choices)
        except ClientGone:
            return
        await write(answer, body, send, sandbox_headers(sandbox))

    async def _perform(self, scope: Scope, body: RequestBody) -> bytes:
        """The data of a success, as JSON. Raises Refusal or ClientGone."""
        operation, sandbox = self._operation, self._sandbox
        if self._legacy and sandbox.choices.legacy_paths == "off":
            raise unknown_route(scope["path"])
        lenient = sandbox.choices.method_mismatch == "accept"
        if scope["method"] != operation.method and not lenient:
            raise MethodNotAllowed(operation.method, show(scope["method"]))
        caller = authorize(scope, sandbox)
        check_content_type(scope, sandbox.choices)
        fields = await _object(body)
        # From here on nothing awaits: what is read and what is written is one moment.
        request = operation.read(fields, sandbox.choices)
        data = operation.perform(sandbox, caller, request)
        return self._write_data(data, sandbox.choices)


async def _object(body: RequestBody) -> dict[str, object]:
    try:
        content = await body.read(LIMITS.body_bytes)
        fields = read_object(content)
        check_integers(content, fields)
        return fields
    except TooLarge as error:
        expected = f"at most {LIMITS.body_bytes} bytes"
        raise BodyTooLarge(expected, str(error), "body") from None
    except NotJson as error:
        raise BadJson("a JSON object", str(error), "$") from None
