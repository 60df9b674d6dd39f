"""Which choices would accept a request that is refused."""

from collections import deque

from msgspec.structs import replace

from mock_server.choices import tolerant_variants
from mock_server.errors import Refusal
from mock_server.service.call import Call
from mock_server.service.routes import Routes


def accepting_choices(refusal: Refusal, call: Call, routes: Routes) -> list[str]:
    """Each `NAME=VALUE` that accepts a refused call; else the fewest together, with `and`."""
    # Calls that are still refused, but for another reason than before the last of the settings.
    waiting: deque[tuple[tuple[str, ...], Refusal, Call]] = deque([((), refusal, call)])
    while waiting:
        settings, refusal, call = waiting.popleft()
        accepting = []
        for setting, choices in tolerant_variants(call.choices):
            tried = (*settings, setting)
            trial = call.restarted(replace(call.moment, choices=choices))
            other = refusal_of(trial, routes)
            if other is None:
                accepting.append(" and ".join(tried))
            elif type(other) is not type(refusal) or other.where != refusal.where:
                waiting.append((tried, other, trial))
        if accepting:
            return accepting[:1] if settings else accepting
    return []


def refusal_of(call: Call, routes: Routes) -> Refusal | None:
    """Try a call from the beginning. Returns its refusal; None if it succeeds."""
    try:
        operation = routes.resolve(call)
        operation.admit(call)
        operation.perform(call)
    except Refusal as refusal:
        return refusal
    return None
