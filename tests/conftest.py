"""Fixtures of all tests: an API over every face, in process and on real sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from hypothesis import settings
from starlette.testclient import TestClient

from mock_server.app import create_app
from mock_server.server import running
from mock_server.wire.protocol import HttpParser
from tests.support import LIBRARY, PLAIN, Api, Switch

pytest_plugins = ["pytester"]
# How long something takes is for benchmarks to say.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
MakeApi = Callable[..., Api]


@pytest.fixture(scope="session")
def live() -> Iterator[Callable[[HttpParser], tuple[Switch, str]]]:
    """One real server per HTTP parser; its application can be switched."""
    with ExitStack() as stack:
        servers: dict[HttpParser, tuple[Switch, str]] = {}

        def server(http: HttpParser) -> tuple[Switch, str]:
            if http not in servers:
                switch = Switch()
                url = stack.enter_context(running(switch, http=http))
                servers[http] = switch, url
            return servers[http]

        yield server


@pytest.fixture(params=["asgi", "zttp", "h11"])
def face(request: pytest.FixtureRequest) -> str:
    """In process, or over a socket with either parser."""
    return str(request.param)


@pytest.fixture
def make_api(face: str, live: Callable[[str], tuple[Switch, str]]) -> Iterator[MakeApi]:
    """Makes an API over a fixture, by default the library."""
    with ExitStack() as stack:

        def make(fixture: Any = LIBRARY, **options: Any) -> Api:
            app = create_app(fixture, **options)
            client: httpx2.Client
            if face == "asgi":
                client = TestClient(app)
            else:
                switch, url = live(face)
                switch.app = app
                client = httpx2.Client(base_url=url, verify=PLAIN)
            return Api(stack.enter_context(client), app.state.sandbox)

        yield make


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    """The library under profile `documented`."""
    return make_api()
