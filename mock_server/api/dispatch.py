"""Passes each request to the application that serves it, by path and header Origin."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.bound_address import BOUND_PREFIX, bind
from mock_server.api.context import NOTES, ScopeNotes
from mock_server.api.headers import HeaderParser
from mock_server.api.operations.routing import DESCRIPTION, PREFIX
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.sandboxes.registry import Sandboxes

# As a number, because searching bytes for bytes is slower.
_PERCENT = ord("%")


class Dispatcher:
    """Serves its own paths, and passes every other request to the public API.

    Paths are compared as they were sent: `%2F` differs from `/`, and `%5f` from `_`.
    """

    def __init__(
        self,
        sandboxes: Sandboxes,
        public_app: ASGIApp,
        public_app_for_pages: ASGIApp,
        apps: Mapping[str, ASGIApp],
    ) -> None:
        """`public_app_for_pages` is the public API for an Origin or a bound address.

        `apps` are those by path; a path that ends with `/` includes all below it.
        """
        self.sandboxes = sandboxes
        self._public_app = public_app
        self._public_app_for_pages = public_app_for_pages
        self._apps = apps
        self._roots = tuple(each for each in apps if each.endswith("/") and each != "/")
        self._head_parser = HeaderParser(sandboxes.limits)
        prefixes = (PREFIX, *self._roots)
        self._spec_paths = {
            path
            for path in OPERATIONS.by_path
            if path not in apps and not path.startswith(prefixes)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _handle_other_protocol(scope["type"], receive, send)
            return
        raw_path = scope.get("raw_path") or b""
        if _PERCENT in raw_path:
            # Some servers leave the query in `raw_path`. Change this scope, not a copy:
            # the request log reads the notes in it.
            scope["path"] = raw_path.partition(b"?")[0].decode("latin-1")
        head, path = self._head_parser.parse(scope), scope["path"]
        scope[NOTES] = ScopeNotes(head)
        # Check first for paths of the spec, which nearly all requests have.
        if path in self._spec_paths and not head.has_origin:
            await self._public_app(scope, receive, send)
        elif path.startswith(self._roots):
            folder = next(each for each in self._roots if path.startswith(each))
            scope["root_path"] = folder[:-1]
            await self._apps[folder](scope, receive, send)
        elif path in self._apps:
            await self._apps[path](scope, receive, send)
        elif path.startswith(BOUND_PREFIX):
            bind(scope, path, self.sandboxes)
            is_described = scope["path"] == DESCRIPTION
            app = (
                self._apps[DESCRIPTION] if is_described else self._public_app_for_pages
            )
            await app(scope, receive, send)
        elif head.has_origin or path.startswith(PREFIX):  # only pages have an origin
            await self._public_app_for_pages(scope, receive, send)
        else:
            await self._public_app(scope, receive, send)


async def _handle_other_protocol(scope_type: str, receive: Receive, send: Send) -> None:
    """Respond to a server's start and stop, and close web sockets."""
    if scope_type != "lifespan":
        await send({"type": "websocket.close"})
        return
    while True:
        message = (await receive())["type"]
        await send({"type": f"{message}.complete"})
        if message == "lifespan.shutdown":
            return
