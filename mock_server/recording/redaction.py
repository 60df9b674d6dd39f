"""Keeps what logs somebody in out of what is kept of a real service.

Its keys are not known beforehand, as those of a fixture are: hidden is what a request
was sent with, wherever it comes again, and what looks like a key or a token.
"""

import re
from collections.abc import Iterable, Iterator

from mock_server.api.headers import Header
from mock_server.api.redaction import HIDDEN, RequestSecrets, redacted_body
from mock_server.domain.access import MIN_REDACTABLE_LENGTH

_WITH_SECRETS = frozenset(
    (b"authorization", b"proxy-authorization", b"token", b"x-api-key", b"rootkey")
)
_HIDDEN_ANSWERS = frozenset((b"set-cookie", b"set-cookie2", *_WITH_SECRETS))
# API keys of FastGPT and of what it calls, and signed tokens (RFC 7519).
_LOOKS_SECRET = re.compile(
    rb"\b(?:fastgpt|sk)-(?:[a-z]+-)*[A-Za-z0-9]{20,}"
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
                HIDDEN if name.lower() in _HIDDEN_ANSWERS else self.hide(value),
            )
            for name, value in headers
        ]


def _secrets(headers: Iterable[Header]) -> Iterator[bytes]:
    """The texts that log somebody in, if they are long enough to be told apart."""
    for name, value in headers:
        found: list[bytes] = []
        if name in _WITH_SECRETS:
            found = [value, value.rpartition(b" ")[2]]
        elif name == b"cookie":
            found = [each.partition(b"=")[2].strip() for each in value.split(b";")]
        yield from (each for each in found if len(each) >= MIN_REDACTABLE_LENGTH)
