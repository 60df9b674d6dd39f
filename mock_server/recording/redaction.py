"""Keeps what logs somebody in out of what is kept of a real service.

Its keys are not known beforehand, as those of a fixture are: hidden is what a request
was sent with, wherever it comes again, and what looks like a key or a token.
"""

import re
from collections.abc import Iterable, Iterator

from mock_server.api.headers import Header
from mock_server.api.redaction import HIDDEN, RequestSecrets, redacted_body
from mock_server.domain.access import MIN_REDACTABLE_LENGTH

_WITH_SECRETS = re.compile(rb"auth|token|api-?key|rootkey|secret|password")
"""What names of headers have in them whose values log somebody in."""
_SCHEME = b"bearer "
# API keys of FastGPT and of what it calls, which are no words with hyphens between
# them; and signed tokens (RFC 7519).
_LOOKS_SECRET = re.compile(
    rb"\b(?:fastgpt|sk)-(?=[A-Za-z0-9_-]*(?:[A-Z0-9]|[a-z]{20}))[A-Za-z0-9_-]{20,}"
    rb"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)


class Hiding:
    """Hides what one request could give away."""

    def __init__(self, headers: Iterable[Header]) -> None:
        texts = tuple(dict.fromkeys(_secrets(headers)))
        self._secrets = RequestSecrets(texts, (), None)

    def hide(self, text: bytes) -> bytes:
        """The text without secrets."""
        return _LOOKS_SECRET.sub(HIDDEN, self._secrets.redact(text))

    def hide_body(self, body: bytes) -> bytes:
        """A body without secrets, which stays JSON where it is JSON."""
        return _LOOKS_SECRET.sub(HIDDEN, redacted_body(body, self._secrets))

    def hide_text(self, text: str) -> str:
        """As `hide`, for a text."""
        return self.hide(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def hide_headers(self, headers: Iterable[Header]) -> list[Header]:
        """The headers of an answer, by names in lower case, without secrets."""
        return [
            (
                name.lower(),
                HIDDEN if _holds_secret(name.lower()) else self.hide(value),
            )
            for name, value in headers
        ]


def _holds_secret(name: bytes) -> bool:
    """Whether a header of an answer, by its name in lower case, holds a secret."""
    return name.startswith(b"set-cookie") or _WITH_SECRETS.search(name) is not None


def _secrets(headers: Iterable[Header]) -> Iterator[bytes]:
    """The texts that log somebody in, if they are long enough to be told apart."""
    for name, value in headers:
        found: list[bytes] = []
        if _WITH_SECRETS.search(name) or value.lower().startswith(_SCHEME):
            found = [value, value.rpartition(b" ")[2]]
        elif name == b"cookie":
            found = [each.partition(b"=")[2].strip() for each in value.split(b";")]
        yield from (each for each in found if len(each) >= MIN_REDACTABLE_LENGTH)
