"""Reports the health of the server: data, memory, the last reload."""

from mock_server.admin import views
from mock_server.admin.framework import ADMITTED, Call, Routes
from mock_server.admin.reloading import Reload
from mock_server.api.connection import connection_of
from mock_server.domain.clock import format_time

routes = Routes()


@routes.add("GET", "/health")
def get_health(call: Call) -> views.HealthView:
    """Read the health of the server: data, memory, the last reload."""
    baseline, state = call.sandbox.baseline, call.sandbox.state
    memory, last = call.sandboxes.memory, call.services.reloader.last
    connection = connection_of(call.scope)
    return views.HealthView(
        status="ready",
        fixture=views.FixtureView(baseline.files, baseline.sha256, **baseline.counts()),
        generation=state.generation,
        profile=state.profile,
        version=state.choices.version,
        memory=views.MemoryView(memory.limit, memory.used, **memory.usage()),
        reload=_reload_view(last, is_open=ADMITTED in call.scope),
        demo=call.services.demo,
        http=None if connection is None else connection.parser,
    )


def _reload_view(last: Reload | None, *, is_open: bool) -> views.ReloadView | None:
    """Return a reload's view; messages, which quote fixtures, need the admin token."""
    if last is None:
        return None
    problems = [
        views.ProblemView(it.file, it.line, it.column, it.message if is_open else None)
        for it in last.problems
    ]
    return views.ReloadView(format_time(last.time), problems)
