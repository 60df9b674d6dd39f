"""Addresses that are bound to a sandbox: `/__sandboxes/NAME` in front of a path.

What is sent below such an address lands in that sandbox, whatever its key: there it
counts or is refused as on a server that holds nothing else.
"""

from starlette.types import Receive, Scope, Send

from mock_server.api.application import PublicApi
from mock_server.api.context import BOUND_TO, RequestContext
from mock_server.api.headers import ParsedHeaders
from mock_server.api.operations.operation import Operation
from mock_server.api.request import RequestBody
from mock_server.api.response import error_response, send_response
from mock_server.domain.errors import SandboxNotFound, describe_value
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes

BOUND = "/__sandboxes/"
"""What such an address begins with; the name of the sandbox follows."""


def bind(scope: Scope, path: str, sandboxes: Sandboxes) -> None:
    """Bind a request to the sandbox that its path, as it was sent, names.

    If there is one, the request goes on at the rest of the path. That is said in the
    scope itself: the request log stands around all applications, and reads it too.
    """
    name, slash, rest = path.removeprefix(BOUND).partition("/")
    scope[BOUND_TO] = name
    if sandboxes.find(name) is not None:
        scope["path"] = slash + rest
        scope["raw_path"] = scope["path"].encode()


class BoundApi(PublicApi):
    """Responds to the requests that are bound to a sandbox (`bind`)."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._sandboxes.find(scope[BOUND_TO]) is not None:
            await super().__call__(scope, receive, send)
            return
        # In no journal: it is none of the other sandboxes' business.
        refusal = _no_sandbox(scope[BOUND_TO])
        response = error_response(refusal, self._sandboxes.default.choices)
        await send_response(response, RequestBody.of(scope, receive), send)

    def _sandbox_of(self, scope: Scope, headers: ParsedHeaders) -> Sandbox:
        """The sandbox of the address. Raises SandboxNotFound."""
        del headers
        found = self._sandboxes.find(scope[BOUND_TO])
        if found is None:
            raise _no_sandbox(scope[BOUND_TO])
        return found

    def _led_by_login(self, request: RequestContext) -> Operation:
        """The operation in the same sandbox. Raises RouteNotFound."""
        return self._operations.at(request.scope["path"], request.state.choices)


def _no_sandbox(name: str) -> SandboxNotFound:
    expected = f"{BOUND} and the name of a sandbox"
    hint = "it has ended, or never was; GET /__admin/sandboxes lists those there are"
    return SandboxNotFound(expected, describe_value(name), "path", hint)
