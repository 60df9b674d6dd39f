"""Removes keys, login tokens and the admin token from journals, logs and messages.

Only text that is stored is searched, such as the start of a body. One pass of the
Aho-Corasick algorithm finds all keys of a fixture, even if there are many.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Self
from weakref import WeakKeyDictionary

import msgspec
from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind
from msgspec import Struct
from msgspec.structs import replace

from mock_server.api import escapes
from mock_server.domain.access import ISSUED_KEY_PREFIX, MIN_REDACTABLE_LENGTH
from mock_server.domain.chats import TITLE_CHARS
from mock_server.domain.journal import Entry
from mock_server.domain.limits import Published
from mock_server.domain.messages import CUT_MARK
from mock_server.domain.objects.fixture_data import FixtureData

HIDDEN = b"[redacted]"
ESCAPED_KEY_BYTES = 6 * Published.key_chars
"""Bytes of the longest key, if each character is escaped as in `\\u0041`."""
_CUT = re.compile(rb"%b|\\?u2026|\.\.\.\Z" % CUT_MARK.encode())
"""Matches the mark of a cut, also as it is in a header, and at the end of a header."""
TITLE = re.compile(
    rb'"title":"((?:[^"\\]|\\.){%d,%d}+)(?=")'
    % (MIN_REDACTABLE_LENGTH, 6 * TITLE_CHARS)
)
"""Matches a title in JSON, its group, that may be the beginning of a question."""
_END = re.compile(rb"\Z")
_MAX_START_BYTES = 4 * Published.key_chars + 32
"""Maximum bytes of the start of a key and of a cut escape behind it."""
_CUT_LETTERS = b"fa"
"""The first letters of `fastgpt-`, with which the keys of the service begin.

