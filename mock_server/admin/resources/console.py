"""The console: a page for browsers, and the few files that it is made of.

They lie in the folder `console` beside the packages, are the same for everybody and
hold no secret, so that none of them needs the token; what the page shows comes from
the other routes, which do.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.framework import AdminRoute, Call
from mock_server.admin.responses import respond
from mock_server.api.errors import RouteNotFound
from mock_server.api.headers import Header, values
from mock_server.api.request import RequestBody
from mock_server.api.response import Response
from mock_server.domain.errors import describe_value

PAGE, FILE = "/", "/console/{file}"
INDEX = "index.html"
FILES = {
    b"text/css; charset=utf-8": ("style.css", "parts.css"),
    b"image/svg+xml": ("icon.svg",),
    b"text/javascript; charset=utf-8": (
        "api.js",
        "app.js",
        "branch.js",
        "choices.js",
        "clock.js",
        "curl.js",
        "dom.js",
        "drawer.js",
        "entry.js",
        "faults.js",
        "form.js",
        "notice.js",
        "record.js",
        "requests.js",
        "sandboxes.js",
        "schema.js",
        "snapshots.js",
        "stream.js",
        "token.js",
        "tree.js",
        "try.js",
    ),
}
"""The names that FILE takes, by media type. There are no others: it is no path."""
PATHS = frozenset(
    (PAGE, *(FILE.format(file=name) for names in FILES.values() for name in names))
)
"""Where all of it is served: what needs no token."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)


class ToConsole:
    """Sends a browser that opens an address to the console; hands on all others."""

    def __init__(self, app: ASGIApp, console: str) -> None:
        self._app = app
        self._headers = (b"location", console.encode()), (b"vary", b"accept")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = b",".join(values(scope["headers"], b"accept"))
        if scope["method"] == "GET" and b"text/html" in accepted:
            there = Response(307, b"", self._headers)
            await respond(there, RequestBody(scope, receive), send)
        else:
            await self._app(scope, receive, send)


def get_page(_: Call) -> Response:
    """`GET /`, without which nobody would find the rest."""
    return _file(INDEX, b"text/html; charset=utf-8")


def get_file(call: Call) -> Response:
    """`GET console/{file}`."""
    for media_type, names in FILES.items():
        if call.path["file"] in names:
            return _file(call.path["file"], media_type)
    raise RouteNotFound(
        "a file of the console", describe_value(call.path["file"]), "path"
    )


@cache
def _file(name: str, media_type: bytes) -> Response:
    """A file, read when it is first asked for."""
    content = files("mock_server").joinpath("console", name).read_bytes()
    return Response(200, content, _HEADERS, media_type)


ROUTES = (
    AdminRoute(
        "GET",
        PAGE,
        get_page,
        bytes,
        "The console, a page for browsers",
        gives=("text/html",),
        is_global=True,
    ),
    AdminRoute(
        "GET",
        FILE,
        get_file,
        bytes,
        "A file of the console",
        gives=("text/css", "image/svg+xml", "text/javascript"),
        errors=(RouteNotFound,),
        is_global=True,
    ),
)
