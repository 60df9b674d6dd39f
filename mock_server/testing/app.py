"""What the pytest fixture `mock_server_app` gives to a test."""

from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.client import AdminClient
from mock_server.control.handle import MockServerFixture
from mock_server.control.in_process import in_process

__tracebackhide__ = True

URL = "http://mock-server"
"""The base address for clients: any would do, but for the Host that is admitted."""


class MockServerApp:
    """A mock server as an ASGI application, and `control`, which steers it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.control = MockServerFixture(AdminClient(URL, send=in_process(app)))

    @property
    def url(self) -> str:
        """A base address for clients that call the application."""
        return self.control.url

    @property
    def key(self) -> str:
        """An API key of level owner. Raises LookupError if there is none."""
        return self.control.key

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name: str) -> object:
            """Raises AttributeError; for what `control` has, it says so."""
            said = f"{type(self).__name__!r} object has no attribute {name!r}"
            hint = (
                f": use `.control.{name}`" if hasattr(MockServerFixture, name) else ""
            )
            raise AttributeError(said + hint)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
