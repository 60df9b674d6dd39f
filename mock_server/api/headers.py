"""Reads and checks request headers.

ASGI gives lower-case names and raw values in the order in which they were sent, with
duplicates. No function here knows a sandbox: callers decide which key is accepted.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from urllib.parse import parse_qsl, unquote

from msgspec import Struct
from starlette.types import Scope

from mock_server.api import errors
from mock_server.api.redaction import HIDDEN
from mock_server.domain.access import KEY_PATTERN, MIN_REDACTABLE_LENGTH, secret_part
from mock_server.domain.choices.reading import choices_hint, remedies, tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.faults.firing import RequestHead
from mock_server.domain.limits import Limits, Published
from mock_server.domain.messages import describe_value

Header = tuple[bytes, bytes]

REQUEST_ID = b"x-request-id"
"""Header with the id of a request, in requests and responses."""

AUTHORIZATION = "header Authorization"
"""The place that error messages name for a missing or unknown API key."""

FIELDS_IN_BODY = "send the fields as a JSON body: the query is not read"
"""Hint for a request without a body, whose query may have the fields."""

CREDENTIAL_NAME = re.compile(
    "(?<!max)(?<!max[-_ ])token(?!izer|[-_ ]*type)|session|"
    "auth(?!or(?!i[sz])|[-_ ]*type)|secret|passw|"
    "(?<!by)(?<!com)pass(?:phrase|code|(?-i:(?![a-z])))|pwd|"
    "jwt|[cx]srf|(?<![a-z])(?:sid|sig|mfa)(?![a-z])|"
    "ticket|signature|credential|psw|(?<![a-z])t?otp|"
    "(?:api|app|root|access|private|master|signing|hmac|pass|encrypt(?:ion)?|aes|"
    "subscription|functions)[-_ ]*key|^x-key$",
    re.IGNORECASE,
)
"""Matches names of headers, cookies and fields that hold credentials."""
HEADER_WORD = re.compile(r"""(?<![^\s,;="'{}:/])[^\s,;="'{}:/]{8,}+(?!["']?[=:])""")
"""Matches words of a header, except names such as `username` in `username="u"`."""
_MAX_WORDS_CHARS = 16 * Published.key_chars
"""Maximum length of the words of a request that may be keys."""
_KEYLESS = (b"", b"bearer")
"""Values of Authorization without a key, in lower case."""
_FOREIGN_KEY_HEADERS = {b"x-api-key", b"api-key", b"apikey"}
"""Headers in which other services take keys."""
_LOGIN_COOKIE = b"fastgpt_token"
# RFC 9110 11.1: the scheme in any case; one key after it.
_BEARER = re.compile(rb"[ \t]*bearer +(%b)[ \t]*" % KEY_PATTERN.encode(), re.IGNORECASE)
_REQUEST_ID_FORM = re.compile(rb"[A-Za-z0-9._-]{1,%d}" % Published.request_id_chars)


class ParsedHeaders(Struct, frozen=True, eq=False):
    """The parsed headers of a request.

    `key` is the bearer token; None if there is none, more than one, or one that is too
    long; `unread_keys` are then the words in Authorization, of which one may be a key,
    and always those in the headers in which other services take keys.
    `is_json` is True for exactly `Content-Type: application/json`;
    `check_content_type` accepts other forms. `length` is the announced length of the
    body in bytes, 0 if none is announced; `has_body` is True for a request with a body
    (RFC 9112 6.3). `has_origin` is True if a header Origin names the page that sends
    the request. `journal_text` are all headers as the journal stores them: one on a
    line, without credentials. `login` is the login token. `has_request_id` is True if
    the request has a header `x-request-id`, even one that is not valid.
    """

    key: str | None
    is_json: bool
    length: int
    has_body: bool
    is_chunked: bool
    has_origin: bool
    journal_text: bytes
    login: str | None = None
    has_request_id: bool = False
    unread_keys: tuple[str, ...] = ()

    @property
    def credentials(self) -> tuple[str | None, ...]:
        """The key, the login token, and the texts that may be a key.

        They are words, and the key without an app id, and without punctuation around
        it: a client may send it so elsewhere.
        """
        sent = self.key or "", *self.unread_keys
        others = {secret_part(each.strip(_AROUND_KEY)) for each in sent}
        return self.key, self.login, *self.unread_keys, *(others - {*sent})


_AROUND_KEY = "<>()[]{}\"'`.,;:\\"


def parse_headers(headers: Sequence[Header]) -> ParsedHeaders:
    """Parse the headers of a request. Invalid headers raise no error."""
    by_name: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        by_name.setdefault(name, []).append(value)
    try:
        key = bearer_token(headers)
    except (errors.MissingAuthorization, errors.UnknownKey):
        key = None
    # Several lengths are equal: the wire layer refuses different ones.
    lengths = by_name.get(b"content-length", ())
    # Authorization comes last, as it may have more words than are kept.
    unread = *_FOREIGN_KEY_HEADERS, *(() if key else (b"authorization",))
    length = _announced_length(lengths[0]) if lengths else 0
    return ParsedHeaders(
        key=key,
        is_json=by_name.get(b"content-type") == [b"application/json"]
        and b"content-encoding" not in by_name,
        length=length,
        has_body=bool(length or b"transfer-encoding" in by_name),
        is_chunked=b"transfer-encoding" in by_name,
        has_origin=b"origin" in by_name,
        # Stored as one text, which takes less memory than pairs, and can be searched
        # for secrets in one pass.
        journal_text=b"\n".join(
            b"%b:%b" % _redacted_header(*header) for header in headers
        ),
        login=login_token(headers),
        has_request_id=REQUEST_ID in by_name,
        unread_keys=_words(value for name in unread for value in by_name.get(name, ())),
    )


def _words(texts: Iterable[bytes]) -> tuple[str, ...]:
    """Return the long words of a header, with and without punctuation in them.

    Words are left out after 20, or if they are too long together: to look for them
    takes time.
    """
    text = b" ".join(texts).decode("latin-1")
    whole = (word for word in text.split() if not word.endswith(":"))
    words = dict.fromkeys((*whole, *HEADER_WORD.findall(text)))
    kept = [each for each in words if len(each) >= MIN_REDACTABLE_LENGTH][:20]
    ends = accumulate(map(len, kept))
    return tuple(
        each for each, end in zip(kept, ends, strict=True) if end <= _MAX_WORDS_CHARS
    )


class HeaderParser:
    """Parses the headers of requests, and caches repeated ones, as parsing is slow."""

    def __init__(self, limits: Limits) -> None:
        """`limits` has the number of heads that are cached, and their maximum size."""
        self._max_heads, self._max_head_bytes = (
            limits.cached_heads,
            limits.cached_head_bytes,
        )
        self._cached: dict[tuple[Header, ...], ParsedHeaders] = {}

    def parse(self, scope: Scope) -> ParsedHeaders:
        """Return the parsed headers of a request."""
        headers = tuple(scope["headers"])
        try:
            return self._cached.get(headers) or self._read(headers)
        except TypeError:  # some servers give lists instead of pairs
            return parse_headers(headers)

    def _read(self, headers: tuple[Header, ...]) -> ParsedHeaders:
        head = parse_headers(headers)
        if (
            sum(len(name) + len(value) for name, value in headers)
            <= self._max_head_bytes
        ):
            if len(self._cached) >= self._max_heads:
                # Remove all: with more heads than fit, removing one at a time does not
                # help either.
                self._cached.clear()
            self._cached[headers] = head
        return head


def _redacted_header(name: bytes, value: bytes) -> Header:
    """Return a header without credentials; `Bearer` without a key stays."""
    is_secret = _is_secret_name(name) and value.strip().lower() not in _KEYLESS
    return name, HIDDEN if is_secret else value


@lru_cache
def _is_secret_name(name: bytes) -> bool:
    return name == b"cookie" or bool(CREDENTIAL_NAME.search(name.decode("latin-1")))


def head_of(scope: Scope) -> RequestHead:
    """Return the head of a request for faults and answers to match."""
    query = scope["query_string"].decode("latin-1")
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    headers = {name.decode(): text.decode("latin-1") for name, text in scope["headers"]}
    return RequestHead(scope["path"], parameters, headers)


def values(headers: Iterable[Header], name: bytes) -> list[bytes]:
    """Return all values of a header, in order; `name` is in lower case."""
    return [value for known, value in headers if known == name]


def announces_body(headers: Iterable[Header]) -> bool:
    """Return whether an HTTP/1 request has a nonempty body (RFC 9112 6.3)."""
    by_name = dict(headers)
    has_length = by_name.get(b"content-length", b"0").strip(b"0") != b""
    return has_length or b"transfer-encoding" in by_name


def bearer_token(headers: Iterable[Header]) -> str:
    """Return the bearer token of a request (spec 5).

    Raises MissingAuthorization unless there is exactly one in the right form, and
    UnknownKey if it is too long for a key.
    """
    tokens = values(headers, b"authorization")
    match = _BEARER.fullmatch(tokens[0]) if len(tokens) == 1 else None
    if match is None:
        raise missing_authorization(tokens)
    if len(match[1]) > Published.key_chars:
        expected = f"a key of at most {Published.key_chars} characters"
        raise errors.UnknownKey(expected, f"one of {len(match[1])}", AUTHORIZATION)
    return match[1].decode("ascii")


def missing_authorization(
    tokens: Sequence[bytes], *served_by: str, headers: Iterable[Header] = ()
) -> Refusal:
    """Return the refusal for these values of Authorization, of any number.

    `served_by` are the choices that would accept the request; one of its other
    `headers` may have the key.
    """
    got = "something else" if tokens else "nothing"
    if len(tokens) > 1:
        got = "two"
    elif tokens and tokens[0].strip().lower() in _KEYLESS:
        got = "one without a key"
    elif tokens and not tokens[0].strip().lower().startswith((b"bearer ", HIDDEN)):
        got = 'a header that does not begin with "Bearer "'
    elif tokens and tokens[0].lower().startswith(b"bearer bearer "):
        got = '"Bearer" twice'
    expected, hint = "one header `Authorization: Bearer KEY`", choices_hint(*served_by)
    if got == "one without a key":
        hint = f"is a variable such as $KEY unset?{f' {hint}' if hint else ''}"
    elif not tokens and (names := {name for name, _ in headers} & _FOREIGN_KEY_HEADERS):
        hint = f"no key is read in header {min(names).decode()}"
    return errors.MissingAuthorization(expected, got, AUTHORIZATION, hint)


def login_token(headers: Sequence[Header]) -> str | None:
    """Return the login token: header `token`, else cookie `fastgpt_token`."""
    tokens = values(headers, b"token")
    for cookies in values(headers, b"cookie"):
        pairs = (each.strip().partition(b"=") for each in cookies.split(b";"))
        tokens += [value for name, _, value in pairs if name == _LOGIN_COOKIE]
    token = tokens[0].decode("latin-1") if tokens else ""
    return unquote(token)[: Published.key_chars] or None


def check_media_type(headers: Sequence[Header], expected: str) -> None:
    """Raise UnsupportedMediaType unless the body has the media type `expected`.

    An encoded (compressed) body is refused, too.
    """
    _check_encoding(headers)
    if media_type(headers) != expected:
        got = _as_text(values(headers, b"content-type"))
        raise errors.UnsupportedMediaType(expected, got, "header Content-Type")


def check_content_type(
    headers: Sequence[Header],
    choices: Choices,
    choice: str = "content_type_missing",
    advice: str = FIELDS_IN_BODY,
) -> None:
    """Raise UnsupportedMediaType unless the headers declare JSON in UTF-8 (spec 5).

    Without the header, the choice of that name decides; without a body, the hint is
    `advice` on sending the fields.
    """
    _check_encoding(headers)
    types = values(headers, b"content-type")
    if types == [b"application/json"]:
        return
    if not types and tolerates(choices, choice):
        return
    if len(types) != 1 or not _is_json(types[0].decode("latin-1")):
        expected, got = "application/json in UTF-8", _as_text(types)
        hint = "" if types else choices_hint(*remedies(choices, choice))
        if types == [b"application/x-www-form-urlencoded"]:  # the default of curl -d
            advice = "with curl add -H 'Content-Type: application/json'"
            hint = f"send JSON, not a form; {advice}"
        if choice == "content_type_missing" and not announces_body(headers):
            hint = advice
        raise errors.UnsupportedMediaType(expected, got, "header Content-Type", hint)


def _check_encoding(headers: Sequence[Header]) -> None:
    # The server decompresses no body: a small one may hold gigabytes.
    encodings = values(headers, b"content-encoding")
    if encodings and encodings != [b"identity"]:
        got = _as_text(encodings)
        raise errors.UnsupportedMediaType(
            "a plain body", got, "header Content-Encoding"
        )


def check_related_content_type(
    method: str, headers: Sequence[Header], expected: str, choices: Choices, advice: str
) -> None:
    """Raise UnsupportedMediaType for a body type that a related route refuses.

    A GET or DELETE without Content-Type passes, unless choice query_delete requires the
    type. If a request has no body, a type other than JSON counts as no type: axios and
    aiohttp add one to a POST without data.
    """
    if expected != "application/json":
        if expected != "*/*":
            check_media_type(headers, expected)
        return
    if method == "DELETE" and choices.query_delete == "needs_json_type":
        check_content_type(headers, choices, "query_delete")
        return
    if not announces_body(headers) and media_type(headers) != expected:
        headers = [each for each in headers if each[0] != b"content-type"]
    names = {name for name, _ in headers}
    if method not in ("GET", "DELETE") or b"content-type" in names:
        check_content_type(headers, choices, advice=advice)


def media_type(headers: Sequence[Header]) -> str:
    """Return the media type without its parameters; "" unless there is exactly one."""
    types = values(headers, b"content-type")
    text = types[0].decode("latin-1") if len(types) == 1 else ""
    return text.partition(";")[0].strip().lower()


def _is_json(content_type: str) -> bool:
    media_type, *parameters = content_type.lower().split(";")
    pairs = [parameter.strip().partition("=") for parameter in parameters]
    # JSON has no charset parameter (RFC 8259 11), but clients send it.
    charsets = [value.strip('"') for name, _, value in pairs if name == "charset"]
    is_utf8 = set(charsets) <= {"utf-8", "utf8"}
    return media_type.strip() == "application/json" and is_utf8


def _as_text(texts: list[bytes]) -> str:
    return describe_value(b", ".join(texts).decode("latin-1")) if texts else "nothing"


def _announced_length(digits: bytes) -> int:
    """Return a Content-Length in bytes, 0 if invalid; at most 18 digits count."""
    digits = digits.lstrip(b"0")
    return int(digits[:18]) if digits.isdigit() else 0


def valid_id(ids: Sequence[bytes]) -> str | None:
    """Return the request id if `ids` is exactly one valid value, else None."""
    is_valid = len(ids) == 1 and _REQUEST_ID_FORM.fullmatch(ids[0])
    return ids[0].decode() if is_valid else None


def generated_id(sandbox: str, generation: int, entry_number: int) -> str:
    """Return an id for a request that sent none, such as `default-1-42`.

    The id is unique on the server; `entry_number` is the number of the journal entry.
    """
    return f"{sandbox}-{generation}-{entry_number}"
