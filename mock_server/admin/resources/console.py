"""Serves pages and documents of the package: console, demo, OpenAPI, fixture schema.

The console is a page for browsers, with scripts and styles in the folder
`mock_server/console`. Its files contain no secrets, so they need no admin token; the
routes with the page's data do.

The demo is a small front end in the folder `mock_server/demo`, served at `/demo/`. It
is an ordinary client: it calls only the two operations.
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
from mock_server.fixture.document import published_schema

routes, schema_routes = Routes(), Routes()

PAGE = "/"
_FOLDER = "/console/"
FILE = f"{_FOLDER}{{file}}"

# The page shows data of clients, which may be hostile. So it runs only its own scripts,
# connects only to this server, cannot be framed, and parses no text as markup. It may
# show the demo in a frame.
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
"""The path of the demo and of its files."""
# Two differences to the console's policy: the demo may call a server of another origin,
# by CORS, like any front end; and the console may show the demo in a frame.
_DEMO_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src *; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def is_file(path: str) -> bool:
    """Return whether a path below `/__admin` is the console or one of its files."""
    is_inside = path.startswith(_FOLDER)
    return path == PAGE or (is_inside and path.removeprefix(_FOLDER) in _CONSOLE.names)


class PageRedirect:
    """ASGI middleware: redirects a browser to a page, passes other requests on."""

    def __init__(self, app: ASGIApp, page: str) -> None:
        self._app = app
        # Other clients get another response from this address (RFC 9110 12.5.5).
        self._headers = (b"location", page.encode()), (b"vary", b"accept")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Only a browser that opens an address accepts text/html by name. Other clients,
        # such as fetch, accept anything, and must reach the mock server.
        accepted = b",".join(values(scope["headers"], b"accept"))
        if scope["method"] == "GET" and b"text/html" in accepted:
            # Not 301 or 308, because browsers may cache these (RFC 9110 15.1).
            redirect = Response(307, b"", self._headers)
            await respond(redirect, scope, receive, send)
        else:
            await self._app(scope, receive, send)


class Demo:
    """The ASGI application at `/demo/`, without journal and faults."""

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


@routes.add("GET", PAGE, media_types=("text/html",), is_global=True)
def get_page(call: Call) -> Response:
    """Open the console, a page for browsers."""
    return _CONSOLE.file(call.scope)


@routes.add(
    "GET", FILE, media_types=MEDIA_TYPES, errors=(RouteNotFound,), is_global=True
)
def get_file(call: Call) -> Response:
    """Read a file of the console."""
    name = call.path["file"]
    # The page has one address only, because its links to files are relative.
    if name not in _CONSOLE.names or name == INDEX:
        raise RouteNotFound.of(name, "a file of the console", "path")
    return _CONSOLE.file(call.scope, name)


@routes.add("GET", "/openapi.json", is_global=True)
def get_openapi(_: Call) -> Raw:
    """Read the OpenAPI document of the admin API."""
    return Raw(document("admin"))


@schema_routes.add("GET", "/schema", is_global=True)
def get_schema(_: Call) -> Raw:
    """Read the JSON Schema of fixtures, for editors.

    What `mock-server schema` prints.
    """
    return Raw(published_schema())
