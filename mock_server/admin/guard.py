"""Checks Host, origin and admin token of every admin request.

The guard wraps the router, so every route is checked. Missing CORS headers are not
enough protection: a web page can change data without reading the response, and a page
can bind its own host name to this address (DNS rebinding).
"""

import hmac
import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.endpoint import respond
from mock_server.admin.framework import ADMITTED
from mock_server.admin.resources import console
from mock_server.api.errors import (
    ForeignHost,
    ForeignOrigin,
    MissingAuthorization,
    UnknownKey,
)
from mock_server.api.headers import bearer_token, values
from mock_server.domain.access import KEY_PATTERN
from mock_server.domain.errors import Refusal

_NAME = r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?"
# A port may be empty (RFC 3986 3.2.3).
_HOST = re.compile(rf"(?:\[(.+)\]|({_NAME}))(?::[0-9]{{0,5}})?", re.IGNORECASE)
_OWN_PAGE = "a page of this server"
_FOREIGN = "call it from the test's own process, or by a proxy on the page's own origin"
_IN_CLI = "commands take it as --admin-token, or MOCK_SERVER_ADMIN_TOKEN"
OPEN_PATHS = ("/health",)
"""Paths that need no token, besides the files of the console."""


class Guard:
    """ASGI middleware: passes a request on, or refuses it with 401, 403 or 421."""

    def __init__(
        self, app: ASGIApp, *, token: str | None, allowed_hosts: Collection[str] = ()
    ) -> None:
        """Raises ValueError for a token or a host that no request can send."""
        if token is not None and not re.fullmatch(KEY_PATTERN, token):
            raise ValueError(
                "Expected an admin token of visible ASCII without spaces or commas"
            )
        for host in allowed_hosts:
            check_host(host)
        self._app = app
        self._token = token
        self._hosts = {host.lower().rstrip(".") for host in allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._check(scope)
        except Refusal as refusal:
            await respond(refusal, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        """Raise ForeignHost, ForeignOrigin, MissingAuthorization or UnknownKey."""
        hosts = values(scope["headers"], b"host")
        host = hosts[0].decode("latin-1") if len(hosts) == 1 else ""
        if not self._is_own_host(host):
            hint = "name further hosts by --allowed-host"
            raise ForeignHost.of(host, "a host of this server", "header Host", hint)
        # Checked after Host, with which the origin is compared: a page under a rebound
        # name has the same name in both.
        self._check_origin(scope, host)
        try:
            self._check_token(scope)
        except Refusal:
            route = _route(scope)
            if route not in OPEN_PATHS and not console.is_file(route):
                raise
        else:
            scope[ADMITTED] = True

    def _check_token(self, scope: Scope) -> None:
        """Raise MissingAuthorization or UnknownKey without the admin token."""
        if self._token is None:
            return
        try:
            token = bearer_token(scope["headers"]).encode()
        except MissingAuthorization as refusal:
            # The usual message would ask for an API key, which does not help here.
            expected = "the admin token, as header `Authorization: Bearer TOKEN`"
            got = (
                "one without it"
                if values(scope["headers"], b"authorization")
                else "none"
            )
            raise MissingAuthorization(expected, got, refusal.place, _IN_CLI) from None
        # Compared as bytes, because compare_digest refuses texts that are not ASCII.
        if not hmac.compare_digest(token, self._token.encode()):
            place = "header Authorization"
            raise UnknownKey("the admin token", "another", place, _IN_CLI)

    def _is_own_host(self, host: str) -> bool:
        """Return whether a Host is an IP address, has no dot, or is allowed."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        if match[1]:
            return _is_address(match[1], IPv6Address)
        # A dot at the end does not change the name (RFC 1034 3.1).
        name = match[2].lower().rstrip(".")
        # No public page has a host name without a dot.
        is_known = "." not in name or name in self._hosts
        return is_known or _is_address(name, IPv4Address)

    def _check_origin(self, scope: Scope, host: str) -> None:
        """Raise ForeignOrigin if a page of another origin has sent the request."""
        # Browsers send Origin with every request that may change data. Both schemes are
        # ours, because a proxy in front of this server may use TLS.
        own_origins = f"http://{host}".lower(), f"https://{host}".lower()
        for origin in values(scope["headers"], b"origin"):
            if origin.decode("latin-1").lower() not in own_origins:
                got = origin.decode("latin-1")
                raise ForeignOrigin.of(got, _OWN_PAGE, "header Origin", _FOREIGN)
        if _opens_console(scope):
            return
        # A GET without Origin, as for an image, has Sec-Fetch-Site. A page on another
        # port of this host is `same-site`.
        for site in values(scope["headers"], b"sec-fetch-site"):
            if site in (b"cross-site", b"same-site"):
                got, place = site.decode("ascii"), "header Sec-Fetch-Site"
                raise ForeignOrigin.of(got, _OWN_PAGE, place, _FOREIGN)


def check_host(name: str) -> None:
    """Raise ValueError if the text is not a host name."""
    if not re.fullmatch(_NAME, name, re.IGNORECASE):
        raise ValueError(f"Expected a host name without port, got {name!r}")


def _opens_console(scope: Scope) -> bool:
    """Return whether a browser opens the console in a window, as after a click.

    The page with the link cannot read such a response.
    """
    mode, destination = (
        values(scope["headers"], name)
        for name in (b"sec-fetch-mode", b"sec-fetch-dest")
    )
    is_window = (*mode, *destination) == (b"navigate", b"document")
    return scope["method"] == "GET" and _route(scope) == console.PAGE and is_window


def _route(scope: Scope) -> str:
    """Return the path below the mount point of the admin app."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _is_address(text: str, address_type: type[IPv4Address | IPv6Address]) -> bool:
    try:
        address_type(text)
    except ValueError:
        return False
    return "%" not in text  # a zone is no part of a Host (RFC 9110 7.2)
