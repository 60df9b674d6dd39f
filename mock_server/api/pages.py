"""Pages for browsers in the package: each is one folder of files."""

import re
from collections.abc import Collection
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from starlette.types import Scope

from mock_server.api.headers import Header, values
from mock_server.api.joined import joined_script, joined_styles
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
# A file with such a name never changes, as the name is a hash of the content.
_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")
_LINK = re.compile(
    r'^ *<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)".*\n',
    re.MULTILINE,
)


class Page:
    """The page of a folder, with its drawings, one script and one style sheet."""

    def __init__(self, folder: str, headers: Collection[Header]) -> None:
        """`headers` are sent with each file."""
        self._folder = folder
        self._headers = (*headers, (b"vary", b"accept-encoding"))
        self._read: dict[tuple[str, bool], Response] = {}

    @cached_property
    def names(self) -> Collection[str]:
        """Return the names of the page's files, such as `icon.svg`."""
        return frozenset(self._files)

    def file(self, scope: Scope, name: str = INDEX) -> Response:
        """Return a file, or the page, as a response.

        Raises KeyError for an unknown name.
        """
        accepted = b",".join(values(scope["headers"], b"accept-encoding"))
        is_short = b"gzip" in accepted
        # Looked up, never joined to a path: no name can leave the folder.
        if (name, is_short) not in self._read:
            content, headers = self._files[name], self._headers
            kind = Path(name).suffix
            if kind in (".css", ".js"):
                headers += (_FOREVER,)
            if is_short:
                import gzip

                # A third of the bytes, for browsers on other machines.
                content = gzip.compress(content, mtime=0)
                headers += ((b"content-encoding", b"gzip"),)
            response = Response(200, content, headers, _MEDIA_TYPES[kind])
            self._read[name, is_short] = response
        return self._read[name, is_short]

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """The contents of all files by name, built on first use."""
        folder, prefix = _PACKAGE / self._folder, f"{self._folder}/"
        text = (folder / INDEX).read_text(encoding="utf-8")
        linked = [folder / each.removeprefix(prefix) for each in _LINK.findall(text)]
        (script,) = (each for each in linked if each.suffix == ".js")
        joined = {
            ".css": joined_styles(each for each in linked if each.suffix == ".css"),
            ".js": joined_script(script),
        }
        contents = {kind: content.encode() for kind, content in joined.items()}
        names = {
            k: sha256(content).hexdigest()[:16] + k for k, content in contents.items()
        }
        left = dict(names)

        def renamed(found: re.Match[str]) -> str:
            """Point the first link of a kind to the joined file; drop the others."""
            address = found[1]
            name = left.pop(Path(address).suffix, None)
            if name is None:
                return ""
            before = prefix if address.startswith(prefix) else ""
            return found[0].replace(address, before + name)

        index = _LINK.sub(renamed, text).encode()
        drawings = {each.name: each.read_bytes() for each in folder.glob("*.svg")}
        made = {names[kind]: content for kind, content in contents.items()}
        return {INDEX: index, **drawings, **made}
