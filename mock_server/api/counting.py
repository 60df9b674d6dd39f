"""Counts requests as they are journalled, for metrics: only where these are asked for.

Counts only grow, whatever is reset: that is what rates are made of. Their labels are
few, as nothing of them comes from a client: names of the table, statuses, kinds.
"""

from collections import Counter

from mock_server.api.context import RequestContext
from mock_server.api.journaling import Journaling
from mock_server.api.operations.operation import Operations
from mock_server.api.redaction import Secrets
from mock_server.api.response import Headers, Response
from mock_server.domain.errors import Refusal
from mock_server.domain.limits import Limits

DECLARED, NONE = "declared", "none"
"""Names in place of those of declared responses, which have paths in them, and of
requests that are for no operation.
"""


class Counts:
    """What has come since the server was started, of all sandboxes together.

    `requests` are by operation and status (0 for no answer), `firings` those that a
    fault has met, by its kind; `dropped` are the entries that journals had no room for.
    """

    def __init__(self) -> None:
        self.requests = Counter[tuple[str, int]]()
        self.firings = Counter[str]()
        self.dropped = 0


class CountingJournaling(Journaling):
    """Enters requests in journals, and counts them."""

    def __init__(
        self, operations: Operations, secrets: Secrets, limits: Limits, counts: Counts
    ) -> None:
        super().__init__(operations, secrets, limits)
        self._counts = counts

    def enter(
        self,
        request: RequestContext,
        response: Response,
        headers: Headers,
        refusal: Refusal | None,
    ) -> int:
        """Enter a request. One from before a reset is in no journal, but counts."""
        # If any takes the entry it is this one: those before it are closed.
        journal, counts = request.sandbox.journal, self._counts
        dropped = journal.dropped
        seq = super().enter(request, response, headers, refusal)
        counts.dropped += journal.dropped - dropped
        counts.requests[self._name_of(request), response.status] += 1
        if request.firing is not None:
            counts.firings[request.firing.fault.definition.kind] += 1
        return seq

    def _name_of(self, request: RequestContext) -> str:
        operation = request.operation
        if operation is None:
            return NONE
        return operation.name if operation.name in self._operations else DECLARED
