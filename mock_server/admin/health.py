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


class HealthView(View):
    """The state of a sandbox in short."""

    status: Literal["ready"]
    fixture: FixtureView
    generation: int
    profile: str


def health(call: Call) -> HealthView:
    """`GET health`."""
    baseline, state = call.sandbox.baseline, call.sandbox.state
    return HealthView(
        status="ready",
        fixture=FixtureView(baseline.files, baseline.sha256, **baseline.counts()),
        generation=state.number,
        profile=state.profile,
    )


ROUTES = (
    AdminRoute("GET", "/health", health, HealthView, "Whether the server is ready"),
)
