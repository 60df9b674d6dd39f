"""Forms: the fields of a body that is multipart/form-data, or URL-encoded."""

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from email.message import Message
from email.utils import collapse_rfc2231_value
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, MultipartState

from mock_server.decoding.json_values import decode_json
from mock_server.errors import BadForm, BadJson, LimitReached

JSON = "application/json"
"""The media type of JSON, and of all bodies that the spec has (spec 5)."""
MULTIPART = "multipart/form-data"
URL_ENCODED = "application/x-www-form-urlencoded"
FORMS = (MULTIPART, URL_ENCODED)
"""The media types of forms."""
MAX_FIELDS = 1_000


class FormField(Struct):
    """A field of a form. A file has a file name, which may be empty."""

    name: str
    is_file: bool
    filename: str
    content: bytearray = msgspec.field(default_factory=bytearray)

    @property
    def text(self) -> str:
        """The content in UTF-8, else in GB18030 (which contains GBK), else what UTF-8 can read."""
        for encoding in ("utf-8", "gb18030"):
            with suppress(UnicodeDecodeError):
                return self.content.decode(encoding)
        return self.content.decode("utf-8", "replace")


def multipart_fields(
    content: bytes, headers: Mapping[str, str], *, must_end: bool = False
) -> list[FormField]:
    """The fields of multipart/form-data, in their order. Raises BadForm, LimitReached.

    With `must_end`, a form that is cut off before its last boundary is refused.
    """
    fields: list[FormField] = []
    # The parameters of Content-Disposition in the field that is being read.
    disposition: dict[str, str] = {}

    def on_header_value(data: bytes, start: int, end: int) -> None:
        value = data[start:end].decode("latin-1")
        # Only the value of Content-Disposition begins with form-data.
        if value.lower().startswith("form-data"):
            disposition.update(header_parameters(value))

    def on_headers_finished() -> None:
        if not disposition:
            raise BadForm("Content-Disposition: form-data in each part, got a part without it")
        check_field_count(len(fields) + 1)
        name = disposition.get("name", "")
        fields.append(FormField(name, "filename" in disposition, disposition.get("filename", "")))
        disposition.clear()

    def on_part_data(data: bytes, start: int, end: int) -> None:
        fields[-1].content.extend(data[start:end])

    callbacks: Any = {
        "on_header_value": on_header_value,
        "on_headers_finished": on_headers_finished,
        "on_part_data": on_part_data,
    }
    content_type = headers.get("content-type", "none")
    try:
        boundary = header_parameters(content_type)["boundary"]
        parser = MultipartParser(boundary, callbacks)
        # Lines before the first boundary do not count.
        start = (b"\r\n" + content).find(parser.boundary)
        parser.write(content[max(0, start) :])
    except (FormParserError, LookupError, UnicodeError) as error:
        raise BadForm(f"{MULTIPART} with a boundary, got {content_type} ({error})") from None
    if must_end and parser.state != MultipartState.END:
        raise BadForm(f"a form that ends with --{boundary}--, got one that is cut off")
    return fields


def media_type(headers: Mapping[str, str]) -> str:
    """The media type of a body, in lower case; empty without a Content-Type."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def form_value(content: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a form; a file is `{filename, content}`. Raises BadForm, LimitReached."""
    if media_type(headers) == URL_ENCODED:
        check_field_count(content.count(b"&") + 1)
        texts = parse_qsl(content.decode(errors="replace"), keep_blank_values=True)
        return group_by_name((name, parse_object(text)) for name, text in texts)
    pairs: list[tuple[str, Any]] = []
    for field in multipart_fields(content, headers):
        value: Any = parse_object(field.text)
        if field.is_file:
            value = {"filename": field.filename, "content": field.text}
        pairs.append((field.name, value))
    return group_by_name(pairs)


def check_field_count(number: int) -> None:
    """Raises LimitReached if a form has too many fields."""
    if number > MAX_FIELDS:
        raise LimitReached(f"a form of at most {MAX_FIELDS} fields, got more")


def parse_object(text: str) -> Any:
    """Decode a text that is a JSON object, as `data` in FastGPT's forms; else return it."""
    with suppress(BadJson):
        if text.startswith("{"):
            return decode_json(text.encode())
    return text


def group_by_name(pairs: Iterable[tuple[str, Any]], arrays: Container[str] = ()) -> dict[str, Any]:
    """Values by their names; the values of a repeated name, or of one in `arrays`, are a list."""
    groups: dict[str, Any] = {}
    for name, value in pairs:
        groups.setdefault(name, []).append(value)
    for name, values in groups.items():
        if len(values) == 1 and name not in arrays:
            groups[name] = values[0]
    return groups


def header_parameters(header: str) -> dict[str, str]:
    """The parameters of a header; `filename*` wins over `filename`. Raises BadForm."""
    message = Message()
    message["content-type"] = header
    try:
        parameters = message.get_params([])
    # Python cannot join the pieces of a value if some have a number and others have none.
    except TypeError:
        raise BadForm("parameters as in RFC 2231", header) from None
    return {name: collapse_rfc2231_value(it) for name, it in parameters}
