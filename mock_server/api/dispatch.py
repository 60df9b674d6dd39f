"""Passes each request to the application that serves it, by path and header Origin."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.bound import BOUND, bind
from mock_server.api.context import NOTES, ScopeNotes
from mock_server.api.headers import Heads
from mock_server.api.operations.routing import DESCRIPTION, OWN
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.sandboxes.registry import Sandboxes

# As a number, because searching bytes for bytes is slower.
_PERCENT = ord("%")


class Dispatch:
    """Serves its own paths, and passes every other request to the public API.

    Paths are compared as they were sent: `%2F` differs from `/`, and `%5f` from `_`.
    """

    def __init__(
        self,
        sandboxes: Sandboxes,
        public: ASGIApp,
        public_for_pages: ASGIApp,
        own: Mapping[str, ASGIApp],
    ) -> None:
        """`public_for_pages` is the public API for an Origin or a bound address.

        `own` are applications by path; a path that ends with `/` includes all below it.
        """
        self.sandboxes = sandboxes
        self._public = public
        self._public_for_pages = public_for_pages
        self._own = own
        self._below = tuple(each for each in own if each.endswith("/") and each != "/")
        self._head_parser = Heads(sandboxes.limits)
        first = (OWN, *self._below)
        self._spec_paths = {
            path
            for path in OPERATIONS.by_path
            if path not in own and not path.startswith(first)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _handle_other_protocol(scope["type"], receive, send)
            return
        raw = scope.get("raw_path") or b""
        if _PERCENT in raw:
            # Some servers leave the query in `raw_path`. Change this scope, not a copy:
            # the request log reads the notes in it.
            scope["path"] = raw.partition(b"?")[0].decode("latin-1")
        head, path = self._head_parser.of(scope), scope["path"]
        scope[NOTES] = ScopeNotes(head)
        # Check first for paths of the spec, which nearly all requests have.
        if path in self._spec_paths and not head.has_origin:
            await self._public(scope, receive, send)
        elif path.startswith(self._below):
            folder = next(each for each in self._below if path.startswith(each))
            scope["root_path"] = folder[:-1]
            await self._own[folder](scope, receive, send)
        elif path in self._own:
            await self._own[path](scope, receive, send)
        elif path.startswith(BOUND):
            bind(scope, path, self.sandboxes)
            is_described = scope["path"] == DESCRIPTION
            serve = self._own[DESCRIPTION] if is_described else self._public_for_pages
            await serve(scope, receive, send)
        elif head.has_origin or path.startswith(OWN):  # only pages have an origin
            await self._public_for_pages(scope, receive, send)
        else:
            await self._public(scope, receive, send)


async def _handle_other_protocol(kind: str, receive: Receive, send: Send) -> None:
    """Respond to a server's start and stop, and close web sockets."""
    if kind != "lifespan":
        await send({"type": "websocket.close"})
        return
    while True:
        message = (await receive())["type"]
        await send({"type": f"{message}.complete"})
        if message == "lifespan.shutdown":
            return
