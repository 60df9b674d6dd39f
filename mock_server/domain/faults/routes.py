"""Routes of answers: paths besides those of the operations."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mock_server.domain.messages import cut

METHODS = ("DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT")
_PARAMETER = re.compile(r"\{[^{}]*\}")
_Segments = tuple[str | None, ...]


def is_route(name: str) -> bool:
    """Return True for the name of a route, such as `GET /api/x/{id}`."""
    method, blank, _ = name.partition(" ")
    return method in METHODS and blank != ""


def unlike_routes(name: str) -> Iterator[str]:
    """Yield warnings: `:name` and `*` in a path, which are taken literally here."""
    for segment in name.partition(" ")[2].split("/") if is_route(name) else ():
        if segment.startswith(":") and segment[1:].isidentifier():
            yield f"{cut(segment)!r} is taken literally: write {{{cut(segment[1:])}}}"
        elif "*" in segment:
            how = "there are no wildcards: write {name} for any one segment"
            yield f"{cut(segment)!r} is taken literally, as {how}"


def pattern_of(path: str) -> str:
    """Return a path without the names of its parameters."""
    return _PARAMETER.sub("{}", path)


class Routes:
    """Names of routes, found by method and path of a request.

    `{name}` in a route matches any one segment that is not empty.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        # By the segments of the paths (None for a parameter), then by method.
        self._at: dict[_Segments, dict[str, list[str]]] = {}
        for name in dict.fromkeys(names):
            method, _, path = name.partition(" ")
            segments = path.split("/")
            at = tuple(None if one.startswith("{") else one for one in segments)
            self._at.setdefault(at, {}).setdefault(method, []).append(name)
        # Which segments are parameters; literals sort first.
        self._shapes = sorted({tuple(one is None for one in at) for at in self._at})

    def find(self, method: str, path: str) -> tuple[str, ...]:
        """Return the routes that match; HEAD is treated as GET (RFC 9110 9.3.2).

        From the left, a literal segment comes before a parameter.
        """
        wanted = "GET" if method == "HEAD" else method
        found = (name for by in self._all_at(path) for name in by.get(wanted, ()))
        return tuple(found)

    def methods_at(self, path: str) -> Sequence[str]:
        """Return the methods of the routes that match a path, each once."""
        return list(dict.fromkeys(each for by in self._all_at(path) for each in by))

    def _all_at(self, path: str) -> Iterator[dict[str, list[str]]]:
        """Yield the routes by method, for each pattern that matches a path."""
        segments = path.split("/")
        for shape in self._shapes:
            if len(shape) == len(segments):
                both = zip(segments, shape, strict=True)
                # No parameter is empty.
                at = tuple(None if one and is_any else one for one, is_any in both)
                if at in self._at:
                    yield self._at[at]
