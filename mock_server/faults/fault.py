"""What all kinds of faults have in common."""

from starlette.responses import Response

from mock_server.rules.rule import Candidate, Rule
from mock_server.service.handling import Handling


class Fault(Rule, frozen=True):
    """A rule that changes how a request is served. Each kind has its own `apply`."""

    def can_fire(self, handling: Handling) -> bool:
        """Whether a fault can fire on a request: none does if the body is broken JSON."""
        return not handling.call.request.has_broken_json and self.applies(handling)

    def applies(self, handling: Handling) -> bool:
        """Whether this kind can do anything to the request."""
        return True

    async def apply(self, firing: Candidate["Fault"], handling: Handling) -> Response:
        """The response in place of that of the outcome, which is `handling.commit_outcome()`."""
        raise NotImplementedError
