"""What is kept of bodies that pass, up to a limit."""

import zlib

from mock_server.api.headers import Header, values

_GZIP_OR_ZLIB = 47  # window bits by which zlib finds out itself which of them it is
_CODINGS = {b"gzip", b"x-gzip", b"deflate"}


class Kept:
    """The beginning of a body; `is_whole` until there is more than `most` bytes."""

    __slots__ = ("content", "is_whole", "most")

    def __init__(self, most: int) -> None:
        self.content = bytearray()
        self.is_whole = True
        self.most = most

    def add(self, piece: bytes) -> None:
        """Take the next piece, as much of it as there is room for."""
        room = self.most - len(self.content)
        self.is_whole = self.is_whole and len(piece) <= room
        self.content += piece[:room] if len(piece) > room else piece


class Plain:
    """What has been kept, its content encoding undone; of at most `most` bytes.

    `is_known` is false for an encoding that cannot be undone: then it is as it came.
    """

    __slots__ = ("content", "is_known", "is_whole")

    def __init__(self, kept: Kept, headers: list[Header]) -> None:
        """`headers` are those of the message, names in lower case."""
        self.content = bytes(kept.content)
        self.is_whole = kept.is_whole
        given = b",".join(values(headers, b"content-encoding")).lower().strip()
        self.is_known = given in (b"", b"identity")
        if given in _CODINGS and self.content:
            self._unpack(kept.most)

    def _unpack(self, most: int) -> None:
        """Undo gzip or zlib; a small body may hold gigabytes, so there is a limit."""
        unpacking = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            self.content = unpacking.decompress(self.content, most)
        except zlib.error:
            return
        self.is_known = True
        self.is_whole = self.is_whole and unpacking.eof
