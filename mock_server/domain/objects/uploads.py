"""Files that are uploaded: their names and types, and how they are remembered."""

import re
from urllib.parse import unquote

from msgspec import Struct

from mock_server.domain.errors import InvalidField, refusal

FileNotFound = refusal("FileNotFound", "404 fileNotFound", "404 507002 fileNotFound")
FileForbidden = refusal("FileForbidden", "403 forbidden", "403 507003 unAuthFile")
WrongFileType = refusal(
    "WrongFileType", "400 wrongFileType", "400 510000 InvalidUploadFileType"
)

_OFFICE = "application/vnd.openxmlformats-officedocument"
MEDIA_TYPES = {
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".pdf": "application/pdf",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
}
"""The types of files that are taken, by what their names end with."""
FILE_TYPES = tuple(MEDIA_TYPES)
TEXT_TYPES = tuple(end for end, kind in MEDIA_TYPES.items() if kind[:4] == "text")
"""What the text of a file is kept of."""

_HALF_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class File(Struct, frozen=True):
    """A file that has been uploaded, by the collection that it has become.

    That has its name and its size. `content` is what is kept of it.
    """

    id: str
    dataset_id: str
    collection_id: str
    content: bytes = b""

    @property
    def place(self) -> tuple[str, str]:
        """The ids of the dataset and of the collection."""
        return self.dataset_id, self.collection_id


class Ticket(Struct, frozen=True):
    """Leave to upload a file of a dataset under a key, until a time in milliseconds.

    Once that is done it is the file, until another time: of `size` bytes, of which
    `content` is kept.
    """

    key: str
    name: str
    dataset_id: str
    ends: int
    size: int | None = None
    content: bytes = b""


def ending_of(name: str) -> str:
    """What the name of a file ends with, such as `.txt`; "" of one without."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot >= 0 else ""


def media_type_of(name: str) -> str:
    """The media type of a file by its name."""
    return MEDIA_TYPES.get(ending_of(name), "application/octet-stream")


def check_type(name: str, at: str) -> None:
    """Raises WrongFileType for the name of a file of another type."""
    if not name.lower().endswith(FILE_TYPES):
        expected = f"a file of one of the types {' '.join(sorted(FILE_TYPES))}"
        raise WrongFileType.of(name, expected, at)


def is_text(name: str) -> bool:
    return name.lower().endswith(TEXT_TYPES)


def decoded_name(name: str, at: str) -> str:
    """The name of a file, of which clients encode what is not ASCII (RFC 3986 2.1).

    Raises InvalidField for an encoding that is none, and WrongFileType.
    """
    try:
        half = _HALF_ESCAPE.search(name)
        if half is not None:
            raise ValueError(name)
        decoded = unquote(name, errors="strict")
    except ValueError:
        expected = "a file name, percent-encoded in UTF-8"
        raise InvalidField.of(name, expected, at) from None
    check_type(decoded, at)
    return decoded
