"""Defines the control object, with which tests and programs control a server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from mock_server.admin import views
from mock_server.api.fixture_loading import load_fixture
from mock_server.control.answers import Answers
from mock_server.control.arguments import HiddenFrames
from mock_server.control.calls import Calls
from mock_server.control.client import AdminClient, Refused
from mock_server.control.clock import SandboxClock, field_value
from mock_server.control.faults import (
    AddedFault,
    FaultList,
    fault_hint,
    is_answer,
    issue_warnings,
)
from mock_server.control.json_body import to_json
from mock_server.control.names import Keys, SandboxChoices, Shares, quoted
from mock_server.control.objects import Records
from mock_server.domain.faults.definition import Definition
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.storage.store import Store
from mock_server.domain.wrong_calls import (
    NoBlock,
    ReadOnly,
    WrongValue,
    explained,
    hinted,
    no_application,
)
from mock_server.fixture.dump import to_document
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.source.files import FixtureLike

__tracebackhide__ = True

_MAX_KEYS = 3


@explained
class MockServerFixture(ReadOnly, NoBlock, Answers, Records, Calls):
    """Controls one sandbox, which `client` selects, on a running server.

    `url` is the base address for the client under test. Every method raises Refused,
    with the server's message, if the server refuses.
    """

    __call__: Callable[..., Any] = no_application

    def __init__(self, client: AdminClient) -> None:
        if isinstance(client, str):
            fix = f"write MockServerFixture(AdminClient({client!r}))"
            raise WrongValue(f"Expected an AdminClient, got {client!r}", fix)
        self._client = client
        self._cached_view: views.SandboxView | None = None
        self._snapshot_numbers = count(1)
        self._added_faults: list[AddedFault] = []
        # A reset and a load empty the journal, which strict tests have to read before.
        self._before_reset: Callable[[], object] | None = None

    @property
    def url(self) -> str:
        """The base URL for clients, at which they reach this sandbox."""
        base, sandbox = self._client.url.rstrip("/"), self._client.sandbox
        # With the sandbox, so that requests with a wrong API key reach it too.
        return f"{base}/__sandboxes/{quote(sandbox, safe='')}" if sandbox else base

    @property
    def key(self) -> str:
        """An owner's API key. Raises LookupError if there is none."""
        key = self._sandbox_view().key
        if key is None:
            fix = " or ".join(f".keys[{name!r}]" for name in [*self.keys][:_MAX_KEYS])
            fix = f"use {fix}" if fix else "without keys, unknown_key=accept takes any"
            raise LookupError(f"the fixture declares no API key of an owner: {fix}")
        return key

    @property
    def keys(self) -> Keys:
        """The API key to send for each key of the fixture."""
        return Keys(self._sandbox_view().keys)

    @property
    def shares(self) -> Shares:
        """The `shareId` to send for each share link of the fixture."""
        return Shares(self._sandbox_view().shares)

    @property
    def clock(self) -> SandboxClock:
        """The clock: `.now`, `.freeze(now)`, `.run()`, `.advance(seconds)`."""
        return SandboxClock(self._client)

    @property
    def choices(self) -> SandboxChoices:
        """The choices in force; `choices["list_order"] = "name"` sets a choice."""
        return SandboxChoices(self._client)

    @hinted(fault_hint)
    def fault(self, kind: str, **fields: Any) -> AddedFault:
        """Add a fault with these fields (`POST /__admin/faults`).

        The fault fires once by default, a `rate_limit` until its `ttl` ends. In a
        `with` block it lasts until the end of the block. A duration may be a timedelta.
        """
        if not isinstance(kind, str):
            got = "a Fault" if isinstance(kind, Definition) else type(kind).__name__
            raise TypeError(f"Expected the name of a kind of fault, got {got}")
        body: dict[str, Any] = {"kind": kind}
        for name, value in fields.items():
            if _camel(name) in body:
                raise TypeError(f"Expected {_camel(name)!r} once, got it twice")
            body[_camel(name)] = field_value(name, value)
        try:
            fault = AddedFault(self._client, body)
        except Refused as refused:
            raise refused.with_names({_camel(name): name for name in fields}) from None
        self._added_faults.append(fault)
        return issue_warnings(fault, 3)

    def preset(self, name: str, seed: int = 0) -> list[str]:
        """Add all faults of a preset; return their ids."""
        body = {"preset": name, "seed": seed}
        view = self._client.json(views.FaultsView, "POST", "/faults", **body)
        return [str(each["id"]) for each in view["faults"]]

    @property
    def faults(self) -> FaultList:
        """The faults and answers that can still fire: `.clear()`, `.remove(id)`."""
        return FaultList(self._client)

    def unfired(self) -> list[dict[str, Any]]:
        """Return the added faults that never fired and whose probability is 1."""
        ids = [each.id for each in self._added_faults if not is_answer(each._fault)]
        if not ids:
            return []
        faults = [each for each in self.faults.unfired() if each["id"] in ids]
        return [each for each in faults if each.get("probability", 1) == 1]

    def why(
        self,
        dataset: str,
        item: str | None = None,
        *,
        key: str | None = None,
        **request: Any,
    ) -> dict[str, Any]:
        """Explain a page of listV2, or why the page does not contain an `item`.

        `request` are fields of the body: `why("d", parentId=None, searchText="a")`.
        """
        values = {"dataset": dataset, "item": item, "key": key}
        query = {name: value for name, value in values.items() if value is not None}
        query["request"] = to_json(request).decode()
        return self._client.json(dict, "GET", f"/why?{urlencode(query)}")

    def snapshot(self, name: str | None = None) -> str:
        """Store data, clock and choices; return the name for `restore`."""
        name = f"snapshot-{next(self._snapshot_numbers)}" if name is None else name
        self._client.json(views.SnapshotView, "PUT", f"/snapshots/{quoted(name)}")
        return name

    def restore(self, name: str) -> None:
        """Restore a snapshot; faults and journal stay."""
        path = f"/snapshots/{quoted(name)}/restore"
        self._client.json(views.ResetView, "POST", path)

    def reset(self) -> None:
        """Restore the baseline: the fixture, or the data of the last `load`."""
        if self._before_reset is not None:
            self._before_reset()
        self._client.json(views.ResetView, "POST", "/reset")
        self._forget_faults()

    def _forget_faults(self) -> None:
        for each in self._added_faults:
            each._is_reset = True
        self._added_faults.clear()

    def load(
        self,
        fixture: FixtureLike | FixtureData,
        faults: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Replace the state by a fixture (a document or a path) and these faults.

        Raises FixtureError.
        """
        if self._before_reset is not None:
            self._before_reset()
        # A path is read here, because the admin API accepts no paths.
        if isinstance(fixture, str | Path):
            with HiddenFrames(FixtureError):
                fixture = load_fixture(fixture)
        document: Any = fixture
        if isinstance(fixture, FixtureData):
            document = to_document(Store(fixture), fixture.frozen_at)
        elif not isinstance(fixture, Mapping):
            raise WrongValue(f"Expected a path or a document, got {fixture!r}")
        self._cached_view = None
        try:
            self._client.call(views.ResetView, "PUT", "/state", document)
        except Refused:
            with HiddenFrames(FixtureError):
                load_fixture(document)  # raises with paths instead of JSON positions
            raise
        self._forget_faults()
        for fault in faults:
            self._client.json(views.FaultView, "POST", "/faults", **fault)

    def _sandbox_view(self) -> views.SandboxView:
        # Cached, because tests read the keys for each request that they send.
        if self._cached_view is None:
            sandbox = replace(self._client, sandbox=self._client.sandbox or "default")
            self._cached_view = sandbox.call(views.SandboxView, "GET", "").value
        return self._cached_view


class HasControl(ReadOnly):
    """Base of objects with a `control`; unknown attributes get a hint to use it."""

    __call__: Callable[..., Any] = no_application

    if not TYPE_CHECKING:  # mypy would accept any name

        def __getattr__(self, name: str) -> object:
            if name[0] != "_" and hasattr(MockServerFixture, name):
                message = f"{type(self).__name__!r} object has no attribute {name!r}"
                raise AttributeError(f"{message}: use `.control.{name}`")
            return super().__getattr__(name)


def _camel(name: str) -> str:
    """Return the JSON name of a field: `retry_after` is `retryAfter`."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
