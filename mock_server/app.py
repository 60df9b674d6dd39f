"""The Starlette application: the documented operations and the admin API."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import count

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.console import ToConsole
from mock_server.admin.events import Streams
from mock_server.admin.loads import Loads
from mock_server.admin.routes import admin_app
from mock_server.admin.sending import Sendings
from mock_server.api.cors import CORS
from mock_server.api.description import Description
from mock_server.api.examples import EXAMPLE_TIME, Recorded, Tour, recorded
from mock_server.api.head import read_head
from mock_server.api.last_resort import LastResort
from mock_server.api.public import PublicApi
from mock_server.api.redaction import ESCAPED_KEY_BYTES, Secrets
from mock_server.domain.choices import Choices, Value, as_profile, choose
from mock_server.domain.errors import CUT_MARK
from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import Memory
from mock_server.domain.outside import Outside
from mock_server.domain.sandboxes import Sandboxes
from mock_server.domain.store import Generation
from mock_server.fixture.files import FixtureLike, shipped
from mock_server.fixture.load import load_fixture

ROOT = "/"
ADMIN = "/__admin"
DESCRIPTION = "/openapi.json"
_ADMIN_PATHS = f"{ADMIN}/"


def create_app(
    fixture: Generation | FixtureLike | Sequence[FixtureLike] | None = None,
    *,
    profile: str = "documented",
    choices: Mapping[str, Value] | None = None,
    cors_origins: Collection[str] = ("*",),
    admin_token: str | None = None,
    allowed_hosts: Collection[str] = (),
    memory: int = LIMITS.memory_bytes,
) -> Starlette:
    """An application over one fixture: a path, a document, several, or the demo.

    `memory` is how many bytes all its data may take. Its `state.sandbox` is the
    default sandbox, its `state.sandboxes` all of them; `state.close` ends what has no
    end of its own. Raises FixtureError, and ValueError for a setting that cannot be
    (UnknownChoice among them).
    """
    outside = Outside(_milliseconds, time.monotonic, lambda: secrets.token_hex(16))
    chosen, generation = choose(profile, choices), _load(fixture, memory)
    if generation.size > memory:
        expected = f"a memory of {generation.size} bytes for the fixture"
        raise ValueError(f"Expected {expected}, got {memory}")
    generation.sort(chosen.list_order)
    profile = as_profile(profile)
    sandboxes = Sandboxes(generation, profile, chosen, outside, Memory(memory))
    return _application(sandboxes, cors_origins, admin_token, allowed_hosts)


def record(tours: Sequence[Tour]) -> list[Recorded]:
    """What servers of their own answer on tours; time stands still for them."""
    return [each for tour in tours for each in asyncio.run(_recorded(tour))]


async def _recorded(tour: Tour) -> list[Recorded]:
    number = count()
    outside = Outside(lambda: EXAMPLE_TIME, lambda: 0.0, lambda: f"{next(number):032x}")
    generation = load_fixture(shipped(tour.fixture))
    memory = Memory(tour.memory)
    sandboxes = Sandboxes(generation, "documented", Choices(), outside, memory)
    # There is no place to load what is large: that is an example too.
    loads = Loads(sandboxes.memory, places=0)
    app = _application(sandboxes, token=tour.admin_token, loads=loads)
    return await recorded(app, tour)


def _application(
    sandboxes: Sandboxes,
    cors_origins: Collection[str] = (),
    token: str | None = None,
    allowed_hosts: Collection[str] = (),
    loads: Loads | None = None,
) -> Starlette:
    streams, sendings = Streams(), Sendings()
    loads = loads or Loads(sandboxes.memory)
    hidden = Secrets(() if token is None else (token,))
    admin = LastResort(
        admin_app(
            sandboxes,
            streams,
            record,
            loads=loads,
            sendings=sendings,
            token=token,
            allowed_hosts=allowed_hosts,
        )
    )
    public = CORS(PublicApi(sandboxes, hidden), cors_origins)
    app = Application(
        public,
        routes=[
            Route(ROOT, ToConsole(public, _ADMIN_PATHS)),
            Route(DESCRIPTION, CORS(LastResort(Description(record)), cors_origins)),
            Route(ADMIN, ToConsole(admin, _ADMIN_PATHS)),
            Mount(ADMIN, admin),
        ],
    )
    app.router.redirect_slashes = False
    app.state.sandbox, app.state.sandboxes = sandboxes.default, sandboxes
    app.state.loads = loads
    app.state.close = partial(_close, streams, sendings, loads)
    app.state.redact = partial(_redact, sandboxes, hidden)
    return app


def _close(*ends: Streams | Sendings | Loads) -> None:
    """End what has no end of its own, and what may be far from it."""
    for each in ends:
        each.close()


def _redact(sandboxes: Sandboxes, secrets: Secrets, scope: Scope) -> tuple[str, str]:
    """The method and the path of a request as they may be logged."""
    key = read_head(scope["headers"]).key
    state = (sandboxes.of_key(key or "") or sandboxes.default).state
    found, longest = secrets.of(state, key), LIMITS.logged_chars
    texts = (
        found.redact(text[: longest + ESCAPED_KEY_BYTES]).decode("latin-1")
        for text in (scope["method"].encode(), scope["raw_path"])
    )
    method, path = (
        text if len(text) <= longest else text[:longest] + CUT_MARK for text in texts
    )
    return method, path


def _load(
    fixture: Generation | FixtureLike | Sequence[FixtureLike] | None, max_bytes: int
) -> Generation:
    if isinstance(fixture, Generation):
        return fixture
    if fixture is None:
        return load_fixture(max_bytes=max_bytes)
    if isinstance(fixture, Sequence) and not isinstance(fixture, str):
        return load_fixture(*fixture, max_bytes=max_bytes)
    return load_fixture(fixture, max_bytes=max_bytes)


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class Application(Starlette):
    """Routes what is its own, and hands every other request to the public API.

    Those meet nothing on their way: Starlette's middleware and routing would cost as
    much as an answer does. Paths are taken as they were sent: `%2F` is no slash and
    `%5f` no underscore.
    """

    def __init__(self, public: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        super().__init__(routes=routes)
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        raw = scope.get("raw_path") or b""
        if raw.find(b"%") >= 0:
            # Some servers leave the query in it.
            path = raw.partition(b"?")[0].decode("latin-1")
            scope = {**scope, "path": path}
        path = scope["path"]
        if path.startswith(_ADMIN_PATHS) or path in (ROOT, ADMIN, DESCRIPTION):
            await super().__call__(scope, receive, send)
        else:
            await self._public(scope, receive, send)
