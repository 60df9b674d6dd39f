"""Web servers of tests, each an origin of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


class Silent(SimpleHTTPRequestHandler):
    """Serves the files of a folder, and says nothing."""

    def log_message(self, *args: Any) -> None:
        """Called for each request."""


@contextmanager
def site(handler: Any) -> Iterator[str]:
    """A web server whose requests a handler answers; gives its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def files(folder: Path) -> Any:
    """The handler of a site that serves the files of a folder."""
    return partial(Silent, directory=str(folder))
