"""Takes keys out of whatever is kept, logged or repeated."""

from __future__ import annotations

import re
from collections.abc import Collection

from mock_server.domain.access import CONFUSABLE_CHARS, ISSUED
from mock_server.domain.state import State

HIDDEN = b"[redacted]"
_CUT = "…".encode()
_ISSUED = ISSUED.encode()
_ISSUED_KEY = re.compile(_ISSUED + rb"[0-9a-f]+")


class Secrets:
    """What must not come out again: the keys of sandboxes, and further `texts`."""

    def __init__(self, texts: Collection[str] = ()) -> None:
        self._texts = tuple(text.encode() for text in texts)

    def of(self, state: State, key: str | None) -> tuple[bytes, ...]:
        """All that a request with this key, in this state, could give away."""
        own = (key.encode(),) if key and len(key) >= CONFUSABLE_CHARS else ()
        return (*own, *state.store.generation.secrets, *self._texts)


def tells(text: bytes, secrets: Collection[bytes]) -> bool:
    """Whether there is anything to hide."""
    # A loop and `find`, for every request runs through it: `in` takes twice as long,
    # as it first tries whether it is given a number.
    if text.find(_ISSUED) >= 0:
        return True
    for secret in secrets:  # noqa: SIM110
        if text.find(secret) >= 0:
            return True
    return False


def hide(text: bytes, secrets: Collection[bytes]) -> bytes:
    """The text without them, and without the beginnings that a message has cut."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
        for length in range(len(secret) - 1, CONFUSABLE_CHARS - 1, -1):
            text = text.replace(secret[:length] + _CUT, HIDDEN + _CUT)
    return _ISSUED_KEY.sub(HIDDEN, text)
