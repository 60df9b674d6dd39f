"""Turns HAR files into a fixture: data from operations, and static responses."""

import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, get_args

import msgspec

from mock_server.api.bound_address import BOUND_PREFIX
from mock_server.api.faults.answer_checks import WITHOUT_BODY, header_mistake
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.redaction import HIDDEN, RequestSecrets
from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from mock_server.fixture.builders.parts import DOT_SEGMENTS
from mock_server.fixture.document import PATH_PATTERN, Method
from mock_server.service.har import reading
from mock_server.service.har.handlers import CapturedData
from mock_server.service.har.observed import Fields
from mock_server.service.har.recorded_secrets import looks_random, secrets_of

NO_URL = "whose address is invalid, or cannot be declared"
_NO_DATA = "of operations whose responses have no data, such as refusals"
_TOO_MANY = "more than a fixture can declare (limit responses)"
TOO_LARGE = "too large for a fixture (limits response_bytes, responses_bytes)"
_NO_BASE64 = "whose response body is not base64, as it claims to be"
METHODS = frozenset(get_args(Method)) - {"OPTIONS"}
"""The methods of recorded responses that are used; preflights (OPTIONS) are not."""
_PARTIAL = (206, 304)
# Headers that are true only at one moment or for one caller, or that affect the browser
# beyond the page. `header_mistake` finds those that only the server itself may send.
_DROPPED_HEADERS = {
    "alt-svc",
    "clear-site-data",
    "content-encoding",
    "content-range",
    "nel",
    "proxy-authenticate",
    "proxy-connection",
    "public-key-pins",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "service-worker-allowed",
    "set-cookie",
    "strict-transport-security",
}
_CHARSET = re.compile(r"(charset\s*=\s*)\"?[^\s;\"]+\"?", re.IGNORECASE)


def omission_reason(exchange: reading.Exchange) -> str | None:
    """Return the reason why a fixture cannot declare a response, None if it can."""
    method, path, status = exchange.method, exchange.path, exchange.status
    if method not in METHODS:
        return "of methods that no fixture can declare"
    if status in _PARTIAL:
        return "answered with a part or with nothing new (status 206 or 304)"
    if not 200 <= status <= 599:
        return "with a status that no fixture can declare"
    is_path = re.fullmatch(PATH_PATTERN, path) and "{" not in path
    if (
        not is_path
        or len(path) > Published.path_chars
        or set(path.split("/")) & {*DOT_SEGMENTS}
    ):
        return NO_URL
    if not exchange.is_whole:
        return "whose response body was not recorded"
    return None if len(exchange.body) <= DEFAULT_LIMITS.response_bytes else TOO_LARGE


def response_part(exchange: reading.Exchange) -> Fields:
    """Return a static response, as in `responses`, that repeats a recorded one."""
    headers = _headers(exchange)
    part: Fields = {"method": exchange.method, "path": exchange.path}
    if exchange.status != 200:
        part["status"] = exchange.status
    body = {} if exchange.status in WITHOUT_BODY else _body(exchange.body)
    if "text" in body and not exchange.is_exact and "content-type" in headers:
        # A HAR file contains decoded text, which this server sends as UTF-8.
        headers["content-type"] = _CHARSET.sub(r"\1utf-8", headers["content-type"])
    return part | ({"headers": headers} if headers else {}) | body


def without_origin(part: Fields, origins: Collection[str]) -> Fields:
    """Return a static response; a redirect to a recorded origin becomes relative."""
    target = part.get("headers", {}).get("location", "")
    for slash in re.finditer("/", target):
        origin = target[: slash.start()]
        if origin in origins:
            headers = part["headers"] | {"location": target.removeprefix(origin)}
            return part | {"headers": headers}
    return part


def _headers(exchange: reading.Exchange) -> dict[str, str]:
    """Return the headers that a fixture can declare; join headers of the same name."""
    values: dict[str, str] = {}
    for name, value in exchange.headers:
        text = value.strip()
        if (
            name in _DROPPED_HEADERS
            or not text
            or header_mistake(name, text, exchange.status)
        ):
            continue
        text = f"{values[name]}, {text}" if name in values else text
        if len(text) <= Published.response_header_chars:
            values[name] = text
    return dict(list(values.items())[: DEFAULT_LIMITS.response_headers])


