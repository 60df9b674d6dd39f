"""The journal as HAR 1.2, which browsers' tools and many programs read."""

from base64 import b64encode
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import parse_qsl, quote

from msgspec import UNSET, UnsetType, field

from mock_server import __version__
from mock_server.api.headers import Header, media_type, values
from mock_server.domain.clock import format_time
from mock_server.domain.journal import Entry, Sent
from mock_server.views import View

_URL_CHARS = "/%:@!$&'()*+,;=~-._"
_HTTP = "HTTP/1.1"


class HarPair(View):
    """A header field, or a field of a query."""

    name: str
    value: str


class HarPostData(View):
    """The body of a request; `params` are those of a form, of which none are told."""

    mime_type: str
    text: str
    params: list[HarPair] = field(default_factory=list)


class HarContent(View):
    """The body of an answer, as text or in base64; size in bytes.

    `_truncated` says that only its beginning was kept.
    """

    size: int
    mime_type: str
    text: str
    encoding: str | UnsetType = UNSET
    truncated: bool | UnsetType = field(name="_truncated", default=UNSET)


class HarRequestView(View, kw_only=True):
    """A request. Cookies are among the headers; sizes are not known (-1)."""

    method: str
    url: str
    http_version: str = _HTTP
    cookies: list[HarPair] = field(default_factory=list)
    headers: list[HarPair]
    query_string: list[HarPair]
    post_data: HarPostData | UnsetType = UNSET
    headers_size: int = -1
    body_size: int = -1


class HarResponseView(View, kw_only=True):
    """An answer; its status is 0 if there was none."""

    status: int
    status_text: str
    http_version: str = _HTTP
    cookies: list[HarPair] = field(default_factory=list)
    headers: list[HarPair]
    content: HarContent
    redirect_url: str = field(name="redirectURL", default="")
    headers_size: int = -1
    body_size: int = -1


class HarTimings(View):
    """Milliseconds that the parts of an exchange took."""

    wait: float
    send: float = 0
    receive: float = 0


class HarCache(View):
    """What a browser's cache had: nothing."""


class HarEntryView(View, kw_only=True):
    """An entry of the journal: its number, its operation, its fault if one fired."""

    started_date_time: str
    time: float
    request: HarRequestView
    response: HarResponseView
    cache: HarCache = field(default_factory=HarCache)
    timings: HarTimings
    comment: str | UnsetType = UNSET
    seq: int = field(name="_seq")
    operation: str | None = field(name="_operation")
    fault: str | UnsetType = field(name="_fault", default=UNSET)


class HarCreator(View):
    """The program that writes this."""

    name: str = "mock-server"
    version: str = __version__


class HarLogView(View, kw_only=True):
    """The entries asked for; `_next` is the `since` that goes on where they end."""

    version: str = "1.2"
    creator: HarCreator = field(default_factory=HarCreator)
    entries: list[HarEntryView]
    next: int = field(name="_next")


class HarView(View):
    """A journal as HAR 1.2 has it."""

    log: HarLogView


def har_view(entries: list[HarEntryView], following: int) -> HarView:
    """The file that holds these entries; `following` is the number after them."""
    return HarView(HarLogView(entries=entries, next=following))


def har_entry(entry: Entry, host: str) -> HarEntryView:
    """An entry of the journal; `host` is where the server is if it does not say."""
    hint, took = entry.hint_text, round(entry.duration_ms, 3)
    firing = entry.firing
    return HarEntryView(
        started_date_time=format_time(entry.time),
        time=took,
        request=_request(entry.sent, host),
        response=HarResponseView(
            status=entry.status,
            status_text=_phrase(entry.status),
            headers=_pairs(entry.answer_headers),
            content=_content(entry),
            redirect_url=_value(entry.answer_headers, b"location"),
        ),
        timings=HarTimings(wait=took),
        comment=UNSET if hint is None else hint,
        seq=entry.seq,
        operation=entry.operation,
        fault=UNSET if firing is None else firing.fault.definition.kind,
    )


def _request(sent: Sent, host: str) -> HarRequestView:
    headers = sent.header_pairs()
    query = sent.query.decode("latin-1")
    url = f"http://{_value(headers, b'host') or host}{quote(sent.path, _URL_CHARS)}"
    posted: HarPostData | UnsetType = UNSET
    if sent.body:
        text = sent.body.decode("utf-8", "replace")
        posted = HarPostData(_value(headers, b"content-type"), text)
    pairs = parse_qsl(query, keep_blank_values=True)
    return HarRequestView(
        method=sent.method,
        url=f"{url}?{quote(query, _URL_CHARS + '?')}" if query else url,
        headers=_pairs(headers),
        query_string=[HarPair(*pair) for pair in pairs],
        post_data=posted,
    )


def _content(entry: Entry) -> HarContent:
    mime_type = media_type(entry.answer_headers)
    size, cut = len(entry.answer), True if entry.answer_is_cut else UNSET
    try:
        return HarContent(size, mime_type, entry.answer.decode(), truncated=cut)
    except UnicodeDecodeError:
        text = b64encode(entry.answer).decode()
        return HarContent(size, mime_type, text, "base64", cut)


def _pairs(headers: Sequence[Header]) -> list[HarPair]:
    return [HarPair(*(each.decode("latin-1") for each in pair)) for pair in headers]


def _value(headers: Sequence[Header], name: bytes) -> str:
    """The first value of a header, by its name in lower case; "" if there is none."""
    return next(iter(values(headers, name)), b"").decode("latin-1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
