"""Pages and documents of the package: the console, the demo, two descriptions.

The console is a page for browsers, with its scripts and styles in the folder
`mock_server/console`. They are the same for everybody and hold no secret, so they need
no token; what the page shows comes from the other routes, which do.

The demo is a small front end in the folder `mock_server/demo`, served at `/demo/`. It
is a client like any other, made as customers make theirs: it knows the operations and
no more.
"""

from msgspec import Raw
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.endpoint import respond
from mock_server.admin.framework import Call, Routes
from mock_server.api.description import document
from mock_server.api.errors import MethodNotAllowed, RouteNotFound
from mock_server.api.headers import values
from mock_server.api.pages import INDEX, MEDIA_TYPES, Page
from mock_server.api.response import Response
from mock_server.domain.errors import Refusal
from mock_server.domain.messages import describe_value
from mock_server.fixture.document import published

routes, schema_routes = Routes(), Routes()

PAGE = "/"
_FOLDER = "/console/"
FILE = f"{_FOLDER}{{file}}"

# What the page shows comes from clients, who may be hostile. So it runs only its own
# scripts, talks only to this server, is shown in no frame, makes no markup of a text.
# In a frame of its own it may show the demo.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)
_CONSOLE = Page("console", _HEADERS)
DEMO = "/demo/"
"""Where the demo is; its files are below."""
# As that of the console, but for two. Its reader may have it call a server of another
# origin, as front ends do: that goes by CORS, and is what is to be tried. And the
# console shows it in a frame.
_DEMO_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src *; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def is_file(path: str) -> bool:
    """Whether a path below `/__admin` is that of the page or one of its files."""
    is_inside = path.startswith(_FOLDER)
    return path == PAGE or (is_inside and path.removeprefix(_FOLDER) in _CONSOLE.names)


class PageRedirect:
    """ASGI middleware: sends a browser on to a page, hands on all others."""

    def __init__(self, app: ASGIApp, page: str) -> None:
        self._app = app
        # The same address answers other clients otherwise (RFC 9110 12.5.5).
        self._headers = (b"location", page.encode()), (b"vary", b"accept")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Only who opens an address in a browser asks for a page: fetch and other
        # clients accept anything, and are to meet the server that is mocked.
        accepted = b",".join(values(scope["headers"], b"accept"))
        if scope["method"] == "GET" and b"text/html" in accepted:
            # Not 301 or 308: those may be cached unless told otherwise (RFC 9110 15.1).
            redirect = Response(307, b"", self._headers)
            await respond(redirect, scope, receive, send)
        else:
            await self._app(scope, receive, send)


class Demo:
    """The ASGI application at `/demo/`: in no journal, and no fault meets it."""

    def __init__(self) -> None:
        policy = (b"content-security-policy", _DEMO_POLICY.encode())
        self._page = Page("demo", (policy, (b"referrer-policy", b"no-referrer")))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response: Response | Refusal
        method, name = scope["method"], scope["path"].removeprefix(DEMO)
        if name not in {"", *self._page.names} - {INDEX}:
            response = RouteNotFound.of(name, "a file of the demo", "path")
        elif method not in ("GET", "HEAD"):
            response = MethodNotAllowed("GET", describe_value(method))
        else:
            response = self._page.file(scope, name or INDEX)
        await respond(response, scope, receive, send)


@routes.add("GET", PAGE, gives=("text/html",), is_global=True)
def get_page(call: Call) -> Response:
    """Open the console, a page for browsers."""
    return _CONSOLE.file(call.scope)


@routes.add("GET", FILE, gives=MEDIA_TYPES, errors=(RouteNotFound,), is_global=True)
def get_file(call: Call) -> Response:
    """Read a file of the console."""
    name = call.path["file"]
    # The page has one address: from another it would not find its files.
    if name not in _CONSOLE.names or name == INDEX:
        raise RouteNotFound.of(name, "a file of the console", "path")
    return _CONSOLE.file(call.scope, name)


@routes.add("GET", "/openapi.json", is_global=True)
def get_openapi(_: Call) -> Raw:
    """Read this description."""
    return Raw(document("admin"))


@schema_routes.add("GET", "/schema", is_global=True)
def get_schema(_: Call) -> Raw:
    """Read the JSON Schema of fixtures, for editors.

    What `mock-server schema` prints.
    """
    return Raw(published())
