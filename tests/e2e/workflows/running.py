"""How workflows are run: in which weather, on which version, with which library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import sleep
from typing import Any

from mock_server import MockServer
from mock_server.domain.versions import VERSIONS
from tests.e2e.workflows import workflows
from tests.e2e.workflows.clients import client_named
from tests.e2e.workflows.service import Service
from tests.e2e.workflows.world import APP, KEY, PASSWORD, SIZES, USER, WORLD, rows
from tests.support import fetch

FROZEN = {"now": "2026-01-01T00:00:00Z", "frozen": True}
ATTEMPTS = 12
"""Of a client under faults of which each request meets one in five."""
PAUSE_SECONDS = 0.1


def audit(service: Service) -> None:
    """Every row that the fixture has is found, in order."""
    found = workflows.audit(service)
    wanted = {name: [(row["q"], row["a"]) for row in rows(name)] for name in SIZES}
    assert {name: found[name] for name in SIZES} == wanted
    assert len(found) == len(SIZES) + 2 + 40


Workflow = Callable[[Service], None]
WORKFLOWS: dict[str, Workflow] = {
    "sync": partial(workflows.sync, name="Files"),
    "importer": partial(workflows.importer, name="Import"),
    "chat": partial(workflows.chat_panel, name="Panel", app=APP),
    "login": partial(workflows.front_end, username=USER, password=PASSWORD),
    "audit": audit,
}


@contextmanager
def served(
    weather: str, seed: int = 1, fixture: Any = WORLD, version: str = VERSIONS[-1]
) -> Iterator[tuple[str, Callable[[], object]]]:
    """A server under some weather: its URL, and what lets time go by there."""
    choices = {"version": version}
    with MockServer(fixture, profile="deployed", choices=choices) as server:
        admin = f"{server.url}/__admin"
        tick: Callable[[], object] = partial(sleep, PAUSE_SECONDS)
        if weather != "fair":
            fetch("PUT", f"{admin}/clock", json=FROZEN).raise_for_status()
            advance = f"{admin}/clock/advance"
            tick = partial(fetch, "POST", advance, json={"seconds": 1})
        if weather == "flaky":
            fault = {"preset": "flaky", "seed": seed}
            fetch("POST", f"{admin}/faults", json=fault).raise_for_status()
        yield server.url, tick


def run(
    name: str, library: str, weather: str, seed: int = 1, version: str = VERSIONS[-1]
) -> Service:
    """Run a workflow; gives the service that it went through."""
    key = None if name == "login" else KEY
    with (
        served(weather, seed, version=version) as (url, tick),
        client_named(library, url, key) as client,
    ):
        attempts = ATTEMPTS if weather == "flaky" else 1
        service = Service(client, tick, attempts)
        WORKFLOWS[name](service)
    return service
