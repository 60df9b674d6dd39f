"""Turn a HAR file into a fixture: operations as state, all else as static responses."""

import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, get_args

import msgspec

from mock_server.api.bound import BOUND
from mock_server.api.faults.answer_checks import WITHOUT_BODY, header_mistake
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.redaction import RequestSecrets
from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from mock_server.fixture.builders.parts import DOTS
from mock_server.fixture.document import PATH_PATTERN, Method
from mock_server.service.har import reading
from mock_server.service.har.handlers import CapturedData
from mock_server.service.har.observed import Plain

NO_URL = "whose address is invalid, or cannot be declared"
_NO_DATA = "of operations whose responses have no data, such as refusals"
_TOO_MANY = "more than a fixture can declare (limit responses)"
TOO_LARGE = "too large for a fixture (limits response_bytes, responses_bytes)"
_NO_BASE64 = "whose response body is not base64, as it claims to be"
METHODS = frozenset(get_args(Method)) - {"OPTIONS"}
"""Without preflights: the server itself responds to those."""
_PARTIAL = (206, 304)
# Headers about one moment or one caller, and headers that affect the browser beyond the
# page. `header_mistake` finds those that only the server itself may send.
_DROPPED = {
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


def why_not(found: reading.Exchange) -> str | None:
    """Return why a fixture cannot declare a response, None if it can."""
    method, path, status = found.method, found.path, found.status
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
        or set(path.split("/")) & {*DOTS}
    ):
        return NO_URL
    if not found.is_whole:
        return "whose response body was not recorded"
    return None if len(found.body) <= DEFAULT_LIMITS.response_bytes else TOO_LARGE


def response_part(found: reading.Exchange) -> Plain:
    """Return the entry of `responses` that repeats a recorded response."""
    headers = _headers(found)
    part: Plain = {"method": found.method, "path": found.path}
    if found.status != 200:
        part["status"] = found.status
    body = {} if found.status in WITHOUT_BODY else _body(found.body)
    if "text" in body and not found.is_exact and "content-type" in headers:
        # A HAR file has the decoded text, which is sent as UTF-8.
        headers["content-type"] = _CHARSET.sub(r"\1utf-8", headers["content-type"])
    return part | ({"headers": headers} if headers else {}) | body


def without_origin(part: Plain, origins: Collection[str]) -> Plain:
    """Return an entry whose redirect to a recorded origin leads to this server."""
    target = part.get("headers", {}).get("location", "")
    for slash in re.finditer("/", target):
        origin = target[: slash.start()]
        if origin in origins:
            headers = part["headers"] | {"location": target.removeprefix(origin)}
            return part | {"headers": headers}
    return part


def _headers(found: reading.Exchange) -> dict[str, str]:
    """Return the headers that a fixture can declare; join those of one name."""
    kept: dict[str, str] = {}
    for name, value in found.headers:
        text = value.strip()
        if name in _DROPPED or not text or header_mistake(name, text, found.status):
            continue
        text = f"{kept[name]}, {text}" if name in kept else text
        if len(text) <= Published.response_header_chars:
            kept[name] = text
    return dict(list(kept.items())[: DEFAULT_LIMITS.response_headers])


def _body(content: bytes) -> dict[str, Any]:
    """Return a body as `json` if that keeps its bytes, else as text or base64."""
    if not content:
        return {}
    with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
        value = msgspec.json.decode(content)
        if msgspec.json.encode(value) == content and _can_stand(value):
            return {"json": value}
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


# The entry is itself in a list in an object.
_DEPTH = Published.json_depth - 4
_KEY_CHARS = 1_000
"""The longest key with its escapes; YAML allows 1,024 (YAML 1.2.2 7.4.2)."""


def _can_stand(value: object) -> bool:
    """Return whether a fixture can hold a value: its keys, integers and depth."""
    level = [value]
    for _ in range(_DEPTH):
        if not level:
            return True
        below: list[object] = []
        for each in level:
            if isinstance(each, dict):
                if any(len(json.dumps(key)) > _KEY_CHARS for key in each):
                    return False
                below += each.values()
            elif isinstance(each, list):
                below += each
            elif isinstance(each, int) and abs(each) > Published.integer:
                return False
        level = below
    return False


_SOCKET = 101


