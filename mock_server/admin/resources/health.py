"""Whether the server is ready, and with what. Needs no token and tells no secret."""

from __future__ import annotations

from mock_server.admin.framework import AdminRoute, Call
from mock_server.views import FixtureView, HealthView, MemoryView


def health(call: Call) -> HealthView:
    """`GET health`."""
    baseline, state = call.sandbox.baseline, call.sandbox.state
    memory = call.sandboxes.memory
    return HealthView(
        status="ready",
        fixture=FixtureView(baseline.files, baseline.sha256, **baseline.counts()),
        generation=state.generation,
        profile=state.profile,
        memory=MemoryView(memory.limit, memory.used, **memory.usage()),
    )


ROUTES = (
    AdminRoute("GET", "/health", health, HealthView, "Whether the server is ready"),
)
