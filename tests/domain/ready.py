"""What a server does with work that needs a value which is being made."""

from typing import Any

from mock_server.domain.objects.pending import NotReady


def ready(work: Any) -> Any:
    """What the work gives once all that it needs is made."""
    kept = []
    while True:
        try:
            return work()
        except NotReady as error:
            kept.append(error.pending)
        for _ in kept[-1]:
            pass
