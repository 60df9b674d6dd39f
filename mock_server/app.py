"""The application: the documented operations and the admin API."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Never

from starlette.types import ASGIApp

from mock_server.admin.app import AdminRouter
from mock_server.admin.framework import Services
from mock_server.admin.guard import Guard
from mock_server.admin.resources.console import DEMO, Demo, PageRedirect
from mock_server.api.application import PublicApi
from mock_server.api.description import Description
from mock_server.api.dispatch import Dispatcher
from mock_server.api.fixture_loading import load_fixture
from mock_server.api.middleware import CORS, ServerErrorMiddleware
from mock_server.api.operations.routing import DESCRIPTION
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.redaction import Secrets
from mock_server.api.slices import run_soon
from mock_server.domain.choices.choosing import as_profile, choose
from mock_server.domain.choices.table import Value
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.replies import NO_PACE, TYPING_PACE
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.wrong_calls import explained
from mock_server.fixture.source.files import FixtureLike

ROOT = "/"
ADMIN = "/__admin"
_ADMIN_PATHS = f"{ADMIN}/"


@explained
def create_app(
    fixture: FixtureData | FixtureLike | Sequence[FixtureLike] | None = None,
    *,
    profile: str = "documented",
    choices: Mapping[str, Value] | None = None,
    cors_origins: Collection[str] = ("*",),
    admin_token: str | None = None,
    allowed_hosts: Collection[str] = (),
    memory: int | None = None,
    limits: Limits = Limits(),
    demo: bool = False,
) -> Application:
    """Return an application with one fixture: a path, an object, several, or the demo.

    `memory` limits the bytes of all its data, by default to the limit in `limits`. With
    `demo` it serves the demo front end at `/demo/`, in place of any other path there,
    and streams replies at typing speed where the data sets no pace. Its `sandbox` is
    the default sandbox, its `sandboxes` all of them; `close` stops streams and loading.

    Raises FixtureError, and ValueError for an invalid setting (such as UnknownChoice).
    """
    if memory is not None:
        limits = replace(limits, memory_bytes=memory)
    environment = Environment(
        time.time_ns,
        time.monotonic,
        lambda: secrets.token_hex(16),
        limits,
        TYPING_PACE if demo else NO_PACE,
    )
    chosen = choose(profile, choices)
    data = _load(fixture, limits)
    data.prepare(chosen.list_order)
    sandboxes = Sandboxes(data, as_profile(profile), chosen, environment)
    return Application(sandboxes, cors_origins, admin_token, allowed_hosts, demo=demo)


def _load(
    fixture: FixtureData | FixtureLike | Sequence[FixtureLike] | None, limits: Limits
) -> FixtureData:
    limit = limits.memory_bytes
    if isinstance(fixture, FixtureData):
        # Loaded before, perhaps with a larger budget.
        if fixture.size > limit:
            expected = f"a memory of {fixture.size} bytes for the fixture"
            raise ValueError(f"Expected {expected}, got {limit}")
        return fixture
    if fixture is None:
        fixture = ()
    elif isinstance(fixture, str) or not isinstance(fixture, Sequence):
        fixture = (fixture,)
    return load_fixture(*fixture, max_bytes=limit, limits=limits)


class Application(Dispatcher):
    """Serves the public API, the admin API, and the server's other paths."""

    def __init__(
        self,
        sandboxes: Sandboxes,
        cors_origins: Collection[str] = (),
        token: str | None = None,
        allowed_hosts: Collection[str] = (),
        *,
        demo: bool = False,
    ) -> None:
        """The parameters are those of `create_app`."""
        self.secrets = Secrets(() if token is None else (token,))
        """The secrets that logs must not show."""
        sandboxes.memory.run_soon = run_soon
        self.demo = DEMO if demo else None
        """Path of the demo front end, None if it is not served."""
        services = Services(sandboxes, self.secrets, self.demo)
        self.loader, self.reloader = services.loader, services.reloader
        self.close = services.close
        """Ends streams and loading."""
        router = AdminRouter(services)
        guard = Guard(router, token=token, allowed_hosts=allowed_hosts)
        admin = ServerErrorMiddleware(guard)
        public = PublicApi(sandboxes, OPERATIONS, self.secrets)
        pages = CORS(public, cors_origins)
        described = ServerErrorMiddleware(Description(sandboxes))
        apps: dict[str, ASGIApp] = {
            ROOT: PageRedirect(pages, _ADMIN_PATHS),
            DESCRIPTION: CORS(described, cors_origins),
            ADMIN: PageRedirect(admin, _ADMIN_PATHS),
            # Without CORS: pages of other origins must not call it.
            _ADMIN_PATHS: admin,
        }
        if demo:
            apps[DEMO[:-1]] = PageRedirect(pages, DEMO)
            apps[DEMO] = ServerErrorMiddleware(Demo())
        super().__init__(sandboxes, public, pages, apps)

    def __enter__(self) -> Never:
        advice = "write `with MockServer(...) as server`"
        raise TypeError(f"an application listens at no address: {advice}")

    __exit__ = __enter__

    @property
    def sandbox(self) -> Sandbox:
        """The default sandbox."""
        return self.sandboxes.default
