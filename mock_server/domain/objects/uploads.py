"""Files that are uploaded: their names and types, and how they are remembered."""

import re
from urllib.parse import unquote

from msgspec import Struct

from mock_server.domain.errors import InvalidField, refusal

FileNotFound = refusal("FileNotFound", "404 fileNotFound", "404 507002 fileNotFound")
WrongFileType = refusal(
    "WrongFileType", "400 wrongFileType", "400 510000 InvalidUploadFileType"
)

TEXT_TYPES = (".txt", ".md", ".html", ".csv")
"""What the text of a file is kept of."""
FILE_TYPES = (*TEXT_TYPES, ".docx", ".xlsx", ".pdf", ".pptx")

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
    if not decoded.lower().endswith(FILE_TYPES):
        expected = f"a file of one of the types {' '.join(sorted(FILE_TYPES))}"
        raise WrongFileType.of(decoded, expected, at)
    return decoded