def _body(content: bytes) -> dict[str, Any]:
    """Return a body as `json` if that keeps its bytes, else as `text` or `base64`."""
    if not content:
        return {}
    with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
        value = msgspec.json.decode(content)
        if msgspec.json.encode(value) == content and _fits_fixture(value):
            return {"json": value}
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


# The value of a static response is a few levels deep in the fixture.
_MAX_DEPTH = Published.json_depth - 4
_MAX_KEY_CHARS = 1_000
"""Maximum length of an escaped key; YAML allows 1,024 (YAML 1.2.2 7.4.2)."""


def _fits_fixture(value: object) -> bool:
    """Return whether keys, integers and depth of a value are allowed in a fixture."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        if not level:
            return True
        children: list[object] = []
        for each in level:
            if isinstance(each, dict):
                if any(len(json.dumps(key)) > _MAX_KEY_CHARS for key in each):
                    return False
                children += each.values()
            elif isinstance(each, list):
                children += each
            elif isinstance(each, int) and abs(each) > Published.integer:
                return False
        level = children
    return False


_SWITCHING_PROTOCOLS = 101


class HarImport:
    """Builds a fixture from the entries of HAR files; later entries replace earlier."""

    def __init__(self, origins: Sequence[str] = (), limits: Limits = Limits()) -> None:
        """Use only requests to `origins`, such as `https://host`, or all requests."""
        self.notes = Notes()
        self.origins: dict[str, int] = {}
        """The number of requests to each origin."""
        self._selected_origins = tuple(each.rstrip("/") for each in origins)
        self._limits = limits
        self._captured = CapturedData()
        self._secrets: set[bytes] = set()
        self._redaction = self._random = RequestSecrets()
        self._responses: dict[tuple[str, str], tuple[str, Fields, int]] = {}
        self._bytes = 0

    def add_entries(self, entries: Sequence[reading.HarEntry]) -> None:
        """Use entries, after removing all credentials that occur in any of them."""
        # A script in an early response may contain the key of a later request.
        for entry in entries:
            self._secrets |= secrets_of(entry)
        self._redaction = RequestSecrets.from_declared(self._secrets)
        self._random = RequestSecrets.from_declared(
            each for each in self._secrets if looks_random(each.decode())
        )
        for entry in entries:
            url = entry.request.url
            request = self._redacted_name(
                entry.request.method, _USER_INFO.sub("//", url)
            )
            try:
                exchange = reading.exchange_of(entry, self._selected_origins)
            except ValueError as error:
                reason = _NO_BASE64 if isinstance(error, reading.BadBody) else NO_URL
                self.notes.omit(reason, request)
                continue
            if (
                not url.startswith(_HTTP)
                or entry.response.status == _SWITCHING_PROTOCOLS
            ):
                self.notes.omit("not of HTTP, such as websockets and data", request)
            elif exchange is None:
                continue
            elif entry.response.status <= 0:
                self.notes.omit("without a response", request)
            else:
                self.origins[exchange.origin] = self.origins.get(exchange.origin, 0) + 1
                self._add_exchange(
                    _without_sandbox(exchange.without_secrets(self._redaction))
                )

    def document(self) -> dict[str, Any]:
        """Return the fixture document."""
        document: dict[str, Any] = {**self._captured.document()}
        if self._responses:
            document["responses"] = [
                without_origin(part, self.origins)
                for _, part, _ in self._responses.values()
            ]
        return document

    def advice(self) -> Iterator[str]:
        """Yield a line for each known gap in the fixture, and lines on omissions."""
        yield from self._captured.gaps()
        yield from self.notes.lines()

    def _add_exchange(self, exchange: reading.Exchange) -> None:
        request = self._redacted_name(exchange.method, exchange.path)
        operation = OPERATIONS.with_path(exchange.path)
        if operation is not None:
            if not self._captured.add_exchange(exchange):
                self.notes.omit(_NO_DATA, request)
        elif OPERATIONS.owner_of(exchange.path):
            self.notes.omit("at the server's own addresses", request)
        elif reason := omission_reason(exchange):
            if exchange.method != "OPTIONS":
                self.notes.omit(reason, request)
        else:
            self._add_response(exchange, request)

    def _redacted_name(self, method: str, url: str) -> str:
        """Return a request by the name that notes use, without secrets."""
        address = self._redaction.redact_text(re.split("[?#]", url)[0])
        return f"{method} {address[:_MAX_NOTE_CHARS]}"

    def _without_secrets(self, path: str) -> str:
        """Return the path with a parameter for each segment that holds a secret."""
        names = [
            f"{{secret{index}}}" if self._holds_secret(each) else each
            for index, each in enumerate(path.split("/"))
        ]
        return "/".join(names)

    def _holds_secret(self, segment: str) -> bool:
        """Return whether a segment is a secret, or has one that looks random.

        Other secrets may be words, which occur in paths such as `/password-reset`.
        """
        content = segment.encode("utf-8", "replace")
        return self._redaction.redact(content) == HIDDEN or self._random.are_in(content)

    def _add_response(self, exchange: reading.Exchange, request: str) -> None:
        """Add a response to the static responses, if the limits allow it."""
        part, size = response_part(exchange), len(exchange.body)
        part["path"] = self._without_secrets(part["path"])
        name = exchange.method, part["path"]
        old = self._responses.get(name)
        if old is None and len(self._responses) == self._limits.responses:
            self.notes.omit(_TOO_MANY, request)
            return
        total = self._bytes + size - (old[2] if old else 0)
        if total > self._limits.responses_bytes:
            self.notes.omit(TOO_LARGE, request)
            return
        if old is not None and old[1] != part:
            self.notes.note_replacement(request, old[0], exchange.origin)
        self._responses[name] = exchange.origin, part, size
        self._bytes = total


_HTTP = ("http://", "https://")
_MAX_NOTE_CHARS = 200
_USER_INFO = re.compile("//[^/?#]*@")


def _without_sandbox(exchange: reading.Exchange) -> reading.Exchange:
    """Return the exchange without the prefix of a bound address of this server."""
    if not exchange.path.startswith(BOUND_PREFIX):
        return exchange
    _, _, rest = exchange.path.removeprefix(BOUND_PREFIX).partition("/")
    return exchange._replace(path=f"/{rest}")


class Notes:
    """Notes on requests that were left out or had several responses."""

    def __init__(self) -> None:
        self._omissions: dict[str, list[str]] = {}
        self._origins_by_request: dict[str, set[str]] = {}
        self._replaced: dict[str, int] = {}

    def omit(self, reason: str, request: str) -> None:
        """Note that a request was left out, and the reason."""
        self._omissions.setdefault(reason, []).append(request)

    def note_replacement(self, request: str, *origins: str) -> None:
        """Note that a later response replaced one; their origins may differ."""
        self._replaced[request] = self._replaced.get(request, 0) + 1
        if len(set(origins)) > 1:
            self._origins_by_request.setdefault(request, set()).update(origins)

    def lines(self) -> Iterator[str]:
        """Yield the notes, one line for each reason."""
        for reason, requests in self._omissions.items():
            count = "1 request" if len(requests) == 1 else f"{len(requests)} requests"
            yield f"left out: {count} {reason}: {_join(list(dict.fromkeys(requests)))}"
        if self._replaced:
            listed = _join(self._replaced)
            yield f"answered in several ways, the last is kept: {listed}"
        for request, origins in self._origins_by_request.items():
            hosts = " and ".join(sorted(origins))
            yield f"{request} was sent to {hosts}: choose with --origin"


def _join(requests: dict[str, int] | list[str]) -> str:
    first = list(requests)[: Published.told_requests]
    more = len(requests) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")
