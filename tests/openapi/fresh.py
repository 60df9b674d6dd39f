"""Servers for Schemathesis: the demo, with a key that it declares."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

from mock_server import Fault
from mock_server.app import Application, create_app
from mock_server.domain.choices.table import Choices
from mock_server.fixture.source.files import shipped_path

KEY, TOKEN = "fastgpt-owner", "s3cret"


def demo() -> Application:
    """The demo. It declares a key: only then is another key refused."""
    keys = {"keys": [{"key": KEY}]}
    return create_app([shipped_path("demo.yaml"), keys], admin_token=TOKEN)


class Fresh:
    """The demo, begun anew with every request, so that none can spoil the next.

    What examples name is always there: a sandbox, a snapshot, a fault.
    """

    def __init__(self) -> None:
        self._app = demo()
        self._sandboxes = self._app.sandboxes
        self._baseline = self._sandboxes.default.baseline

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._begin()
        await self._app(scope, receive, send)

    def _begin(self) -> None:
        default = self._sandboxes.default
        for each in self._sandboxes.all()[1:]:
            self._sandboxes.delete(each.name)
        default.begin(self._baseline, "documented", Choices())
        fault = Fault.of("reset", match={"key": "nobody's"})
        for each in (default, self._sandboxes.create("team")):
            each.take_snapshot("before")
            each.faults.add(fault)
