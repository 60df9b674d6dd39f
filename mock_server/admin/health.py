"""Whether the server is ready, and with what. Needs no token and tells no secret."""

from __future__ import annotations

from typing import Literal

from mock_server.admin.route import AdminRoute, Call
from mock_server.api.entries import View


class FixtureView(View):
    """Where the baseline comes from, and how much it holds."""

    files: tuple[str, ...]
    sha256: str
    datasets: int
    collections: int
    chats: int


class MemoryView(View):
    """The bytes of memory that the server's data may take, and takes, by kind."""

    limit: int
    used: int
    states: int
    changes: int
    snapshots: int
    faults: int
    journals: int
    caches: int
    streams: int
    requests: int


class HealthView(View):
    """The state of a sandbox in short, and the memory that all sandboxes take."""

    status: Literal["ready"]
    fixture: FixtureView
    generation: int
    profile: str
    memory: MemoryView


def health(call: Call) -> HealthView:
    """`GET health`."""
    baseline, state = call.sandbox.baseline, call.sandbox.state
    memory = call.sandboxes.memory
    return HealthView(
        status="ready",
        fixture=FixtureView(baseline.files, baseline.sha256, **baseline.counts()),
        generation=state.number,
        profile=state.profile,
        memory=MemoryView(memory.limit, memory.used, **memory.usage()),
    )


ROUTES = (
    AdminRoute("GET", "/health", health, HealthView, "Whether the server is ready"),
)