class Import:
    """Collects the entries of HAR files, in order; later ones win."""

    def __init__(self, origins: Sequence[str] = (), limits: Limits = Limits()) -> None:
        """Use only requests to the `origins`, such as `https://host`, or all."""
        self.notes = Notes()
        self.origins: dict[str, int] = {}
        """The number of requests to each origin."""
        self._only = tuple(each.rstrip("/") for each in origins)
        self._limits = limits
        self._captured = CapturedData()
        self._secrets: set[bytes] = set()
        self._hidden = RequestSecrets()
        self._answers: dict[tuple[str, str], tuple[str, Plain, int]] = {}
        self._bytes = 0

    def take(self, entries: Sequence[reading.HarEntry]) -> None:
        """Use entries, without the credentials that any of them shows."""
        # A script may hold the key that a later request is sent with.
        for entry in entries:
            self._secrets |= reading.secrets_of(entry)
        self._hidden = RequestSecrets.among(self._secrets)
        for entry in entries:
            url = entry.request.url
            request = self._named(entry.request.method, _USER.sub("//", url))
            try:
                found = reading.recorded(entry, self._only)
            except ValueError as error:
                why = _NO_BASE64 if isinstance(error, reading.BadBody) else NO_URL
                self.notes.left_out(why, request)
                continue
            if not url.startswith(_HTTP) or entry.response.status == _SOCKET:
                self.notes.left_out("not of HTTP, such as websockets and data", request)
            elif found is None:
                continue
            elif entry.response.status <= 0:
                self.notes.left_out("without a response", request)
            else:
                self.origins[found.origin] = self.origins.get(found.origin, 0) + 1
                self._take(_unbound(found.without(self._hidden)))

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {**self._captured.document()}
        if self._answers:
            document["responses"] = [
                without_origin(part, self.origins)
                for _, part, _ in self._answers.values()
            ]
        return document

    def advice(self) -> Iterator[str]:
        """Yield a line for each gap in the fixture and each omission."""
        yield from self._captured.missing()
        yield from self.notes.lines()

    def _take(self, exchange: reading.Exchange) -> None:
        request = self._named(exchange.method, exchange.path)
        operation = OPERATIONS.meant_by(exchange.path)
        if operation is not None:
            if not self._captured.take(exchange):
                self.notes.left_out(_NO_DATA, request)
        elif OPERATIONS.owner_of(exchange.path):
            self.notes.left_out("at the server's own addresses", request)
        elif reason := why_not(exchange):
            if exchange.method != "OPTIONS":
                self.notes.left_out(reason, request)
        else:
            self._put(exchange, request)

    def _named(self, method: str, url: str) -> str:
        """Return a request as notes name it, without secrets."""
        shown = self._hidden.redact_text(re.split("[?#]", url)[0])
        return f"{method} {shown[:_SHOWN]}"

    def _without_secrets(self, path: str) -> str:
        """Return the path with a parameter for each segment that holds a secret."""
        kept = [
            f"{{secret{at}}}" if self._holds_secret(each) else each
            for at, each in enumerate(path.split("/"))
        ]
        return "/".join(kept)

    def _holds_secret(self, text: str) -> bool:
        return self._hidden.are_in(text.encode("utf-8", "replace"))

    def _put(self, exchange: reading.Exchange, request: str) -> None:
        """Keep a response as an entry of `responses`, if there is room for it."""
        name, size = (exchange.method, exchange.path), len(exchange.body)
        old = self._answers.get(name)
        if old is None and len(self._answers) == self._limits.responses:
            self.notes.left_out(_TOO_MANY, request)
            return
        total = self._bytes + size - (old[2] if old else 0)
        if total > self._limits.responses_bytes:
            self.notes.left_out(TOO_LARGE, request)
            return
        part = response_part(exchange)
        part["path"] = self._without_secrets(part["path"])
        if old is not None and old[1] != part:
            self.notes.replaced(request, old[0], exchange.origin)
        self._answers[name] = exchange.origin, part, size
        self._bytes = total


_HTTP = ("http://", "https://")
_SHOWN = 200
_USER = re.compile("//[^/?#]*@")


def _unbound(exchange: reading.Exchange) -> reading.Exchange:
    """Return the exchange without the sandbox in an address of our own server."""
    if not exchange.path.startswith(BOUND):
        return exchange
    _, _, rest = exchange.path.removeprefix(BOUND).partition("/")
    return exchange._replace(path=f"/{rest}")


class Notes:
    """Requests by note, in the order of the notes."""

    def __init__(self) -> None:
        self._left_out: dict[str, list[str]] = {}
        self._changed: dict[str, set[str]] = {}
        self._replaced: dict[str, int] = {}

    def left_out(self, why: str, request: str) -> None:
        self._left_out.setdefault(why, []).append(request)

    def replaced(self, request: str, *origins: str) -> None:
        """Note that a later response replaced one, perhaps of another host."""
        self._replaced[request] = self._replaced.get(request, 0) + 1
        if len(set(origins)) > 1:
            self._changed.setdefault(request, set()).update(origins)

    def lines(self) -> Iterator[str]:
        for why, requests in self._left_out.items():
            count = "1 request" if len(requests) == 1 else f"{len(requests)} requests"
            yield f"left out: {count} {why}: {_some(list(dict.fromkeys(requests)))}"
        if self._replaced:
            yield f"answered in several ways, the last is kept: {_some(self._replaced)}"
        for request, origins in self._changed.items():
            hosts = " and ".join(sorted(origins))
            yield f"{request} was sent to {hosts}: choose with --origin"


def _some(requests: dict[str, int] | list[str]) -> str:
    shown = list(requests)[: Published.told_requests]
    more = len(requests) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
