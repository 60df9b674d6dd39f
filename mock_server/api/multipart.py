"""A form with a file (`multipart/form-data`, RFC 7578), read as it comes.

The form is never in memory as a whole: of a file its name, its size and the beginning
of its text are kept, of other parts their values.
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

_FILE, _FIELDS = "file", "data"
"""The names of the part that is the file, and of the one with all fields as JSON."""
_COPIES = 5
"""How often what is kept is in memory until a response is given: bytes, text, JSON and
what is read of it."""
# What the parser would log is told to the client.
_QUIET = Logger("multipart", CRITICAL)


async def receive_upload(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """The fields of a form as JSON; its file is `{"file": {name, size, text}}`.

    A file has at most `max_bytes`; that of a text file is kept in part. Raises
    UnsupportedMediaType, BadForm, BadJson, BodyTooLarge, LimitReached, ClientGone.
    """
    # Of JSON no type has been checked: it is what nearly all bodies are.
    check_media_type(body.scope["headers"], "multipart/form-data")
    with closing(Form(boundary_of(body), max_bytes, memory.limits)) as form:
        async for piece in body.pieces(max_bytes + memory.limits.body_bytes):
            form.take(piece)
            body.charge(_COPIES * form.kept, memory)
        return form.fields_as_json()


def boundary_of(body: RequestBody) -> bytes:
    """What separates the parts of a form. Raises BadForm."""
    given = b"; ".join(values(body.scope["headers"], b"content-type"))
    if len(given) > _TYPE_BYTES:
        expected = f"at most {_TYPE_BYTES} bytes"
        raise BadForm(expected, f"{len(given)}", "header Content-Type")
    options = parse_options_header(given.decode("latin-1"))[1]
    boundary = options.get(b"boundary", b"")
    if not 1 <= len(boundary) <= _BOUNDARY_BYTES:
        expected = f"a boundary of 1 to {_BOUNDARY_BYTES} characters"
        got = f"one of {len(boundary)}" if boundary else "none"
        hint = "leave the header out: fetch and curl -F write it with a boundary"
        raise BadForm(expected, got, "header Content-Type", hint)
    return boundary


_BOUNDARY_BYTES = 70  # RFC 2046 5.1.1
_TYPE_BYTES = 1_024  # a boundary and more; to read 16 KiB of parameters takes long
_PARAMETERS = 100  # a file name may hold semicolons; to read 4,000 takes 3 ms


class Upload(Struct):
    """The file of a form, as far as it has come; `head` is what is kept of it."""

    name: str
    size: int = 0
    head: bytearray = msgspec.field(default_factory=bytearray)


class Form:
    """A form, as far as it has come; `close` lets go of it.

    What calls it back refers to it, so otherwise it would be kept, with its file, until
    the collector of garbage comes by, and nobody be charged for that.
    """

    def __init__(self, boundary: bytes, max_bytes: int, limits: Limits) -> None:
        """A file has at most `max_bytes`."""
        self._file: Upload | None = None
        self._values: dict[str, bytearray] = {}
        self._max_bytes = max_bytes
        self._limits = limits
        self._parts = self._value_bytes = self._taken = 0
        self._delimiter, self._delimiters = b"\r\n--" + boundary, 0
        self._is_whole = False
        # Of the part that is coming: its header, and where its data goes.
        self._header_name, self._header_value = bytearray(), bytearray()
        self._disposition = b""
        self._part: Upload | bytearray | None = None
        self._parser = MultipartParser(boundary, self._callbacks())  # type: ignore[arg-type]
        self._parser.logger = _QUIET

    @property
    def kept(self) -> int:
        """How many bytes of it are in memory."""
        return self._value_bytes + (0 if self._file is None else len(self._file.head))

    def take(self, piece: bytes) -> None:
        """Read on. Raises BadForm, BodyTooLarge."""
        # After each, the parser goes on byte by byte: a MiB of them takes 150 ms.
        self._delimiters += piece.count(self._delimiter)
        if self._delimiters > 10 * self._limits.form_parts:
            raise BadForm("a boundary that is not in the data", "one that is", "body")
        try:
            self._parser.write(piece)
        except FormParserError as error:
            text = str(error)
            got = f"a malformed one, {text[:1].lower()}{text[1:]}"
            raise BadForm("a form", got, "body") from None
        self._taken += len(piece)
        if not self._parts and self._taken > self._limits.form_field_bytes:
            raise BadForm("a form that begins with its boundary", "other bytes", "body")

    def fields_as_json(self) -> bytes:
        """All of it as a JSON object. Raises BadForm if it is cut off, and BadJson."""
        if not self._is_whole:
            expected = "a form that ends with its boundary"
            raise BadForm(expected, "one that is cut off", "body")
        given = {name: _text(value, name) for name, value in self._values.items()}
        inside = given.pop(_FIELDS, None)
        fields = {name: _plain(name, value) for name, value in given.items()}
        if inside is not None:
            fields |= read_json(inside.encode())
        # Only what has been uploaded is a file.
        fields.pop(_FILE, None)
        if self._file is not None:
            fields = {_FILE: _file_fields(self._file)} | fields
        return msgspec.json.encode(fields)

    def close(self) -> None:
        """Take nothing any more."""
        del self._parser

    def _callbacks(self) -> dict[str, Callable[..., Any]]:
        def header_name(data: bytes, start: int, end: int) -> None:
            self._header_name += data[start:end]

        def header_value(data: bytes, start: int, end: int) -> None:
            self._header_value += data[start:end]

        return {
            "on_part_begin": self._begin_part,
            "on_header_field": header_name,
            "on_header_value": header_value,
            "on_header_end": self._end_header,
            "on_headers_finished": self._begin_data,
            "on_part_data": self._keep,
            "on_end": self._end,
        }

    def _begin_part(self) -> None:
        self._parts += 1
        if self._parts > self._limits.form_parts:
            raise BadForm(f"at most {self._limits.form_parts} parts", "more", "body")
        self._disposition = b""

    def _end_header(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        self._header_name.clear()
        self._header_value.clear()

    def _begin_data(self) -> None:
        """Find out what a part is by its head. Raises BadForm."""
        if self._disposition.count(b";") > _PARAMETERS:
            expected = f"a Content-Disposition of at most {_PARAMETERS} parameters"
            raise BadForm(expected, "more", "body")
        kind, options = parse_options_header(self._disposition.decode("latin-1"))
        if kind != b"form-data" or b"name" not in options:
            expected = "a part with `Content-Disposition: form-data; name=...`"
            raise BadForm(expected, "one without", "body")
        name = _text(options[b"name"], "name")
        file_name = options.get(b"filename")
        if file_name is None:
            self._part = self._values[name] = bytearray()
        elif name == _FILE and file_name and self._file is None:
            self._part = self._file = Upload(_text(file_name, "filename"))
        else:
            self._part = None

    def _keep(self, data: bytes, start: int, end: int) -> None:
        """Keep what is wanted of a part. Raises BodyTooLarge."""
        part, size, limits = self._part, end - start, self._limits
        if isinstance(part, Upload):
            part.size += size
            if part.size > self._max_bytes:
                expected = f"a file of at most {self._max_bytes} bytes"
                raise BodyTooLarge(expected, "more", "part file")
            most = limits.upload_text_bytes if is_text(part.name) else 0
            part.head += data[start:end][: max(0, most - len(part.head))]
        elif part is not None:
            self._value_bytes += size
            if self._value_bytes > limits.form_field_bytes:
                expected = f"at most {limits.form_field_bytes} bytes beside the file"
                raise BodyTooLarge(expected, "more", "body")
            part += data[start:end]

    def _end(self) -> None:
        self._is_whole = True


def _file_fields(file: Upload) -> dict[str, object]:
    """A file as fields: its name as it was sent, its size, its text if it is one."""
    fields: dict[str, object] = {"name": file.name, "size": file.size}
    if is_text(file.name):
        decoder = getincrementaldecoder("utf-8-sig")("replace")
        is_whole = len(file.head) == file.size
        # Where it is cut amid a character, that is dropped.
        fields["text"] = decoder.decode(bytes(file.head), is_whole)
    return fields


def _plain(name: str, value: str) -> object:
    """The value of a plain part: JSON where it can be, but for ids, which are text."""
    if name.endswith("Id"):
        return value
    try:
        decoded = msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value
    return value if isinstance(decoded, str) else decoded


def _text(value: bytes | bytearray, name: str) -> str:
    """What a part says, in UTF-8 (RFC 7578 5.1.2). Raises BadForm."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadForm("UTF-8", "other bytes", f"part {name}") from None
