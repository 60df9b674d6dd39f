"""The demo: a small front end in the folder `mock_server/demo`, served at `/demo/`.

It is a client like any other, made as customers make theirs: it knows the operations
and no more. Its files are the same for everybody and hold no secret.
"""

from starlette.types import Receive, Scope, Send

from mock_server.admin.endpoint import plain_error, respond
from mock_server.api.errors import MethodNotAllowed, RouteNotFound
from mock_server.api.pages import INDEX, Page
from mock_server.api.request import RequestBody
from mock_server.api.response import Response
from mock_server.domain.errors import Refusal, describe_value

DEMO = "/demo/"
"""Where it is; its files are below."""

# As that of the console, but for two. Its reader may have it call a server of another
# origin, as front ends do: that goes by CORS, and is what is to be tried. And the
# console shows it in a frame.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src *; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class Demo:
    """The ASGI application at `/demo/`: in no journal, and no fault meets it."""

    def __init__(self) -> None:
        policy = (b"content-security-policy", _POLICY.encode())
        self._page = Page("demo", (policy, (b"referrer-policy", b"no-referrer")))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = self._response(scope)
        except Refusal as refusal:
            response = plain_error(refusal)
        await respond(response, RequestBody.of(scope, receive), send)

    def _response(self, scope: Scope) -> Response:
        """The page or a file. Raises RouteNotFound, MethodNotAllowed."""
        method, name = scope["method"], scope["path"].removeprefix(DEMO)
        if name not in {"", *self._page.names} - {INDEX}:
            raise RouteNotFound("a file of the demo", describe_value(name), "path")
        if method not in ("GET", "HEAD"):
            raise MethodNotAllowed("GET", describe_value(method))
        return self._page.file(scope, name or INDEX)
