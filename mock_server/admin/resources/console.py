"""Files of the package, served as they are: the console, and the OpenAPI document.

The console is a page for browsers, with its scripts and styles in the folder
`mock_server/console`. They are the same for everybody and hold no secret, so they need
no token; what the page shows comes from the other routes, which do.
"""

from msgspec import Raw
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.endpoint import respond
from mock_server.admin.framework import AdminRoute, Call
from mock_server.api.description import document
from mock_server.api.errors import RouteNotFound
from mock_server.api.headers import values
from mock_server.api.pages import INDEX, MEDIA_TYPES, Page
from mock_server.api.request import RequestBody
from mock_server.api.response import Response
from mock_server.domain.errors import describe_value

PAGE = "/"
FILES = "/console/{file}", "/console/{folder}/{file}"
_FOLDER = "/console/"

# What the page shows comes from clients, who may be hostile. So it runs only its own
# scripts, talks only to this server, is shown in no frame, makes no markup of a text.
# In a frame of its own it may show the demo.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_CONSOLE = Page(
    "console",
    (
        (b"content-security-policy", _POLICY.encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"referrer-policy", b"no-referrer"),
    ),
)


def is_file(path: str) -> bool:
    """Whether a path below `/__admin` is that of the page or one of its files."""
    return path == PAGE or path.removeprefix(_FOLDER) in _CONSOLE.names


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
            await respond(redirect, RequestBody.of(scope, receive), send)
        else:
            await self._app(scope, receive, send)


def get_page(call: Call) -> Response:
    """`GET /`: the page."""
    return _CONSOLE.file(call.scope)


def get_file(call: Call) -> Response:
    """`GET console/{folder}/{file}`: a script, a style or the icon of the page."""
    parts = call.path
    name = "/".join(parts[each] for each in ("folder", "file") if each in parts)
    # The page has one address: from another it would not find its files.
    if name not in _CONSOLE.names or name == INDEX:
        raise RouteNotFound("a file of the console", describe_value(name), "path")
    return _CONSOLE.file(call.scope, name)


def get_openapi(_: Call) -> Raw:
    """`GET openapi.json`: the description of the admin API."""
    return Raw(document("admin"))


ROUTES = (
    AdminRoute(
        "GET",
        "/openapi.json",
        get_openapi,
        Raw,
        "Read this description",
        is_global=True,
    ),
    AdminRoute(
        "GET",
        PAGE,
        get_page,
        Response,
        "Open the console, a page for browsers",
        gives=("text/html",),
        is_global=True,
    ),
    *(
        AdminRoute(
            "GET",
            path,
            get_file,
            Response,
            "Read a file of the console",
            gives=MEDIA_TYPES,
            errors=(RouteNotFound,),
            is_global=True,
        )
        for path in FILES
    ),
)
