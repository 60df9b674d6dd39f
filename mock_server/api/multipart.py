"""Reads a form with a file (`multipart/form-data`, RFC 7578) while it arrives.

The whole form is never in memory. The server keeps name, size and the beginning of the
text of the part `file`, and the values of parts without a file name. It drops all other
files.
"""

from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import closing
from logging import CRITICAL, Logger
from typing import Any

import msgspec
from msgspec import Struct
from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from mock_server.api.errors import BadForm, BodyTooLarge
from mock_server.api.headers import check_media_type, values
from mock_server.api.request import RequestBody, read_json
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory
from mock_server.domain.objects.uploads import is_text

_FILE_PART, _FIELDS_PART = "file", "data"
"""Names of the part with the file, and of the part with fields as one JSON object."""
_MAX_COPIES = 5
"""Maximum number of copies of the kept bytes that are in memory at a time."""
# Silences the parser's log: the client gets these errors.
_QUIET = Logger("multipart", CRITICAL)


async def receive_upload(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the fields of a form as JSON; its file is `{"file": {name, size, text}}`.

    The file may have at most `max_bytes`. At most `upload_text_bytes` of a text file
    are kept, and none of another file. Raises UnsupportedMediaType, BadForm, BadJson,
    BodyTooLarge, LimitReached, ClientGone.
    """
    # Earlier checks let `application/json` through for every operation.
    check_media_type(body.scope["headers"], "multipart/form-data")
    with closing(Form(boundary_of(body), max_bytes, memory.limits)) as form:
        async for piece in body.pieces(max_bytes + memory.limits.body_bytes):
            form.feed(piece)
            body.charge_bytes(_MAX_COPIES * form.kept_bytes, memory)
        return form.fields_as_json()


def boundary_of(body: RequestBody) -> bytes:
    """Return the boundary of the form, from header Content-Type. Raises BadForm."""
    header = b"; ".join(values(body.scope["headers"], b"content-type"))
    if len(header) > _MAX_CONTENT_TYPE_BYTES:
        expected = f"at most {_MAX_CONTENT_TYPE_BYTES} bytes"
        raise BadForm(expected, f"{len(header)}", "header Content-Type")
    parameters = parse_options_header(header.decode("latin-1"))[1]
    boundary = parameters.get(b"boundary", b"")
    if not 1 <= len(boundary) <= _MAX_BOUNDARY_BYTES:
        expected = f"a boundary of 1 to {_MAX_BOUNDARY_BYTES} characters"
        got = f"one of {len(boundary)}" if boundary else "none"
        hint = "leave the header out: fetch and curl -F write it with a boundary"
        raise BadForm(expected, got, "header Content-Type", hint)
    return boundary


_MAX_BOUNDARY_BYTES = 70  # RFC 2046 5.1.1
# Long parameters are slow to parse, and so are many.
_MAX_CONTENT_TYPE_BYTES, _MAX_PARAMETERS = 1_024, 100


class Upload(Struct):
    """The part of a form's file that was received; its `beginning` is kept."""

    name: str
    size: int = 0
    beginning: bytearray = msgspec.field(default_factory=bytearray)


class Form:
    """A form that is being received.

    Call `close` after use. The parser's callbacks refer to the form, so without `close`
    only the garbage collector would free the form, much later.
    """

    def __init__(self, boundary: bytes, max_bytes: int, limits: Limits) -> None:
        """The file may have at most `max_bytes`."""
        self._file: Upload | None = None
        self._field_values: dict[str, bytearray] = {}
        self._max_bytes = max_bytes
        self._limits = limits
        self._part_count = self._value_bytes = self._received_bytes = 0
        self._delimiter, self._delimiter_count = b"\r\n--" + boundary, 0
        self._last_bytes = b""  # a delimiter may be cut
        self._is_complete = False
        # The current part: its headers, and the object that takes its data.
        self._header_name, self._header_value = bytearray(), bytearray()
        self._disposition = b""
        self._data_target: Upload | bytearray | None = None
        self._parser = MultipartParser(boundary, self._callbacks())  # type: ignore[arg-type]
        self._parser.logger = _QUIET

    @property
    def kept_bytes(self) -> int:
        """Return the number of kept bytes."""
        file_bytes = 0 if self._file is None else len(self._file.beginning)
        return self._value_bytes + file_bytes

    def feed(self, piece: bytes) -> None:
        """Parse the next piece. Raises BadForm, BodyTooLarge."""
        # After each delimiter the parser reads byte by byte, which is slow.
        counted = self._last_bytes + piece
        self._last_bytes = counted[1 - len(self._delimiter) :]
        self._delimiter_count += counted.count(self._delimiter)
        if self._delimiter_count > 10 * self._limits.form_parts:
            raise BadForm("a boundary that is not in the data", "one that is", "body")
        try:
            self._parser.write(piece)
        except FormParserError as error:
            text = str(error)
            got = f"a malformed one, {text[:1].lower()}{text[1:]}"
            raise BadForm("a form", got, "body") from None
        self._received_bytes += len(piece)
        if (
            not self._part_count
            and self._received_bytes > self._limits.form_field_bytes
        ):
            raise BadForm("a form that begins with its boundary", "other bytes", "body")

    def fields_as_json(self) -> bytes:
        """Return the form as a JSON object.

        Raises BadForm if the form is cut off or a text is not UTF-8, and BadJson.
        """
        if not self._is_complete:
            expected = "a form that ends with its boundary"
            raise BadForm(expected, "one that is cut off", "body")
        values = self._field_values.items()
        texts = {name: _decoded(value, name) for name, value in values}
        fields_text = texts.pop(_FIELDS_PART, None)
        fields: dict[str, object] = {
            name: _field_value(name, value) for name, value in texts.items()
        }
        if fields_text is not None:
            fields |= read_json(fields_text.encode())
        # Drop a field named `file` that is not an uploaded file.
        fields.pop(_FILE_PART, None)
        if self._file is not None:
            fields = {_FILE_PART: _file_fields(self._file)} | fields
        return msgspec.json.encode(fields)

    def close(self) -> None:
        """Free the parser."""
        del self._parser

    def _callbacks(self) -> dict[str, Callable[..., Any]]:
        def add_to_name(data: bytes, start: int, end: int) -> None:
            self._header_name += data[start:end]

        def add_to_value(data: bytes, start: int, end: int) -> None:
            self._header_value += data[start:end]

        return {
            "on_part_begin": self._begin_part,
            "on_header_field": add_to_name,
            "on_header_value": add_to_value,
            "on_header_end": self._end_header,
            "on_headers_finished": self._begin_data,
            "on_part_data": self._store_data,
            "on_end": self._end_form,
        }

    def _begin_part(self) -> None:
        self._part_count += 1
        if self._part_count > self._limits.form_parts:
            raise BadForm(f"at most {self._limits.form_parts} parts", "more", "body")
        self._disposition = b""

    def _end_header(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        self._header_name.clear()
        self._header_value.clear()

    def _begin_data(self) -> None:
        """Choose, by its header, where the data of a part goes. Raises BadForm."""
        if self._disposition.count(b";") > _MAX_PARAMETERS:
            expected = f"a Content-Disposition of at most {_MAX_PARAMETERS} parameters"
            raise BadForm(expected, "more", "body")
        header = self._disposition.decode("latin-1")
        disposition, parameters = parse_options_header(header)
        if disposition != b"form-data" or b"name" not in parameters:
            expected = "a part with `Content-Disposition: form-data; name=...`"
            raise BadForm(expected, "one without", "body")
        name = _decoded(parameters[b"name"], "name")
        file_name = parameters.get(b"filename")
        if file_name is None:
            self._data_target = self._field_values[name] = bytearray()
        elif name == _FILE_PART and file_name and self._file is None:
            self._data_target = self._file = Upload(_decoded(file_name, "filename"))
        else:
            self._data_target = None

    def _store_data(self, data: bytes, start: int, end: int) -> None:
        """Store the needed bytes of a part. Raises BodyTooLarge."""
        part, size, limits = self._data_target, end - start, self._limits
        if isinstance(part, Upload):
            part.size += size
            if part.size > self._max_bytes:
                expected = f"a file of at most {self._max_bytes} bytes"
                raise BodyTooLarge(expected, "more", "part file")
            limit = limits.upload_text_bytes if is_text(part.name) else 0
            part.beginning += data[start:end][: max(0, limit - len(part.beginning))]
        elif part is not None:
            self._value_bytes += size
            if self._value_bytes > limits.form_field_bytes:
                expected = f"at most {limits.form_field_bytes} bytes beside the file"
                raise BodyTooLarge(expected, "more", "body")
            part += data[start:end]

    def _end_form(self) -> None:
        self._is_complete = True


def _file_fields(file: Upload) -> dict[str, object]:
    """Return `name` and `size` of a file, and `text` if it is a text file."""
    fields: dict[str, object] = {"name": file.name, "size": file.size}
    if is_text(file.name):
        decoder = getincrementaldecoder("utf-8-sig")("replace")
        is_whole = len(file.beginning) == file.size
        # The decoder drops a character that is cut at the end.
        fields["text"] = decoder.decode(bytes(file.beginning), is_whole)
    return fields


def _field_value(name: str, value: str) -> msgspec.Raw | str:
    """Return the JSON of a plain part; ids, JSON strings and other texts stay text.

    The JSON is not decoded, as only the operation's reader checks how much it holds.
    """
    if name.endswith("Id") or value.lstrip().startswith('"'):
        return value
    try:
        return msgspec.json.decode(value, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return value


def _decoded(value: bytes | bytearray, name: str) -> str:
    """Return a part as UTF-8 text (RFC 7578 5.1.2). Raises BadForm."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadForm("UTF-8", "other bytes", f"part {name}") from None
