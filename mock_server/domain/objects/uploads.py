"""Uploaded files: their names, their types and the content that is stored."""

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
"""The media type for each accepted ending of a file name."""
FILE_TYPES = tuple(MEDIA_TYPES)
TEXT_TYPES = tuple(
    ending for ending, media_type in MEDIA_TYPES.items() if media_type[:4] == "text"
)
"""The endings of files whose text is stored."""

_INCOMPLETE_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class File(Struct, frozen=True):
    """An uploaded file, and the collection that was created from it.

    The collection has the name and the size of the file; `content` is the stored part.
    """

    id: str
    dataset_id: str
    collection_id: str
    content: bytes = b""

    @property
    def owner_ids(self) -> tuple[str, str]:
        """Ids of the dataset and of the collection."""
        return self.dataset_id, self.collection_id


class Ticket(Struct, frozen=True):
    """Permission to upload a file to a dataset under `key`, until `ends_at` (ms).

    After the upload, the ticket stands for the file: `ends_at` is later, `size` is in
    bytes, and `content` is the stored part.
    """

    key: str
    name: str
    dataset_id: str
    ends_at: int
    size: int | None = None
    content: bytes = b""


def ending_of(name: str) -> str:
    """Return the ending of a file name in lower case, such as `.txt`, or ""."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot >= 0 else ""


def media_type_of(name: str) -> str:
    """Return the media type for a file name; bytes without a type if unknown."""
    return MEDIA_TYPES.get(ending_of(name), "application/octet-stream")


def check_type(name: str, place: str) -> None:
    """Raise WrongFileType, naming the `place`, unless FILE_TYPES has the ending."""
    if not name.lower().endswith(FILE_TYPES):
        expected = f"a file of one of the types {' '.join(sorted(FILE_TYPES))}"
        raise WrongFileType.of(name, expected, place)


def is_text(name: str) -> bool:
    """Return True for the name of a text file."""
    return name.lower().endswith(TEXT_TYPES)


def decoded_name(name: str, place: str) -> str:
    """Return the percent-decoded form of a file name (RFC 3986 2.1).

    Raises InvalidField for a wrong encoding, and WrongFileType.
    """
    try:
        if _INCOMPLETE_ESCAPE.search(name) is not None:
            raise ValueError(name)
        decoded = unquote(name, errors="strict")
    except ValueError:
        expected = "a file name, percent-encoded in UTF-8"
        raise InvalidField.of(name, expected, place) from None
    check_type(decoded, place)
    return decoded
