"""Reads HAR files: their entries, and the exchanges and secrets in them."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec
from msgspec import Struct, field

from mock_server.api.headers import CREDENTIAL_NAME, HEADER_WORD
from mock_server.api.operations.related.route import query_fields
from mock_server.api.redaction import HIDDEN, RequestSecrets

Headers = tuple[tuple[str, str], ...]
_NOT_JSON = msgspec.MsgspecError, UnicodeError, RecursionError
_MAX_DIGITS = 20
_MIN_TOKEN_CHARS = 20
_ID_NAME = re.compile("(?:(?:^|_)id|[a-z]I[dD])s?$")
# Matches a change between a letter and a digit: tokens have many, words hardly any.
_LETTER_DIGIT_CHANGE = re.compile("[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_MIN_CHANGES = 3
# Matches texts after prefixes of API keys; an ordinary word may follow one, too.
_KEY = re.compile(r"\b(?:(?:fastgpt|sk)-|Bearer +)([\w.~+/=-]{16,})")
_BASIC = re.compile(r"\bBasic +([A-Za-z0-9+/]{8,}=*)")
# Matches segments of paths that are API keys, but not names of files.
_KEY_SEGMENT = re.compile(r"(?:fastgpt|sk|sk-proj)-(\w{16,}+)(?!\.)")
_CREATES_KEY = "/support/openapi/create"
_URL = re.compile(r"[a-z]{2,16}://[^\s\"'<>\\]+")
# Matches a separator and the text after it: in quotes, or a word that ends the line. It
# matches without the second quote, too: else a text of many first quotes would take
# long. A text in backticks has no blanks, as two may be half a script apart.
_VALUE = re.compile(
    r"""[:=]\s*+(?:"((?:[^"\\]|\\.)*+)|'((?:[^'\\]|\\.)*+)|`([^`\s]{8,}+)`"""
    r"""|(?P<bare>[\w.~+/-]{8,}+=*+)(?=[\r\n]|\Z))""",
    re.DOTALL,
)
_TAG = re.compile(r"<(?:meta|input)\s([^<>]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'=<>]++))"""
)
# Matches two texts as the first arguments of a call, such as `set("name", "value"`.
_ARGUMENTS = re.compile(r"""\(\s*+["']([\w-]++)["']\s*+,\s*+["']([^"'\s]++)["']""")
_LABELS, _VALUES = ("name", "key", "field", "id"), ("value", "val")
_MAX_NAME_CHARS = 64
_MAX_URLS = 3  # a value of a URL may be a URL, and so on
_NOT_IN_NAME = re.compile(r"[^\w-]")
_TOKEN = re.compile(r"[\w~+=][\w.~+/=-]{7,}")  # not a path or a URL
_BEGINNINGS = ("{", "[", "mutation", "query", "subscription")  # of JSON and GraphQL
_PART_HEAD = re.compile("content-disposition: *form-data", re.IGNORECASE)
_PART_NAME = re.compile(r'[; ]name="?([^";\n]*)')
_FILE_NAME = re.compile(r"[; ]filename\*?=")
_OBJECT_ID = re.compile("[0-9a-f]{24}")
_BYTE_ORDER_MARK = "\ufeff"
# Values of scripts that have no key, and of files that are redacted already.
_KNOWN_NON_SECRETS = {b"undefined", HIDDEN}


class Exchange(NamedTuple):
    """A request and its response.

    `path` is the path below `origin` (such as `https://host`), escaped as it was sent,
    without the query. `body` is the body of the response, without content encoding.
    `is_whole` is True if the HAR file contains it, `is_exact` if its bytes are those
    that were sent: a text may have had another charset.
    """

    method: str
    path: str
    query: str
    request_body: bytes
    status: int
    headers: Headers
    body: bytes
    origin: str = ""
    is_whole: bool = True
    is_exact: bool = True

    def without_secrets(self, secrets: RequestSecrets) -> "Exchange":
        """Return the exchange without secrets in query, bodies and response headers."""
        return self._replace(
            query=secrets.redact_text(self.query),
            request_body=secrets.redact(self.request_body),
            headers=tuple(
                (name, secrets.redact_text(value)) for name, value in self.headers
            ),
            body=secrets.redact(self.body),
        )

    def request_fields(self) -> dict[str, Any]:
        """Return the fields of body and query; those of the query win."""
        fields = query_fields(self.query.encode("utf-8", "replace"))
        body = _json(self.request_body)
        return {**body, **fields} if isinstance(body, dict) else dict(fields)

    def response_data(self) -> object:
        """Return the data of a success. Raises ValueError for any other response.

        `code` decides, because an error may have status 200 (choice error_http_status).
        """
        envelope = _json(self.body) if self.status == 200 else None
        if not isinstance(envelope, dict) or envelope.get("code") != 200:
            raise ValueError("not a success")
        return envelope.get("data")


def _json(content: bytes) -> object:
    """Return the value of a JSON text, None if it is invalid."""
    try:
        return msgspec.json.decode(content)
    except _NOT_JSON:
        return None


def _secrets(headers: Headers) -> Iterator[str]:
    """Yield API keys and tokens in the headers of a request or a response."""
    for name, value in headers:
        if name in ("cookie", "set-cookie"):
            for cookie, text in _cookies(name, value):
                # Other short values are often words, which occur in many texts.
                if CREDENTIAL_NAME.search(cookie) or _is_long(text):
                    yield from (text, text.strip('"'))
                yield from _secrets_in_body(unquote(text), is_sent=name == "cookie")
        elif CREDENTIAL_NAME.search(name):
            scheme, _, text = value.rpartition(" ")
            yield from (text, text.partition("=")[2].strip('"'))
            yield from filter(_looks_random, HEADER_WORD.findall(value))
            yield from _secrets_in_body(value, is_sent=True)
            if scheme.lower() == "basic":
                yield from _credentials(text)
        elif "?" in value or "#" in value or "@" in value:
            for url in re.split(r"[\s<>\"]+", value):
                yield from _secrets_in_url(url)
        yield from _secrets_in_text(value)


def _cookies(header: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of the cookies in a header."""
    pairs = value.split(";")
    if header == "set-cookie":  # browsers join several of these headers by line ends
        pairs = [each.partition(";")[0] for each in value.split("\n")]
    for pair in pairs:
        cookie, _, text = pair.strip().partition("=")
        yield cookie, text


class HeaderField(Struct):
    name: str
    value: str


class PostData(Struct):
    """The body of a request."""

    text: str | None = None
    params: Any = None


class ResponseBody(Struct):
    """The body of a response; `encoding` is that of `text`, such as `base64`."""

    size: float = 0
    text: str | None = None
    encoding: str | None = None


class HarRequest(Struct, rename="camel"):
    method: str
    url: str
    headers: list[HeaderField] = []
    post_data: PostData | None = None
    cookies: Any = None
    query_string: Any = None


class HarResponse(Struct):
    """A response; its status is 0 or less if the request got no response."""

    status: int
    headers: list[HeaderField] = []
    content: ResponseBody = field(default_factory=ResponseBody)
    cookies: Any = None


class HarEntry(Struct):
    request: HarRequest
    response: HarResponse


class HarLog(Struct):
    entries: list[HarEntry]


class Har(Struct):
    log: HarLog


class NotHar(ValueError):
    """The file is not a HAR file; the message says why, and names the place."""


class BadBody(ValueError):
    """A body does not have its declared encoding."""


def read_har(content: bytes, name: str) -> Har:
    """Parse the bytes of the HAR file `name`. Raises NotHar."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if content.lstrip()[:1] == b"<":
        raise NotHar(f"Expected a HAR file, got HTML or XML - at {name}")
    try:
        try:
            return msgspec.json.decode(content, type=Har)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeError):
            # Python's parser is slower, but it reports the position, and it accepts
            # halves of surrogate pairs, which browsers leave when they cut a text.
            text = content.decode()
            return msgspec.convert(json.loads(text, parse_int=_number), Har)
    except msgspec.ValidationError as error:
        is_postman = b"schema.getpostman.com" in content
        raise _wrong_shape(error, name, _OF_POSTMAN if is_postman else "") from None
    except RecursionError:
        raise NotHar(f"Expected a HAR file, got one too deep - at {name}") from None
    except UnicodeDecodeError as error:
        place = f"{name}, byte {error.start}"
        raise NotHar(f"Expected UTF-8, got other bytes - at {place}") from None
    except json.JSONDecodeError as error:
        got, hint = f"no JSON: {error.msg}", ""
        if error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg:
            got, hint = "the beginning of one", " (export it again: its end is missing)"
            got = got if error.doc.strip() else "nothing"
        place = f"{name}:{error.lineno}:{error.colno}{hint}"
        raise NotHar(f"Expected a HAR file, got {got} - at {place}") from None


def _number(digits: str) -> float:
    """Return an integer; a float if it is long, because Python refuses many digits."""
    return float(digits) if len(digits) > _MAX_DIGITS else int(digits)


_PATH = re.compile(r" - at `(\$.*)`$")


_OF_POSTMAN = " (save a HAR in a browser: this is a collection of Postman)"


def _wrong_shape(error: msgspec.ValidationError, name: str, hint: str) -> NotHar:
    """Return the error for JSON of another shape."""
    text = str(error)
    match = _PATH.search(text)
    start = text[: match.start()] if match else text
    place = f"{match[1] if match else '$'} of {name}"
    return NotHar(f"Expected a HAR file, got other JSON: {start} - at {place}{hint}")


def exchange_of(entry: HarEntry, origins: tuple[str, ...]) -> Exchange | None:
    """Return the exchange of an entry; None if it went to none of the `origins`.

    An origin may end with a path, which is left out in the path of the exchange. If
    `origins` is empty, each host is an origin. Raises ValueError for an invalid URL.
    """
    url = urlsplit(entry.request.url)
    # Leave out user and password.
    host = url.netloc.rpartition("@")[2].lower()
    origin, path = f"{url.scheme}://{host}", url.path or "/"
    if origins:
        address = f"{origin}{path}"
        bases = [
            each
            for each in origins
            if address == each or address.startswith(f"{each}/")
        ]
        if not bases:
            return None
        origin = max(bases, key=len)
        path = address[len(origin) :] or "/"
    post_data = entry.request.post_data
    request_text = (post_data.text if post_data else None) or ""
    content = entry.response.content
    return Exchange(
        entry.request.method.upper(),
        path,
        url.query,
        request_text.encode("utf-8", "replace"),
        entry.response.status,
        _headers(entry.response.headers),
        _body(content),
        origin,
        is_whole=content.text is not None or content.size <= 0,
        is_exact=content.encoding == "base64",
    )


def secrets_of(entry: HarEntry) -> set[bytes]:
    """Return all credentials in the request and the response of an entry."""
    headers = _headers(entry.request.headers) + _headers(entry.response.headers)
    url = entry.request.url
    query = re.split("[?#]", url, maxsplit=1)[1:]
    sent: list[object] = [field for each in query for field in _fields_in(each)]
    # Some programs leave out headers with cookies, but not these lists.
    sent += [entry.request.cookies, entry.request.query_string, entry.response.cookies]
    texts = [*_secrets(headers), *_secrets_in_url(url), *_keys_in_path(url)]
    body = ""
    if post_data := entry.request.post_data:
        body = post_data.text or ""
        sent += [post_data.params, *_fields_in(body)]
        if body.lstrip()[:1] not in ("{", "["):
            texts += _secrets_in_url(f"?{body}")  # a form
    texts += _secrets_in_body(body, *sent, is_sent=True)
    with suppress(BadBody):
        answer = _body(entry.response.content)
        # A service may choose the prefix of the keys that it creates.
        keys = [{"apiKey": _json(answer)}] if _CREATES_KEY in url else []
        texts += _secrets_in_body(answer.decode(errors="replace"), *keys)
    spelled = {form for each in set(texts) for form in _spellings(each)}
    return {each.encode("utf-8", "replace") for each in spelled} - _KNOWN_NON_SECRETS


def _spellings(secret: str) -> Iterator[str]:
    """Yield a secret as it is, without blanks around it, as in JSON, and as in HTML."""
    yield secret
    yield (stripped := secret.strip())
    yield json.dumps(stripped, ensure_ascii=False)[1:-1]  # such as `\n`
    yield escape(stripped, quote=False)
    yield (in_html := escape(stripped))
    yield (with_digits := in_html.replace("&#x27;", "&#39;"))
    yield with_digits.replace("&quot;", "&#34;")


def _fields_in(form: str) -> Iterator[dict[str, str]]:
    """Yield the fields of a multipart body, and those of a form that are JSON."""
    if _PART_HEAD.search(form):
        for part in form.replace("\r\n", "\n").split("\n--"):
            head, _, value = part.partition("\n\n")
            name = _PART_NAME.search(head)
            if name and not _FILE_NAME.search(head):
                yield {name[1]: value}
    elif not form.startswith(("{", "[")):
        for field, value in parse_qsl(form):
            if value.lstrip()[:1] in ("{", "["):
                yield {field: value}


def _secrets_in_body(body: str, *parts: object, is_sent: bool = False) -> Iterator[str]:
    """Yield texts in fields with the names of secrets, in a body and values in it.

    The body is JSON, events of JSON, or a text with JSON in it, such as a script. Skip
    labels in responses: texts with two blanks, and texts that do not look random.
    """
    events = (line[5:] for line in body.splitlines() if line.startswith("data:"))
    pending: list[tuple[object, bool]] = [(e, False) for e in (body, *events, *parts)]
    while pending:
        value, is_secret = pending.pop()
        match value:
            case dict():
                # A pair such as `name` and `value` is a field of that name.
                labels = map(value.get, _LABELS)
                is_pair = any(
                    _is_secret_name(each) for each in labels if isinstance(each, str)
                )
                for name, item in value.items():
                    is_field = _is_secret_name(name) or (is_pair and name in _VALUES)
                    pending.append((item, is_secret or is_field))
            case list() if _are_pairs(value):
                for name, item in value:
                    pending += (name, is_secret), ({name: item}, is_secret)
            case list():
                pending += ((each, is_secret) for each in value)
            case str():
                text = value.removeprefix(_BYTE_ORDER_MARK)
                is_like_json = text.lstrip().startswith(_BEGINNINGS)
                if is_like_json:
                    with suppress(*_NOT_JSON):
                        pending.append((msgspec.json.decode(text), is_secret))
                        continue
                if is_like_json or value is body:
                    yield from _secrets_in_pairs(text, is_sent and is_like_json)
                yield from _secrets_in_text(value)
                # The key may follow a scheme such as Bearer.
                text = value.rpartition(" ")[2]
                if is_secret and is_sent:
                    yield value.removeprefix("Bearer ")
                is_short = value.count(" ") < 2
                if is_secret and is_short and (is_sent or _looks_random(text)):
                    yield text
            case bool():
                pass
            case int() | float() if is_secret and is_sent:
                yield str(value)


def _are_pairs(items: list[object]) -> bool:
    """Return whether items are lists of a name and a value, as fields of an object."""
    return all(
        isinstance(each, list) and len(each) == 2 and isinstance(each[0], str)
        for each in items
    )


def _secrets_in_pairs(text: str, is_sent: bool) -> Iterator[str]:
    """Yield secrets in pairs such as `"name": "value"`, in a text of any form.

    Values of a response, and those without quotes, need the characters and the digits
    of a token.
    """
    for match in _VALUE.finditer(text):
        value = next(filter(None, match.groups()), "")
        is_text = is_sent and not match["bare"]
        if is_text or (_TOKEN.fullmatch(value) and _is_token(value)):
            before = text[max(0, match.start() - _MAX_NAME_CHARS) : match.start()]
            name = _NOT_IN_NAME.split(before.rstrip(" \t\r\n\"'\\"))[-1]
            if _is_secret_name(name):
                yield from (value, value.removeprefix("Bearer "))
    for tag in _TAG.findall(text):
        attributes = {name: "".join(rest) for name, *rest in _ATTRIBUTE.findall(tag)}
        yield from _token_of(*map(attributes.get, ("name", "value")))
        yield from _token_of(*map(attributes.get, ("name", "content")))
    for name, value in _ARGUMENTS.findall(text):
        yield from _token_of(name, value)


def _token_of(name: str | None, value: str | None) -> Iterator[str]:
    """Yield the value of a field in a text if name and value are those of a token."""
    if name and value and _is_secret_name(name):
        yield from filter(_is_token, filter(_TOKEN.fullmatch, [value]))


def _secrets_in_text(text: str) -> Iterator[str]:
    """Yield API keys in a text, and credentials in its URLs."""
    yield from filter(_LETTER_DIGIT_CHANGE.search, _KEY.findall(text))
    for url in _URL.findall(text):
        yield from filter(_looks_random, _secrets_in_url(url))
    for encoded in _BASIC.findall(text):
        if credentials := [*_credentials(encoded)]:
            yield from (encoded, *filter(_looks_random, credentials))


def _credentials(encoded: str) -> Iterator[str]:
    """Yield user and password, if the text encodes them for Basic (RFC 7617 2)."""
    with suppress(ValueError):
        # Some clients leave out the padding; too much of it is ignored.
        user, colon, password = b64decode(f"{encoded}==").decode().partition(":")
        if colon:
            yield from (user, password)


def _looks_random(text: str) -> bool:
    """Return whether a text is long, or mixes letters and digits, as few words do."""
    return (
        len(text) >= _MIN_TOKEN_CHARS or _LETTER_DIGIT_CHANGE.search(text) is not None
    )


def _is_secret_name(name: str) -> bool:
    return CREDENTIAL_NAME.search(name) is not None


def _secrets_in_url(url: str, level: int = 1) -> Iterator[str]:
    """Yield the password, and values that look random or have a secret's name.

    A value may be a URL, too.
    """
    with suppress(ValueError):
        if password := urlsplit(url).password:
            yield password
    path, *queries = re.split("[?#]", url)
    # Parameters may follow a segment of the path, as in `/a;name=value/b`.
    segments = re.split("[;/]", path.partition(";")[2])
    for name, value in parse_qsl("&".join([*segments, *queries])):
        if level < _MAX_URLS and ("?" in value or "#" in value):
            yield from _secrets_in_url(value, level + 1)
        is_long = _is_long(value) and not _ID_NAME.search(name)
        if CREDENTIAL_NAME.search(name) or (is_long and _is_token(value)):
            yield value


def _is_long(text: str) -> bool:
    """Return whether a text is too long for a word, and no id as FastGPT gives them."""
    return len(text) >= _MIN_TOKEN_CHARS and not _OBJECT_ID.fullmatch(text)


def _is_token(text: str) -> bool:
    return len(_LETTER_DIGIT_CHANGE.findall(text)) >= _MIN_CHANGES


def _keys_in_path(url: str) -> Iterator[str]:
    """Yield API keys in the path of a URL, and tokens after a telling segment."""
    segments = unquote(re.split("[?#]", url, maxsplit=1)[0]).split("/")
    for name, segment in pairwise(("", *segments)):
        if (key := _KEY_SEGMENT.match(segment)) and _LETTER_DIGIT_CHANGE.search(key[1]):
            yield key[1]
        if "." not in segment and not _OBJECT_ID.fullmatch(segment):
            yield from _token_of(name, segment)


def _headers(fields: list[HeaderField]) -> Headers:
    """Return header fields without HTTP/2's pseudo-headers (RFC 9113 8.3)."""
    return tuple(
        (each.name.lower(), each.value)
        for each in fields
        if not each.name.startswith(":")
    )


def _body(content: ResponseBody) -> bytes:
    """Return the bytes of a body. Raises BadBody."""
    if content.text is None:
        return b""
    if content.encoding == "base64":
        try:
            return b64decode(content.text, validate=True)
        except ValueError:  # for letters outside ASCII it is not binascii.Error
            raise BadBody from None
    return content.text.encode("utf-8", "replace")
