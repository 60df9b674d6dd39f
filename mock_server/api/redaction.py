"""Keeps keys, logins and the admin token out of what is kept, logged or repeated.

What is searched is bounded: a journal keeps the beginning of a body, a log that of a
path, so no more than these is looked at. All keys of a fixture are looked for in one
pass (Aho-Corasick), however many there are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from contextlib import suppress
from urllib.parse import unquote_to_bytes
from weakref import WeakKeyDictionary

import msgspec
from ahocorasick_rs import BytesAhoCorasick, MatchKind
from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.access import ISSUED_KEY_PREFIX, MIN_REDACTABLE_LENGTH
from mock_server.domain.errors import CUT_MARK, SHOWN_CHARS
from mock_server.domain.generation import Generation
from mock_server.domain.journal import Entry, Sent
from mock_server.domain.limits import Limits
from mock_server.domain.state import State

HIDDEN = b"[redacted]"
ESCAPED_KEY_BYTES = 6 * Limits.key_chars
"""Bytes of the longest key, each character of it written like `\\u0041`."""
_CUT = CUT_MARK.encode()
_WIDEST_CHAR = 4  # bytes of a character in UTF-8, at most
_ISSUED = ISSUED_KEY_PREFIX.encode()
_ISSUED_KEY = re.compile(_ISSUED + rb"[0-9a-f]+")
# The escapes of JSON in which the characters of a key can be written.
_ESCAPE = re.compile(rb'\\(?:u00([2-7][0-9a-fA-F])|(["\\/]))')


class Secrets:
    """What must not come out of a server: keys of its states, and further texts."""

    def __init__(self, texts: Collection[str] = ()) -> None:
        """`texts` are secret in every state, such as the admin token."""
        self.texts = tuple(text.encode() for text in texts)
        # A finder goes when its generation does: states come and go, servers stay.
        self._declared: WeakKeyDictionary[Generation, BytesAhoCorasick]
        self._declared = WeakKeyDictionary()

    def of(self, state: State, key: str | None) -> RequestSecrets:
        """All that a request with this key, in this state, could give away."""
        texts = self.texts
        if key and len(key) >= MIN_REDACTABLE_LENGTH:
            texts = (key.encode(), *texts)
        declared = state.store.generation.secrets
        finder = self._finder(state.store.generation) if declared else None
        return RequestSecrets(texts, declared, finder)

    def are_in(self, text: bytes, generation: Generation) -> bool:
        """Whether a text holds a key that a generation declares, unescaped."""
        return bool(self._finder(generation).find_matches_as_indexes(text))

    def _finder(self, generation: Generation) -> BytesAhoCorasick:
        finder = self._declared.get(generation)
        if finder is None:
            longest = MatchKind.LeftmostLongest
            finder = BytesAhoCorasick(generation.secrets, matchkind=longest)
            self._declared[generation] = finder
        return finder


class RequestSecrets(Struct, frozen=True):
    """What one request could give away: single texts, and the declared keys, sorted.

    Keys and login tokens that sandboxes have issued are known by what they begin with.
    """

    texts: tuple[bytes, ...]
    declared: tuple[bytes, ...]
    finder: BytesAhoCorasick | None

    def redact(self, text: bytes) -> bytes:
        """The text without secrets; if one was escaped, without escapes too."""
        for form in _forms(text):
            if self.contains_secret(form):
                return self._without(form)
        return text

    def redact_message(self, text: bytes) -> bytes:
        """As `redact`, for an error message, which may have cut a text amid a secret.

        Before each mark of a cut, the beginning of a secret goes too.
        """
        *cut, last = self.redact(text).split(_CUT)
        return _CUT.join([*map(self._without_end, cut), last])

    def contains_secret(self, text: bytes) -> bool:
        """Whether the text holds a secret as it is, unescaped."""
        if _ISSUED in text or any(secret in text for secret in self.texts):
            return True
        return bool(self.finder and self.finder.find_matches_as_indexes(text))

    def _without(self, text: bytes) -> bytes:
        kept: list[bytes] = []
        end = 0
        # One secret may lie in another, or overlap it: both go.
        for start, stop in sorted(self._spans(text)):
            if start >= end:
                kept += text[end:start], HIDDEN
            end = max(end, stop)
        return b"".join((*kept, text[end:]))

    def _spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Where secrets stand, in any order: start and end in bytes."""
        for match in _ISSUED_KEY.finditer(text):
            yield match.span()
        for secret in self.texts:
            for match in re.finditer(re.escape(secret), text):
                yield match.span()
        if self.finder is not None:
            for _, start, stop in self.finder.find_matches_as_indexes(text):
                yield start, stop

    def _without_end(self, text: bytes) -> bytes:
        """The text without the beginning of a secret at its end."""
        first = max(0, len(text) - SHOWN_CHARS * _WIDEST_CHAR)
        for start in range(first, len(text) - MIN_REDACTABLE_LENGTH + 1):
            if self._begins_secret(text[start:]):
                return text[:start] + HIDDEN
        return text

    def _begins_secret(self, text: bytes) -> bool:
        # In sorted order, what begins with a text comes right after the text.
        at = bisect_left(self.declared, text)
        near = self.declared[at : at + 1]
        return any(secret.startswith(text) for secret in (*self.texts, *near))


