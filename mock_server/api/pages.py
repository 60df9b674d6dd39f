"""Pages for browsers that the package ships: folders of files, served as they are."""

from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from starlette.types import Scope

from mock_server.api.headers import Header, values
from mock_server.api.response import Response

_PACKAGE = Path(__file__).parents[1]
INDEX = "index.html"
_MEDIA_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
MEDIA_TYPES = tuple(each.partition(b";")[0].decode() for each in _MEDIA_TYPES.values())
"""Of all files that there are."""


class Page:
    """The page of a folder of the package, with the scripts and styles beside it."""

    def __init__(self, folder: str, headers: Collection[Header]) -> None:
        """`headers` are sent with each of its files."""
        self._folder = folder
        self._headers = (*headers, (b"vary", b"accept-encoding"))
        self._read: dict[tuple[str, bool], Response] = {}

    @cached_property
    def names(self) -> Collection[str]:
        """The paths of its files below the folder, such as `page/form.js`."""
        return frozenset(self._files)

    def file(self, scope: Scope, name: str = INDEX) -> Response:
        """A file, or the page, to answer a request.

        Raises KeyError for a name that it does not have.
        """
        accepted = b",".join(values(scope["headers"], b"accept-encoding"))
        is_short = b"gzip" in accepted
        # Looked up, never joined to a path: no name can lead out of the folder.
        if (name, is_short) not in self._read:
            content = self._files[name].read_bytes()
            headers = self._headers
            if is_short:
                import gzip

                # A third of the bytes, for those who look from another machine.
                content = gzip.compress(content, mtime=0)
                headers += ((b"content-encoding", b"gzip"),)
            media_type = _MEDIA_TYPES[Path(name).suffix]
            response = Response(200, content, headers, media_type)
            self._read[name, is_short] = response
        return self._read[name, is_short]

    @cached_property
    def _files(self) -> dict[str, Path]:
        folder = _PACKAGE / self._folder
        return {
            each.relative_to(folder).as_posix(): each
            for each in folder.rglob("*")
            if each.suffix in _MEDIA_TYPES
        }
