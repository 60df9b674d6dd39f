"""What was seen of a service, exchange after exchange, becomes a fixture document."""

from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.limits import Limits
from mock_server.recorded.exchange import Exchange
from mock_server.recorded.holding import Holding
from mock_server.recorded.telling import TAKERS, Told


class Seen:
    """Takes exchanges in the order in which they were; what is told later wins."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self._limits = limits
        self._held = Holding(limits)

    def take(self, exchange: Exchange) -> bool:
        """Take an exchange; whether it told of datasets, collections or chats.

        An answer that refuses, or is not as the service answers, tells nothing.
        """
        operation = OPERATIONS.meant_by(exchange.path)
        if operation is None or exchange.method not in operation.methods:
            return False
        take = TAKERS.get(operation.name)
        if take is None:
            return False
        if len(exchange.body) > self._limits.seen_answer_bytes:
            self._held.room.was_full = True
            return False
        clean = exchange.without(exchange.secrets())
        self._held.now += 1
        try:
            take(self._held, Told(clean.asked(), clean.answered()))
        except (ValueError, TypeError, KeyError, AttributeError):
            return False
        return True

    def document(self) -> dict[str, object]:
        """A fixture document of what was seen; it loads without problems."""
        return {
            "apps": [each.part() for each in self._held.apps.values()],
            "datasets": self._held.dataset_parts(),
        }

    @property
    def missing(self) -> list[str]:
        """What is known to be incomplete, each in a few words; for a message."""
        found = list(self._held.missing())
        if self._held.room.was_full:
            bounds = f"{self._limits.seen_items:,} items"
            found.append(f"there was more to see than is kept (such as {bounds})")
        return found