_SHOWN_OF_LOGIN = {"username", "code"}


def _forms(text: bytes) -> Iterator[bytes]:
    """The text as it is, then without the escapes of URLs, and those of JSON.

    What an error message quotes has been escaped twice.
    """
    yield text
    if b"%" in text:
        yield unquote_to_bytes(text)
    for _ in range(2):
        if b"\\" in text:
            text = _ESCAPE.sub(_unescaped, text)
            yield text


def _unescaped(escape: re.Match[bytes]) -> bytes:
    digits, char = escape.groups()
    return char if digits is None else bytes.fromhex(digits.decode())


def redact_entry(entry: Entry, secrets: RequestSecrets) -> None:
    """Take secrets out of wherever the client, or an answer, has put them."""
    sent = entry.sent
    parts = sent.method.encode(), sent.path.encode(), sent.query, sent.headers
    method, path, query, headers = map(secrets.redact, parts)
    entry.sent = replace(
        sent,
        method=_text(method),
        path=_text(path),
        query=query,
        headers=headers,
        body=None if sent.body is None else redacted_body(sent.body, secrets),
    )
    entry.answer = secrets.redact_message(entry.answer)
    entry.answer_headers = [
        (name, HIDDEN if name == b"set-cookie" else value)
        for name, value in entry.answer_headers
    ]
    hint = entry.hint_text
    if hint is not None:
        entry.hint = redacted_text(hint, secrets)
    if entry.violations is not None:
        entry.violations = [
            replace(
                each,
                path=redacted_text(each.path, secrets),
                message=redacted_text(each.message, secrets),
            )
            for each in entry.violations
        ]


def without_login(sent: Sent) -> Sent:
    """A request without what logs somebody in: of its fields but two remain."""
    query = HIDDEN if sent.query else b""
    if sent.body is None:
        return replace(sent, query=query)
    shown: object = HIDDEN.decode()
    with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
        fields = msgspec.json.decode(sent.body, type=dict[str, object])
        shown = fields | dict.fromkeys(fields.keys() - _SHOWN_OF_LOGIN, HIDDEN.decode())
    return replace(sent, query=query, body=msgspec.json.encode(shown))


def redacted_text(message: str, secrets: RequestSecrets) -> str:
    """A message without secrets."""
    return _text(secrets.redact_message(message.encode("utf-8", "replace")))


def redacted_body(body: bytes, secrets: RequestSecrets) -> bytes:
    """A body without secrets, which stays JSON where it is JSON."""
    redacted = secrets.redact(body)
    if redacted != body and not secrets.contains_secret(body):  # it was escaped
        with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
            return secrets.redact(msgspec.json.encode(msgspec.json.decode(body)))
    return redacted


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
