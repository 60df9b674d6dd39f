"""What an import has left out or decided, counted, with the first few as examples."""

from collections.abc import Iterator

from mock_server.domain.limits import Limits

NOT_HTTP = "not of HTTP, such as websockets and data"
UNANSWERED = "without an answer"
OWN = "at addresses of the server's own"
OTHER_METHOD = "of methods that no fixture can declare"
NOT_MODIFIED = "answered with a part or with nothing new (status 206 or 304)"
OTHER_STATUS = "with a status that no fixture can declare"
NO_BODY = "of whose answer the body was not recorded"
BAD_BODY = "of whose answer the body is not base64, as it claims to be"
NOTHING_SEEN = "of operations whose answers tell nothing, such as refusals"
NO_URL = "whose address is none, or cannot be declared"
TOO_LARGE = "too large for a fixture (limits response_bytes, responses_bytes)"
TOO_MANY = "more than a fixture can declare (limit responses)"


class Notes:
    """Requests by what is said of them, in the order in which that came up."""

    def __init__(self) -> None:
        self._left_out: dict[str, list[str]] = {}
        self._changed: dict[str, set[str]] = {}
        self._replaced: dict[str, int] = {}

    def left_out(self, why: str, request: str) -> None:
        """A request did not become a part of the fixture."""
        self._left_out.setdefault(why, []).append(request)

    def replaced(self, request: str, *origins: str) -> None:
        """A later answer took the place of another one, perhaps of another host's."""
        self._replaced[request] = self._replaced.get(request, 0) + 1
        if len(set(origins)) > 1:
            self._changed.setdefault(request, set()).update(origins)

    def lines(self) -> Iterator[str]:
        """All of it, a line each."""
        for why, requests in self._left_out.items():
            count = "1 request" if len(requests) == 1 else f"{len(requests)} requests"
            yield f"left out: {count} {why}: {_some(list(dict.fromkeys(requests)))}"
        if self._replaced:
            yield f"answered in several ways, the last is kept: {_some(self._replaced)}"
        for request, origins in self._changed.items():
            hosts = " and ".join(sorted(origins))
            yield f"{request} was asked of {hosts}: choose with --origin"


def _some(requests: dict[str, int] | list[str]) -> str:
    shown = list(requests)[: Limits.told_requests]
    more = len(requests) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
