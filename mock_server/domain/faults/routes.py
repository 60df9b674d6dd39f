"""The routes of answers: methods and paths that belong to no operation."""

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


def wildcard_warnings(name: str) -> Iterator[str]:
    """Yield a warning for each `:name` and `*` in a route: they are taken literally."""
    for segment in name.partition(" ")[2].split("/") if is_route(name) else ():
        if segment.startswith(":") and segment[1:].isidentifier():
            yield f"{cut(segment)!r} is taken literally: write {{{cut(segment[1:])}}}"
        elif "*" in segment:
            advice = "there are no wildcards: write {name} for any one segment"
            yield f"{cut(segment)!r} is taken literally, as {advice}"


def pattern_of(path: str) -> str:
    """Return a path without the names of its parameters: `/api/x/{}`."""
    return _PARAMETER.sub("{}", path)


class Routes:
    """Routes that are found by the method and the path of a request.

    `{name}` in a route matches any single segment that is not empty.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        # By the segments of the path (None for a parameter), then by method.
        self._by_segments: dict[_Segments, dict[str, list[str]]] = {}
        for name in dict.fromkeys(names):
            method, _, path = name.partition(" ")
            parts = path.split("/")
            segments = tuple(None if part.startswith("{") else part for part in parts)
            by_method = self._by_segments.setdefault(segments, {})
            by_method.setdefault(method, []).append(name)
        # For each segment of a pattern: True if it is a parameter. Literals sort first.
        self._shapes = sorted(
            {tuple(part is None for part in each) for each in self._by_segments}
        )

    def find(self, method: str, path: str) -> tuple[str, ...]:
        """Return the names of the matching routes; HEAD counts as GET (RFC 9110 9.3.2).

        At the first differing segment, a literal comes before a parameter.
        """
        key = "GET" if method == "HEAD" else method
        names = (name for row in self._matching(path) for name in row.get(key, ()))
        return tuple(names)

    def methods_at(self, path: str) -> Sequence[str]:
        """Return the methods of the routes that match a path, each once."""
        return list(dict.fromkeys(each for row in self._matching(path) for each in row))

    def _matching(self, path: str) -> Iterator[dict[str, list[str]]]:
        """Yield the routes by method, for each pattern that matches a path."""
        parts = path.split("/")
        for shape in self._shapes:
            if len(shape) == len(parts):
                pairs = zip(parts, shape, strict=True)
                # A parameter does not match an empty segment.
                segments = tuple(
                    None if part and is_any else part for part, is_any in pairs
                )
                if segments in self._by_segments:
                    yield self._by_segments[segments]