Keys are looked for without these: after `%6` or `\\u53`, they read as the end of an
escape.
"""
_KEY_PREFIX = b"stgpt-"
_KEY_FORM = re.compile(
    ISSUED_KEY_PREFIX.encode().removeprefix(_CUT_LETTERS)
    + rb"[0-9a-f]+|%b(?=[a-z]*[0-9]+[a-z])[0-9a-z]{16,}+" % _KEY_PREFIX
    + rb"(?!\.(?:m?js|css|map|json|html|wasm|svg|png|webp|woff2?)\b)"
)
"""Matches keys that sandboxes issue, and keys of the service, but no words."""
_MAX_SECRETS, _BYTES_PER_SECRET = 1_000, 64
"""Maximum number of secrets that are removed from a text, or one for so many bytes of a
long text; of a text with more, nothing is kept.
"""
_KEPT_FINDERS = 2
"""Number of finders of replaced data that are kept, and of the keys of a request."""


class Secrets:
    """The secrets of a server: the keys in its states, and texts such as a token."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """`texts` are secret in every state, such as the admin token."""
        own = redactable(text.encode() for text in texts)
        self._own = RequestSecrets.of(own)
        self.finder = finder_of((_CUT_LETTERS + _KEY_PREFIX, *own))
        # A weak dictionary frees the finder of a fixture that no state uses any more.
        self._declared: WeakKeyDictionary[FixtureData, RequestSecrets]
        self._declared = WeakKeyDictionary()
        # The last ones are kept, for the journal and all texts of a line of the log.
        self._former = lru_cache(_KEPT_FINDERS)(RequestSecrets.from_declared)
        self._sent = lru_cache(_KEPT_FINDERS)(RequestSecrets.from_declared)

    def for_request(
        self,
        fixtures: Iterable[FixtureData],
        *keys: str | None,
        former: Iterable[tuple[bytes, ...]] = (),
        texts: Iterable[bytes] = (),
    ) -> RequestSecrets:
        """Return all secrets that a request with these keys can show.

        `fixtures` are the loaded data of its sandboxes, `former` are the secrets of
        data that was replaced during the request. `texts` are further secrets, as
        `redactable` returns them.
        """
        declared = map(self._declared_by, fixtures)
        sent = self._sent(tuple(key.encode() for key in keys if key))
        others = (self._own, *declared, *map(self._former, former), sent)
        return RequestSecrets.of(texts, others)

    def are_in(self, text: bytes, fixture: FixtureData) -> bool:
        """Return whether a text contains a key that the fixture declares, unescaped."""
        finder = self._declared_by(fixture).finder
        return bool(finder and finder.find_matches_as_indexes(folded(text)))

    def _declared_by(self, fixture: FixtureData) -> RequestSecrets:
        declared = self._declared.get(fixture)
        if declared is None:
            declared = RequestSecrets.from_declared(fixture.secrets)
            self._declared[fixture] = declared
        return declared


class RequestSecrets(Struct, frozen=True):
    """The secrets that one request can show.

    `secrets` are sorted, and without escapes; `finder` finds all in one pass. `starts`
    are their first bytes. Keys of the service, and keys and login tokens that sandboxes
    issue, are found by their form. `others` are looked for too, as one secret may
    contain another.
    """

    secrets: tuple[bytes, ...] = ()
    starts: frozenset[bytes] = frozenset()
    finder: BytesAhoCorasick | None = None
    are_ascii: bool = True
    others: tuple[RequestSecrets, ...] = ()

    @classmethod
    def of(cls, secrets: Iterable[bytes], others: Iterable[Self] = ()) -> Self:
        """Return these secrets, which `redactable` has returned, and `others`."""
        texts = tuple(sorted(secrets))
        starts = frozenset(each[:MIN_REDACTABLE_LENGTH] for each in texts)
        finder = finder_of(texts) if texts else None
        known = tuple(each for each in others if each.secrets)
        return cls(texts, starts, finder, all(map(bytes.isascii, texts)), known)

    @classmethod
    def from_declared(cls, declared: Iterable[bytes]) -> Self:
        """Return the secrets `declared`."""
        return cls.of(redactable(declared))

    def redact(self, text: bytes) -> bytes:
        """Return the text with secrets replaced by `[redacted]`, escaped or not."""
        return _hide(text, self._places(text))

    def redact_message(self, text: bytes) -> bytes:
        """Return an error message without secrets.

        A quoted text may be cut inside a secret: the start of a secret before the mark
        of a cut is removed too.
        """
        return _hide(text, self._places(text, _CUT))

    def redact_response(self, body: bytes) -> bytes:
        """Return a response body without secrets, as `redact_message` does.

        A title that ends with the start of a secret goes too: it is a question, cut.
        """
        return _hide(body, [*self._places(body, _CUT), *self._cut_titles(body)])

    def redact_beginning(self, text: bytes) -> bytes:
        """Return the start of a text without secrets; it may end inside a secret."""
        return _hide(text, self._places(text, _END))

    def redact_text(self, text: str) -> str:
        """Return a text without secrets."""
        return _decode(self.redact(text.encode("utf-8", "replace")))

    def are_in(self, text: bytes) -> bool:
        """Return whether a text contains a secret, escaped or not."""
        return any(self._places(text))

    def _places(
        self, text: bytes, cut: re.Pattern[bytes] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield start and end of the secrets in each stage of unescaping a text.

        In one of them, a secret may be found in part only, or not at all: after `%6`,
        its first letter reads as the end of an escape. Starts of secrets before `cut`
        are looked for in the text as it is, and unescaped. A text with very many
        secrets counts as one.
        """
        most = max(_MAX_SECRETS, len(text) // _BYTES_PER_SECRET)
        stage = escapes.Unescaped(text)
        for each in stage.stages(is_wide=self._are_wide):
            spans = [*islice(self._spans(folded(each.plain)), most)]
            if len(spans) == most:
                yield 0, len(text)
                return
            for start, end in _merged(spans):
                yield each.start_of(start), each.end_of(end)
        if cut is not None:
            yield from self._starts(folded(text), cut)
            for start, end in self._starts(folded(stage.plain), cut):
                yield stage.start_of(start), stage.end_of(end)

    @property
    def _all(self) -> tuple[RequestSecrets, ...]:
        return (self, *self.others)

    @property
    def _are_wide(self) -> bool:
        """True if a secret has letters outside ASCII, whose escapes take long."""
        return not all(each.are_ascii for each in self._all)

    def _spans(self, plain: bytes) -> Iterator[tuple[int, int]]:
        """Yield start and end of secrets in a folded text, in any order."""
        for match in _KEY_FORM.finditer(plain):
            start, end = match.span()
            yield _with_letters(plain, start), end
        for each in self._all:
            if each.finder is not None:
                for _, start, end in each.finder.find_matches_as_indexes(plain):
                    yield _with_letters(plain, start), end

    def _starts(
        self, plain: bytes, cut: re.Pattern[bytes]
    ) -> Iterator[tuple[int, int]]:
        """Yield where a start of a secret begins and ends before a match of `cut`."""
        first = 0
        for match in cut.finditer(plain):
            end = match.start()
            first = max(first, end - _MAX_START_BYTES)
            part = escapes.without_cut_escape(plain[first:end], is_wide=self._are_wide)
            place = self._place_of_start(part)
            if place is not None:
                yield _with_letters(plain, first + place), end
            first = match.end()

    def _cut_titles(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield where titles begin and end that end with the start of a secret."""
        for match in TITLE.finditer(text):
            title, is_wide = match[1], self._are_wide
            title = escapes.without_cut_escape(title, is_wide=is_wide)
            title = escapes.unescaped(title, is_wide=is_wide)
            # An escape that was cut may have been a part of another one.
            title = escapes.without_cut_escape(title, is_wide=is_wide)
            if self._place_of_start(folded(title)) is not None:
                yield match.span(1)

    def _place_of_start(self, text: bytes) -> int | None:
        """Return where a text's end is the start of a secret, or None."""
        known = self._all
        for place in range(len(text) - MIN_REDACTABLE_LENGTH + 1):
            beginning = text[place : place + MIN_REDACTABLE_LENGTH]
            for each in known:
                if beginning in each.starts and each._has_start(text[place:]):
                    return place
        return None

    def _has_start(self, start: bytes) -> bool:
        """Return whether one of `secrets` starts with `start`."""
        # In sorted order, secrets that start with a text follow it directly.
        index = bisect_left(self.secrets, start)
        return index < len(self.secrets) and self.secrets[index].startswith(start)


def _with_letters(plain: bytes, start: int) -> int:
    """Return the start of a key with the `_CUT_LETTERS` that are there."""
    if plain.startswith(_KEY_PREFIX, start):
        letters = plain[max(0, start - 2) : start]
        start -= letters.endswith(_CUT_LETTERS[1:]) + (letters == _CUT_LETTERS)
    return start


def folded(plain: bytes) -> bytes:
    """Return a text of the same length, in which secrets are looked for.

    A secret in capitals reveals as much. In a query or a form, `+` and a blank stand
    for each other.
    """
    return plain.lower().replace(b"+", b" ")


def finder_of(texts: Collection[bytes]) -> BytesAhoCorasick:
    """Return the finder of these texts, which are folded."""
    # The default for few texts, a DFA, takes very long for long texts that repeat
    # themselves, and thousands of bytes of memory for each of their bytes.
    return BytesAhoCorasick(
        texts,
        matchkind=MatchKind.LeftmostLongest,
        implementation=Implementation.ContiguousNFA,
    )


_OPEN_ESCAPE = re.compile(rb"(?<!\\)\\++(?:u[0-9a-fA-F]{0,3})?\Z")


def _hide(text: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    """Return a text with `[redacted]` for each span."""
    parts: list[bytes] = []
    end = 0
    for start, stop in _merged(spans):
        # Backslashes before `[redacted]`, or a part of an escape, would break JSON.
        parts += _OPEN_ESCAPE.sub(b"", text[end:start]), HIDDEN
        end = stop
    parts.append(text[end:])
    return b"".join(parts)


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans in order; those that overlap are one, as secrets may overlap."""
    start = end = 0
    for first, stop in sorted(spans):
        if first >= end:
            if end:
                yield start, end
            start = first
        end = max(end, stop)
    if end:
        yield start, end


def redactable(texts: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return secrets unescaped and folded, without short ones, which words contain."""
    forms = (form for text in texts for form in (text, *_without_control(text)))
    plain = {folded(escapes.unescaped(each, is_wide=True)) for each in forms}
    # In a query, `=` at the end of base64 may be read as the end of a field's name.
    plain |= {each.rstrip(b"=") for each in plain}
    long = (each for each in plain if len(each) >= MIN_REDACTABLE_LENGTH)
    prefix = _CUT_LETTERS + _KEY_PREFIX
    return tuple(
        each.removeprefix(_CUT_LETTERS) if each.startswith(prefix) else each
        for each in long
    )


_CONTROL = re.compile(rb"[\0-\x1f]++")


def _without_control(text: bytes) -> Iterator[bytes]:
    """Yield the parts around control characters, and JSON, which has escapes for these.

    Escapes such as `\\n` are not undone when secrets are looked for.
    """
    if _CONTROL.search(text):
        yield from _CONTROL.split(text)
        yield msgspec.json.encode(text.decode("utf-8", "replace"))[1:-1]


def redact_entry(entry: Entry, secrets: RequestSecrets) -> None:
    """Remove secrets from all parts of a journal entry, in place."""
    sent = entry.request
    parts = sent.method.encode(), sent.path.encode(), sent.query, sent.headers
    method, path, query, headers = map(secrets.redact, parts)
    is_part = sent.is_cut and sent.is_unread
    redact_body = secrets.redact_beginning if is_part else secrets.redact
    body = None if sent.body is None else redact_body(sent.body)
    response = secrets.redact_response(entry.response_body)
    # A cut body has this many bytes to spare, as it may end with half a secret.
    if body and sent.is_cut and not is_part:
        body = body[:-ESCAPED_KEY_BYTES]
    if entry.response_is_cut:
        response = response[:-ESCAPED_KEY_BYTES]
    entry.response_body = response
    sent = replace(sent, query=query, headers=headers, body=body)
    entry.request = replace(sent, method=_decode(method), path=_decode(path))
    entry.response_headers = [
        (name, _redacted_header(name, value, secrets))
        for name, value in entry.response_headers
    ]
    hide = partial(redacted_text, secrets=secrets)
    if entry.hint_text is not None:
        entry.hint = hide(entry.hint_text)
    if entry.violations is not None:
        entry.violations = [
            replace(each, path=hide(each.path), message=hide(each.message))
            for each in entry.violations
        ]


def _redacted_header(name: bytes, value: bytes, secrets: RequestSecrets) -> bytes:
    if name == b"set-cookie":
        return HIDDEN
    # Others are not cut, and may be long.
    is_message = name == b"x-mock-hint"
    return secrets.redact_message(value) if is_message else secrets.redact(value)


def redacted_text(message: str, secrets: RequestSecrets) -> str:
    """Return an error message without secrets, as `redact_message` does."""
    return _decode(secrets.redact_message(message.encode("utf-8", "replace")))


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")
