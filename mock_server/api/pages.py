"""Pages for browsers that the package ships: folders of files, served as they are."""

from collections.abc import Collection, Iterator
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from mock_server.api.headers import Header
from mock_server.api.response import Response

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
        self._headers = tuple(headers)
        self._read: dict[str, Response] = {}

    @cached_property
    def names(self) -> Collection[str]:
        """The paths of its files below the folder, such as `page/dom.js`."""
        return frozenset(self._files)

    def file(self, name: str = INDEX) -> Response:
        """A file, or the page. Raises KeyError for a name that it does not have."""
        # Looked up, never joined to a path: no name can lead out of the folder.
        if name not in self._read:
            content = self._files[name].read_bytes()
            media_type = _MEDIA_TYPES[PurePosixPath(name).suffix]
            response = Response(200, content, self._headers, media_type)
            self._read[name] = response
        return self._read[name]

    @cached_property
    def _files(self) -> dict[str, Traversable]:
        return dict(_below(files("mock_server").joinpath(self._folder)))


def _below(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """All files that can be served, with their paths."""
    for each in folder.iterdir():
        if each.is_dir():
            yield from _below(each, f"{prefix}{each.name}/")
        elif PurePosixPath(each.name).suffix in _MEDIA_TYPES:
            yield prefix + each.name, each
