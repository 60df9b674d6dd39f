"""What has passed becomes a fixture: of each exchange as much as it tells."""

from mock_server.domain.limits import Limits
from mock_server.recorded.exchange import Exchange
from mock_server.recorded.seen import Seen
from mock_server.recording.bodies import Plain
from mock_server.recording.passage import Passage
from mock_server.recording.redaction import Hiding

_SUCCESS = 200


class Record:
    """Datasets, collections and chats of which answers have told; never a key."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self._seen = Seen(limits)
        self._limits = limits
        self._unread = 0

    def take(self, passage: Passage, plain: Plain) -> None:
        """Take a request to an operation, with the body of its answer."""
        if passage.status != _SUCCESS:
            return
        if not (passage.is_whole and plain.is_whole and plain.is_known):
            self._unread += 1
            return
        scope = passage.request.scope
        hiding = Hiding(scope["headers"])
        self._seen.take(
            Exchange(
                scope["method"],
                scope["path"],
                hiding.hide(scope["query_string"]).decode("latin-1"),
                _texts(scope["headers"]),
                hiding.hide_body(bytes(passage.sent.content)),
                passage.status,
                _texts(passage.headers),
                hiding.hide_body(plain.content),
            )
        )

    def document(self) -> dict[str, object]:
        """A fixture document of what was seen."""
        return self._seen.document()

    @property
    def missing(self) -> list[str]:
        """What is known to be incomplete, each in a few words."""
        found = list(self._seen.missing)
        if self._unread:
            size = f"{self._limits.recorded_bytes:,} bytes"
            noun = "exchange was" if self._unread == 1 else "exchanges were"
            found.append(
                f"{self._unread} {noun} not read: cut off, over {size}, "
                "or in an encoding other than gzip and deflate"
            )
        return found


def _texts(headers: list[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    """Headers as texts."""
    return tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in headers)
