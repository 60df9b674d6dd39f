"""The application: the documented operations and the admin API."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.app import admin_app
from mock_server.admin.demo import DEMO, Demo
from mock_server.admin.framework import Metrics, Services
from mock_server.admin.loading import Loader
from mock_server.admin.resources.console import PageRedirect
from mock_server.api.application import PublicApi
from mock_server.api.bound import BOUND, BoundApi, bind
from mock_server.api.context import BOUND_TO
from mock_server.api.counting import CountingJournaling, Counts
from mock_server.api.declared_paths import DeclaredPaths
from mock_server.api.description import Description
from mock_server.api.fixture import load_fixture
from mock_server.api.headers import Heads
from mock_server.api.journaling import Journaling
from mock_server.api.middleware import CORS, ServerErrorMiddleware
from mock_server.api.operations.operation import DESCRIPTION, Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.redaction import (
    ESCAPED_KEY_BYTES,
    RequestSecrets,
    Secrets,
    redacted_text,
)
from mock_server.api.served import OWN
from mock_server.domain.choices import Value, as_profile, choose
from mock_server.domain.clock import Environment
from mock_server.domain.errors import CUT_MARK
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import DEFAULT, Sandboxes
from mock_server.fixture.files import FixtureLike

ROOT = "/"
ADMIN = "/__admin"
_ADMIN_PATHS = f"{ADMIN}/"
# As a number: to find bytes in bytes CPython first makes an error of their not being
# one, which takes 0.2 µs of the 7 that a request takes in process.
_PERCENT = ord("%")


class MissingLibrary(ImportError):
    """Something was asked for that needs an extra; the text says which."""


def create_app(
    fixture: Generation | FixtureLike | Sequence[FixtureLike] | None = None,
    *,
    profile: str = "documented",
    choices: Mapping[str, Value] | None = None,
    cors_origins: Collection[str] = ("*",),
    admin_token: str | None = None,
    allowed_hosts: Collection[str] = (),
    memory: int | None = None,
    limits: Limits = Limits(),
    operations: Operations = OPERATIONS,
    description: bytes | None = None,
    demo: bool = False,
    metrics: bool = False,
) -> Application:
    """An application over one fixture: a path, a document, several, or the demo.

    `memory` is how many bytes all its data may take, by default what `limits` say. With
    `demo` it serves the demo front end at `/demo/`, before all else of that path; with
    `metrics` it counts, and tells that at `/__admin/metrics`. It serves `operations`,
    and as their OpenAPI document the JSON of `description`, by default that of the
    shipped ones. Its `sandbox` is the default sandbox, its `sandboxes` all of them;
    `close` ends what would not end by itself.

    Raises FixtureError, and ValueError for a setting that cannot be (UnknownChoice
    among them), and MissingLibrary for metrics without the extra of that name.
    """
    if memory is not None:
        limits = replace(limits, memory_bytes=memory)
    environment = Environment(
        time.time_ns, time.monotonic, lambda: secrets.token_hex(16), limits
    )
    chosen = choose(profile, choices)
    generation = _load(fixture, limits, operations)
    generation.prepare(chosen.list_order)
    sandboxes = Sandboxes(generation, as_profile(profile), chosen, environment)
    return application(
        sandboxes,
        cors_origins,
        admin_token,
        allowed_hosts,
        operations=operations,
        description=description,
        demo=demo,
        metrics=metrics,
    )


def application(
    sandboxes: Sandboxes,
    cors_origins: Collection[str] = (),
    token: str | None = None,
    allowed_hosts: Collection[str] = (),
    loader: Loader | None = None,
    operations: Operations = OPERATIONS,
    description: bytes | None = None,
    demo: bool = False,
    metrics: bool = False,
) -> Application:
    """An application around sandboxes; `loader` loads large documents for it."""
    loader = loader or Loader(sandboxes.memory, sandboxes.limits, operations=operations)
    secrets = Secrets(() if token is None else (token,))
    served = sandboxes, operations, secrets
    enters, told = _counting(*served) if metrics else (None, None)
    front_end = DEMO if demo else None
    services = Services(sandboxes, loader, operations, secrets, front_end, told)
    admin = ServerErrorMiddleware(
        admin_app(services, token=token, allowed_hosts=allowed_hosts)
    )
    public = PublicApi(*served, enters)
    declared = DeclaredPaths(sandboxes)
    crossed = partial(
        CORS,
        origins=cors_origins,
        operations=operations,
        methods_at=declared.methods_at,
    )
    pages, bound = crossed(public), crossed(BoundApi(*served, enters))
    described = ServerErrorMiddleware(Description(description, declared.of))
    own: dict[str, ASGIApp] = {
        ROOT: PageRedirect(pages, _ADMIN_PATHS),
        DESCRIPTION: CORS(described, cors_origins),
        ADMIN: PageRedirect(admin, _ADMIN_PATHS),
        # Without CORS: pages of other origins have no business with it.
        _ADMIN_PATHS: admin,
    }
    if demo:
        own[DEMO[:-1]] = PageRedirect(pages, DEMO)
        own[DEMO] = ServerErrorMiddleware(Demo())
    return Application(services, public, pages, bound, own, secrets)


def _counting(
    sandboxes: Sandboxes, operations: Operations, secrets: Secrets
) -> tuple[Journaling, Metrics]:
    """Journaling that counts, and what tells it. Raises MissingLibrary."""
    try:
        # Who does without it must not need the library, nor start later for it.
        module = import_module("mock_server.admin.metrics")
    except ImportError as error:
        needed = "pip install 'fastgpt-mock-server[metrics]'"
        message = f"metrics need the library {error.name}: {needed}"
        raise MissingLibrary(message, name=error.name) from None
    counts = Counts()
    metrics: Metrics = module.Metrics(sandboxes, counts)
    enters = CountingJournaling(operations, secrets, sandboxes.limits, counts)
    return enters, metrics


def _load(
    fixture: Generation | FixtureLike | Sequence[FixtureLike] | None,
    limits: Limits,
    operations: Operations,
) -> Generation:
    """The generation of any fixture. Raises FixtureError, ValueError if it is large."""
    most = limits.memory_bytes
    if isinstance(fixture, Generation):
        # Loaded elsewhere, perhaps with a larger budget.
        if fixture.size > most:
            expected = f"a memory of {fixture.size} bytes for the fixture"
            raise ValueError(f"Expected {expected}, got {most}")
        return fixture
    if fixture is None:
        fixture = ()
    elif isinstance(fixture, str) or not isinstance(fixture, Sequence):
        fixture = (fixture,)
    return load_fixture(*fixture, max_bytes=most, limits=limits, operations=operations)


class Application:
    """Serves what is its own, and hands every other request to the public API.

    Paths are taken as they were sent: `%2F` is no slash and `%5f` no underscore.
    """

    def __init__(
        self,
        services: Services,
        public: ASGIApp,
        public_for_pages: ASGIApp,
        bound: ASGIApp,
        own: Mapping[str, ASGIApp],
        secrets: Secrets,
    ) -> None:
        """`services` is what `close` ends; `secrets` are kept out of the log.

        `public_for_pages` is `public` to requests that have an origin, `bound` to those
        of a sandbox's own address. `own` is served at its paths, and below those that
        end with a slash.
        """
        self.sandboxes = services.sandboxes
        self.loader = services.loader
        self.reloader = services.reloader
        self.operations = services.operations
        self.demo = services.demo
        self._services = services
        self._public = public
        self._public_for_pages = public_for_pages
        self._bound = bound
        self._own = own
        self._secrets = secrets
        self._heads = Heads(self.sandboxes.limits)
        self._below = (self.demo,) if self.demo else ()
        first = (OWN, *self._below)
        self._plain = {
            path
            for path in self.operations.by_path
            if path not in own and not path.startswith(first)
        }

    @property
    def sandbox(self) -> Sandbox:
        """The default sandbox."""
        return self.sandboxes.default

    def close(self) -> None:
        """End what would not end by itself: streams, downloads, loading."""
        self._services.close()

    def redact(self, scope: Scope) -> tuple[str, str]:
        """The method and the path of a request as they may be logged."""
        secrets = self._secrets_of(scope)
        longest = self.sandboxes.limits.logged_chars
        # Cut after the redaction, which does not find half a key; but first roughly, as
        # paths can be many times longer than what is shown.
        texts = (
            secrets.redact(text[: longest + ESCAPED_KEY_BYTES]).decode("latin-1")
            for text in (scope["method"].encode(), scope["raw_path"])
        )
        method, path = (
            text if len(text) <= longest else text[:longest] + CUT_MARK
            for text in texts
        )
        return method, path

    def redact_message(self, scope: Scope, message: str) -> str:
        """The message of a refusal as it may be logged."""
        longest = self.sandboxes.limits.logged_chars
        roughly = message[: longest + ESCAPED_KEY_BYTES]
        text = redacted_text(roughly, self._secrets_of(scope))
        return text if len(text) <= longest else text[:longest] + CUT_MARK

    def _secrets_of(self, scope: Scope) -> RequestSecrets:
        """What the log is not to show of a request."""
        key = self._heads.of(scope).key
        bound_to = scope.get(BOUND_TO)
        found = self.sandboxes.of_key(key or "") if bound_to is None else None
        found = found or self.sandboxes.find(bound_to or DEFAULT)
        state = (found or self.sandbox).state
        return self._secrets.of(state, key)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _other(scope["type"], receive, send)
            return
        raw = scope.get("raw_path") or b""
        if _PERCENT in raw:
            # Some servers leave the query in it. In no copy: what is noted in the scope
            # is for the request log, too.
            scope["path"] = raw.partition(b"?")[0].decode("latin-1")
        head, path = self._heads.of(scope), scope["path"]
        # Looked up first: all else of where a path leads takes 3 % of a request.
        if path in self._plain and not head.has_origin:
            await self._public(scope, receive, send)
        elif path.startswith(OWN):
            await self._serve_own(path, scope, receive, send)
        elif path in self._own:
            await self._own[path](scope, receive, send)
        elif path.startswith(self._below):
            await self._own[DEMO](scope, receive, send)
        elif head.has_origin:  # only pages have one
            await self._public_for_pages(scope, receive, send)
        else:
            await self._public(scope, receive, send)

    async def _serve_own(
        self, path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve a path that no service has."""
        if path == ADMIN:
            await self._own[ADMIN](scope, receive, send)
        elif path.startswith(_ADMIN_PATHS):
            scope["root_path"] = ADMIN
            await self._own[_ADMIN_PATHS](scope, receive, send)
        elif path.startswith(BOUND):
            bind(scope, path, self.sandboxes)
            is_described = scope["path"] == DESCRIPTION
            serve = self._own[DESCRIPTION] if is_described else self._bound
            await serve(scope, receive, send)
        else:
            await self._public_for_pages(scope, receive, send)


async def _other(kind: str, receive: Receive, send: Send) -> None:
    """Answer what is no request: a server's start and stop, or a web socket."""
    if kind != "lifespan":
        await send({"type": "websocket.close"})
        return
    while True:
        message = (await receive())["type"]
        await send({"type": f"{message}.complete"})
        if message == "lifespan.shutdown":
            return
