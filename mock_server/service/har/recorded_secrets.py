"""Finds the secrets in a recording: API keys, tokens and passwords, by their places."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit

from mock_server.api.headers import CREDENTIAL_NAME, HEADER_WORD
from mock_server.api.redaction import HIDDEN
from mock_server.domain.access import secret_part
from mock_server.service.har.reading import (
    BadBody,
    HarEntry,
    Headers,
    body_of,
    headers_of,
    json_of,
)

_MIN_TOKEN_CHARS = 20
_ID_NAME = re.compile("(?:(?:^|_)id|[a-z]I[dD])s?$")
# Matches a change between a letter and a digit: tokens have many, words hardly any.
_LETTER_DIGIT_CHANGE = re.compile("[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_MIN_CHANGES = 3
# Matches texts after prefixes of API keys; an ordinary word may follow one, too.
_KEY = re.compile(r"\b(?:(?:fastgpt|sk)-|Bearer +)([\w.~+/=-]{16,})")
# Matches JSON Web Tokens, whose parts begin with an encoded `{"` (RFC 7519 3.1).
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]*+")
# It ends before its last line; lines of headers may come first.
_PRIVATE_KEY = re.compile(
    "-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]++|-(?!----END))++"
)
_BASIC = re.compile(r"\bBasic +([A-Za-z0-9+/]{8,}=*)")
# Matches segments of paths that are API keys, but not names of files.
_KEY_SEGMENT = re.compile(r"(?:fastgpt|sk|sk-proj)-(\w{16,}+)(?!\.)")
_CREATES_KEY = "/support/openapi/create"
# Matches the start of a URL in a field such as `auth-callback`; its password and
# parameters are looked at, but the URL is no secret.
_URL_START = re.compile("https?(?:://|%3A%2F%2F)", re.IGNORECASE)
_URL = re.compile(r"[a-z]{2,16}://[^\s\"'<>\\]+")
# Matches the parameters of a URL, which may have no scheme; scripts have others.
_QUERY = re.compile(r"[?#][^\s\"'<>\\]+")
# Matches the value of a parameter, but no expression of a script, as in `?a=b(c):d`.
_PARAMETER = re.compile(r"[\w~+=][\w.~+/=-]{7,}+(?![(\[:,;?])")
_AFTER_URL = ").,;:`"
"""Characters that may follow a URL in a text, as in Markdown."""
# Matches a name and a text as in JSON, or GraphQL, whose names have no quotes. It
# matches without the last quote: else a text of many quotes would take long.
_PAIR = re.compile(
    r"""(?<![\w-])([\w-]{1,64}+)"?\s*+:\s*+"((?:[^"\\]|\\.)*+)""", re.DOTALL
)
_ESCAPED_QUOTE = re.compile(r"(?<!\\)\\++(?=\")")
_LABELS, _VALUES = ("name", "key", "field", "id"), ("value", "val")
_MAX_URLS = 3  # a value of a URL may be a URL, and so on
_TOKEN = re.compile(r"[\w~+=][\w.~+/=-]{7,}")  # not a path or a URL
# Several of these headers are joined by line ends, or by commas, as dates have too.
_NEXT_COOKIE = re.compile(r"\n|, *(?=[\w.-]++=)")
_PART_HEAD = re.compile("content-disposition: *form-data", re.IGNORECASE)
_PART_NAME = re.compile(r'[; ]name="?([^";\n]*)')
_FILE_NAME = re.compile(r"[; ]filename\*?=")
_OBJECT_ID = re.compile("[0-9a-f]{24}")
_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.+Z-]+")
_DATE_OR_TIME = re.compile(f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|{_TIME.pattern}")
_ID_OR_TIME = re.compile(f"{_OBJECT_ID.pattern}|{_DATE_OR_TIME.pattern}")
_TIME_NAME = re.compile("(?:at|date|expires|expiration|expiry|time)$", re.IGNORECASE)
_BYTE_ORDER_MARK = "\ufeff"
# Values of scripts that have no key, and of files that are redacted already.
_KNOWN_NON_SECRETS = {b"undefined", HIDDEN}


def secrets_of(entry: HarEntry) -> set[bytes]:
    """Return all credentials in the request and the response of an entry."""
    headers = headers_of(entry.request.headers) + headers_of(entry.response.headers)
    url = entry.request.url
    query = re.split("[?#]", url, maxsplit=1)[1:]
    sent: list[object] = [field for each in query for field in _fields_in(each)]
    # Some programs leave out headers with cookies, but not these lists.
    sent += [entry.request.cookies, entry.request.query_string, entry.response.cookies]
    texts = [*_secrets_in_headers(headers), *_secrets_in_url(url), *_keys_in_path(url)]
    body = ""
    if post_data := entry.request.post_data:
        body = post_data.text or ""
        sent += [post_data.params, *_fields_in(body)]
        if body.lstrip()[:1] not in ("{", "["):
            texts += _secrets_in_url(f"?{body}")  # a form
    texts += _secrets_in_body(body, *sent, is_sent=True)
    with suppress(BadBody):
        answer = body_of(entry.response.content)
        # A service may choose the prefix of the keys that it creates.
        keys = [{"apiKey": json_of(answer)}] if _CREATES_KEY in url else []
        texts += _secrets_in_body(answer.decode(errors="replace"), *keys)
    secrets = {each for each in texts if not _URL_START.match(each)}
    secrets |= set(map(secret_part, secrets))
    spelled = {form for each in secrets for form in _spellings(each)}
    return {each.encode("utf-8", "replace") for each in spelled} - _KNOWN_NON_SECRETS


def _secrets_in_headers(headers: Headers) -> Iterator[str]:
    """Yield API keys and tokens in the headers of a request or a response."""
    for name, value in headers:
        if name in ("cookie", "set-cookie"):
            for cookie, text in _cookies(name, value):
                # Other short values are often words, which occur in many texts.
                if CREDENTIAL_NAME.search(cookie) or _is_long(text):
                    yield from (text, text.strip('"'))
                value = unquote(text)
                yield from _secrets_in_body("", value, is_sent=name == "cookie")
                # Other values inside of it are often words, as of a user interface.
                yield from _secrets_in_body("", {cookie: value})
        elif CREDENTIAL_NAME.search(name):
            scheme, _, text = value.rpartition(" ")
            yield from (text, *(text.partition(each)[2].strip('"') for each in "=:"))
            yield from filter(looks_random, HEADER_WORD.findall(value))
            yield from _secrets_in_body(value, is_sent=True)
            if scheme.lower() == "basic":
                yield from _credentials(text, is_header=True)
        elif "?" in value or "#" in value or "@" in value:
            for url in re.split(r"[\s<>\"]+", value):
                yield from _secrets_in_url(url)
        yield from _secrets_in_text(value)


def _cookies(header: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of the cookies in a header."""
    pairs = value.split(";")
    if header == "set-cookie":
        pairs = [each.partition(";")[0] for each in _NEXT_COOKIE.split(value)]
    for pair in pairs:
        cookie, _, text = pair.strip().partition("=")
        yield cookie, text


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

    The body is JSON, or lines and events of JSON; search any other text. Skip labels in
    responses: texts with two blanks, and texts that do not look random.
    """
    lines = (each for each in body.split("\n") if each.startswith(("data:", "{", "[")))
    values = {body, *(each.removeprefix("data:") for each in lines)}
    # A secret value, or one that is inside of it, has the pattern of what is no secret.
    pending: list[tuple[object, re.Pattern[str] | None]] = []
    pending += ((each, None) for each in (*values, *parts))
    while pending:
        value, exempt = pending.pop()
        match value:
            case dict():
                # A pair such as `name` and `value` is a field of that name.
                labels = [value.get(each) for each in _LABELS]
                names = (each for each in labels if isinstance(each, str))
                is_pair = any(map(CREDENTIAL_NAME.search, names))
                fields = (*_VALUES, "key") if exempt else _VALUES if is_pair else ()
                for name, item in value.items():
                    inside = exempt and _ID_OR_TIME
                    if CREDENTIAL_NAME.search(name) or name in fields:
                        # A password may be a date, but it has no time of day.
                        inside = _DATE_OR_TIME if _TIME_NAME.search(name) else _TIME
                    pending.append((item, inside))
            case list() if _are_pairs(value):
                for name, item in value:
                    pending += (name, exempt), ({name: item}, exempt)
            case list():
                pending += ((each, exempt) for each in value)
            case str():
                text = value.removeprefix(_BYTE_ORDER_MARK)
                if text.lstrip()[:1] in ("{", "["):
                    with suppress(ValueError, RecursionError):
                        pending.append((_decoded(text), exempt))
                        continue
                yield from _secrets_in_text(text, is_sent=is_sent)
                if is_sent and value is not body:  # a URL, a form
                    yield from _secrets_in_url(text if "?" in text else f"?{text}")
                if exempt is None or exempt.fullmatch(value):
                    continue
                # The key may follow a scheme such as Bearer.
                text = value.rpartition(" ")[2]
                if is_sent:
                    yield value.removeprefix("Bearer ")
                is_token = text.isascii() and looks_random(text)
                if value.count(" ") < 2 and (is_sent or is_token):
                    yield text
            case bool():
                pass
            case int() | float() if exempt and is_sent:
                yield str(value)


def _decoded(text: str) -> object:
    """Return the value of a JSON text. Raises ValueError.

    An object that repeats a name is returned as a list of objects with a field each.
    """

    def object_of(fields: list[tuple[str, object]]) -> object:
        value = dict(fields)
        return value if len(value) == len(fields) else [dict([each]) for each in fields]

    return json.loads(text, object_pairs_hook=object_of)


def _are_pairs(items: list[object]) -> bool:
    """Return whether items are lists of a name and a value, as fields of an object."""
    return all(
        isinstance(each, list) and len(each) == 2 and isinstance(each[0], str)
        for each in items
    )


def _secrets_in_text(text: str, *, is_sent: bool = False) -> Iterator[str]:
    """Yield keys and tokens in a text, and credentials in its URLs and its JSON.

    Such JSON may be incomplete, a part of a script, or escaped in a text.
    """
    for each in {text, _ESCAPED_QUOTE.sub("", text)}:
        for name, value in _PAIR.findall(each):
            is_token = _TOKEN.fullmatch(value) and _is_token(value)
            if CREDENTIAL_NAME.search(name) and (
                is_token or (is_sent and looks_random(value))
            ):
                yield from (value, value.removeprefix("Bearer "))
    text = text.replace("&amp;", "&").replace(r"\u0026", "&")  # in HTML, in scripts
    yield from _JWT.findall(text)
    yield from _PRIVATE_KEY.findall(text)
    yield from filter(_LETTER_DIGIT_CHANGE.search, _KEY.findall(text))
    for url in _URL.findall(text):
        yield from filter(looks_random, _secrets_in_url(url.rstrip(_AFTER_URL)))
    for query in _QUERY.findall(text):
        parameters = "&".join(re.split("[?#]", query.rstrip(_AFTER_URL)))
        for name, value in parse_qsl(parameters):
            if (token := _PARAMETER.match(value)) and CREDENTIAL_NAME.search(name):
                yield from filter(looks_random, [token[0]])
    for encoded in _BASIC.findall(text):
        if credentials := [*_credentials(encoded)]:
            yield from (encoded, *filter(looks_random, credentials))


def _credentials(encoded: str, *, is_header: bool = False) -> Iterator[str]:
    """Yield user and password, if the text encodes them for Basic (RFC 7617 2).

    Only a header is read as ISO 8859-1, as most words would have a meaning in it.
    """
    with suppress(ValueError):
        # Some clients leave out the padding; too much of it is ignored.
        content = b64decode(f"{encoded}==")
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = content.decode("latin-1") if is_header else ""  # older clients
        user, colon, password = text.partition(":")
        if colon:
            yield from (user, password)


def looks_random(text: str) -> bool:
    """Return whether a text is long, or mixes letters and digits, as few words do."""
    return (
        len(text) >= _MIN_TOKEN_CHARS or _LETTER_DIGIT_CHANGE.search(text) is not None
    )


def _secrets_in_url(url: str, level: int = 1) -> Iterator[str]:
    """Yield the password, and values that look random or have a secret's name.

    A value may be a URL, too.
    """
    with suppress(ValueError):
        parts = urlsplit(url)
        # Some services take a token as the user, with any password.
        if _is_long(user := parts.username or ""):
            yield user
        if parts.password:
            yield parts.password
    path, *queries = re.split("[?#]", url)
    # Parameters may follow a segment of the path, as in `/a;name=value/b`.
    segments = re.split("[;/]", path.partition(";")[2])
    for name, value in parse_qsl("&".join([*segments, *queries])):
        if level < _MAX_URLS and re.search("[?#&]", value):
            yield from _secrets_in_url(
                value if "?" in value else f"?{value}", level + 1
            )
        is_id = (
            _ID_NAME.search(name) or _UUID.fullmatch(value) or _TIME.fullmatch(value)
        )
        is_random = _is_long(value) and not is_id and _is_token(value)
        if is_random or CREDENTIAL_NAME.search(name):
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
        yield from _JWT.findall(segment)
        is_id = "." in segment or _OBJECT_ID.fullmatch(segment)
        if CREDENTIAL_NAME.search(name) and not is_id and _is_token(segment):
            yield segment
