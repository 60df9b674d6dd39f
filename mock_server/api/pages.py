"""Serves the console and the demo: each page is a folder of HTML, scripts, styles."""

import re
from collections.abc import Collection
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from starlette.types import Scope

from mock_server.api.headers import Header, values
from mock_server.api.page_bundle import joined_script, joined_styles
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
"""Media types of all files of pages."""
# For scripts and styles, whose names are a hash of their content.
_CACHE_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")
_LINK = re.compile(
    r'^ *<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)".*\n',
    re.MULTILINE,
)


class Page:
    """The page in a folder: HTML, SVG images, one script and one style sheet."""

    def __init__(self, folder: str, headers: Collection[Header]) -> None:
        """`folder` is relative to the package; `headers` are sent with each file."""
        self._folder = folder
        self._headers = (*headers, (b"vary", b"accept-encoding"))
        self._cached_files: dict[tuple[str, bool], Response] = {}

    @cached_property
    def names(self) -> Collection[str]:
        """Return the names of the page's files, such as `icon.svg`."""
        return frozenset(self._files)

    def file(self, scope: Scope, name: str = INDEX) -> Response:
        """Return a file as a response, by default the HTML; gzipped if accepted.

        Raises KeyError for an unknown name.
        """
        accepted = b",".join(values(scope["headers"], b"accept-encoding"))
        is_compressed = b"gzip" in accepted
        # A name is looked up, never joined to a path: so no name can leave the folder.
        if (name, is_compressed) not in self._cached_files:
            content, headers = self._files[name], self._headers
            suffix = Path(name).suffix
            if suffix in (".css", ".js"):
                headers += (_CACHE_FOREVER,)
            if is_compressed:
                import gzip

                # This saves two thirds of the bytes, for browsers on other machines.
                content = gzip.compress(content, mtime=0)
                headers += ((b"content-encoding", b"gzip"),)
            response = Response(200, content, headers, _MEDIA_TYPES[suffix])
            self._cached_files[name, is_compressed] = response
        return self._cached_files[name, is_compressed]

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """Return the contents of all files by name, built on first use."""
        folder, prefix = _PACKAGE / self._folder, f"{self._folder}/"
        text = (folder / INDEX).read_text(encoding="utf-8")
        linked = [folder / each.removeprefix(prefix) for each in _LINK.findall(text)]
        (script,) = (each for each in linked if each.suffix == ".js")
        joined = {
            ".css": joined_styles(each for each in linked if each.suffix == ".css"),
            ".js": joined_script(script),
        }
        contents = {suffix: content.encode() for suffix, content in joined.items()}
        names = {
            suffix: sha256(content).hexdigest()[:16] + suffix
            for suffix, content in contents.items()
        }
        unused_names = dict(names)

        def replace_link(match: re.Match[str]) -> str:
            """Return the first link of its kind with the joined file, else ""."""
            address = match[1]
            name = unused_names.pop(Path(address).suffix, None)
            if name is None:
                return ""
            before = prefix if address.startswith(prefix) else ""
            return match[0].replace(address, before + name)

        index = _LINK.sub(replace_link, text).encode()
        drawings = {each.name: each.read_bytes() for each in folder.glob("*.svg")}
        joined_files = {names[suffix]: content for suffix, content in contents.items()}
        return {INDEX: index, **drawings, **joined_files}
