"""The state of a sandbox in short."""

from mock_server.admin.framework import AdminRoute, Call
from mock_server.admin.guarded import is_admitted
from mock_server.admin.reloading import Reload
from mock_server.api.response import PARSER
from mock_server.domain.clock import format_time
from mock_server.views import (
    FixtureView,
    HealthView,
    MemoryView,
    ProblemView,
    ReloadView,
)


def get_health(call: Call) -> HealthView:
    """`GET health`: whether the server is ready, and with what. Tells no secret."""
    baseline, state = call.sandbox.baseline, call.sandbox.state
    memory, last = call.sandboxes.memory, call.services.reloader.last
    return HealthView(
        status="ready",
        fixture=FixtureView(baseline.files, baseline.sha256, **baseline.counts()),
        generation=state.generation,
        profile=state.profile,
        memory=MemoryView(memory.limit, memory.used, **memory.usage()),
        reload=_reload_view(last, is_open=is_admitted(call.scope)),
        demo=call.services.demo,
        http=(call.scope.get("state") or {}).get(PARSER),
    )


def _reload_view(last: Reload | None, *, is_open: bool) -> ReloadView | None:
    """A reload; messages quote fixtures, so not everybody may read them."""
    if last is None:
        return None
    problems = [
        ProblemView(p.file, p.line, p.column, p.message if is_open else None)
        for p in last.problems
    ]
    return ReloadView(format_time(last.time), problems)


ROUTES = (
    AdminRoute(
        "GET", "/health", get_health, HealthView, "Ask whether the server is ready"
    ),
)
