"""How the body of a request is read: JSON in any charset, forms, nothing. It is read here alone."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct, json

from mock_server.choices import Choices
from mock_server.decoding.json_values import (
    NOT_JSON,
    JsonObject,
    decode_as_javascript,
    decode_json,
    replace_lone_surrogates,
)
from mock_server.errors import BadCharset, BadForm, BadJson, LimitReached, NotAnObject, Refusal
from mock_server.http.forms import (
    FORMS,
    JSON,
    MULTIPART,
    URL_ENCODED,
    form_value,
    group_by_name,
    header_parameters,
    media_type,
    multipart_fields,
)

JSON_TYPES = (JSON, "application/ld+json")
_ITEM_SIGN = re.compile(r"\[\d*\]$")
"""What follows the name of an array in the name of an item, as in `tags[]` and `tags[0]`."""


class DecodedBody(Struct, frozen=True):
    """The value of a body, or why it has none that counts."""

    value: Any
    """The JSON value, or the fields of a form. With a refusal it is a guess, None without one."""
    refusal: Refusal | None = None
    """Why the body cannot be read under the choices."""
    is_plain: bool = True
    """Whether the body is JSON in UTF-8, the only form that the spec has (spec 5)."""


def decode_body(body: bytes, headers: Mapping[str, str], choices: Choices) -> DecodedBody:
    """Read a body under choices request_form and content_type_missing."""
    counts_as_json = "content-type" not in headers and choices.content_type_missing == "accept"
    try:
        if choices.request_form == "strict" or counts_as_json:
            content = replace_lone_surrogates(body)
            decoded = DecodedBody(decode_json(content), is_plain=content == body)
        else:
            decoded = decode_as_service(body, headers)
    except (BadCharset, BadForm, BadJson, LimitReached, NotAnObject) as refusal:
        return DecodedBody(guess_value(body, headers), refusal)
    if not isinstance(decoded.value, dict):
        return DecodedBody(decoded.value, NotAnObject("a JSON object"))
    return decoded


def decode_as_service(body: bytes, headers: Mapping[str, str]) -> DecodedBody:
    """Read a URL-encoded form, or JSON in any charset, as the Next.js of FastGPT 4.16 does.

    Raises BadCharset, BadForm, BadJson, LimitReached, NotAnObject.
    """
    media = media_type(headers)
    if media == URL_ENCODED:
        return DecodedBody(form_value(body, headers), is_plain=False)
    if media not in JSON_TYPES:
        raise NotAnObject(f"a JSON object with Content-Type: {JSON}, got {media or 'none'}")
    content = to_utf8(body, headers) or b"{}"
    return DecodedBody(decode_json(content, decode_as_javascript), is_plain=content == body)


def to_utf8(body: bytes, headers: Mapping[str, str]) -> bytes:
    """JSON in the charset of its Content-Type, in UTF-8 without BOM and halves of characters.

    Raises BadCharset, BadForm.
    """
    # The usual header names no charset.
    if body.isascii() and headers.get("content-type") == JSON:
        return replace_lone_surrogates(body)
    charset = header_parameters(headers.get("content-type", "")).get("charset", "utf-8")
    try:
        text = body.decode(charset, "replace")
    # A charset that is unknown, or a codec for other things than texts.
    except (LookupError, UnicodeError):
        raise BadCharset("a charset such as utf-8", charset, "header Content-Type") from None
    return replace_lone_surrogates(text.removeprefix("\ufeff").encode(errors="replace"))


def guess_value(body: bytes, headers: Mapping[str, str]) -> Any:
    """The value of a refused body, for the journal and conditions; None if none can be guessed."""
    if not body:
        return {}
    try:
        with suppress(BadJson):
            return decode_json(body)
        with suppress(BadJson):
            return decode_json(to_utf8(body, headers))
        if media_type(headers) in FORMS:
            return form_value(body, headers)
    except BadForm:
        return None
    # With None, the journal would show the body as a text, with its secrets.
    except (BadCharset, LimitReached):
        return {}
    return None


def value_or_text(value: Any, body: bytes) -> Any:
    """The value of a body, else its text; None without a body."""
    if not body:
        return None
    if value is None:
        return body.decode(errors="replace")
    return value


def upload_fields(body: bytes, headers: Mapping[str, str]) -> JsonObject:
    """The fields of a form: its `file`, its texts, and the fields of the JSON object `data`.

    A field in `data` wins. A repeated text is an array, as are those named `tags[]` or `tags[0]`;
    a `data` that is not a JSON object is an empty one (FastGPT 4.16, common/file/multer.ts).
    Raises BadForm, LimitReached.
    """
    sent = multipart_fields(body, headers, must_end=True)
    files = [it for it in sent if it.filename]
    if [it.name for it in files] != ["file"]:
        raise BadForm(f"{MULTIPART} with one file, in a part `file`")
    texts = [(_ITEM_SIGN.sub("", it.name), it.text) for it in sent if not it.is_file]
    # Also a single `tags[]` is an array.
    arrays = {name for name, _ in texts} - {it.name for it in sent}
    fields = group_by_name(texts, arrays)
    with suppress(TypeError, *NOT_JSON):
        fields |= json.decode(fields.pop("data", "{}"), type=JsonObject)
    return fields | {"file": files[0]}
