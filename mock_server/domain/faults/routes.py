"""The paths beyond those of the operations at which something is answered."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mock_server.domain.messages import cut

METHODS = ("DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT")
_PARAMETER = re.compile(r"\{[^{}]*\}")
_Segments = tuple[str | None, ...]


def is_route(name: str) -> bool:
    """Whether a name is that of a route, such as `GET /api/x/{id}`."""
    method, blank, _ = name.partition(" ")
    return method in METHODS and blank != ""


def unlike_routes(name: str) -> Iterator[str]:
    """What other tools read as a parameter in a path, and is taken as it stands."""
    for segment in name.partition(" ")[2].split("/") if is_route(name) else ():
        if segment.startswith(":") and segment[1:].isidentifier():
            yield f"{cut(segment)!r} is taken literally: write {{{cut(segment[1:])}}}"
        elif "*" in segment:
            how = "there are no wildcards: write {name} for any one segment"
            yield f"{cut(segment)!r} is taken literally, as {how}"


def pattern_of(path: str) -> str:
    """A path without the names of its parameters: equal ones match the same paths."""
    return _PARAMETER.sub("{}", path)


class Routes:
    """Names of routes, found by the requests that they are for.

    `{name}` in a path is any one segment.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        # By the segments of their paths, None for parameters, and by method.
        self._at: dict[_Segments, dict[str, list[str]]] = {}
        for name in dict.fromkeys(names):
            method, _, path = name.partition(" ")
            segments = path.split("/")
            at = tuple(None if one.startswith("{") else one for one in segments)
            self._at.setdefault(at, {}).setdefault(method, []).append(name)
        # Which segments are parameters: where paths differ, literals come first.
        self._shapes = sorted({tuple(one is None for one in at) for at in self._at})

    def find(self, method: str, path: str) -> tuple[str, ...]:
        """All names for a request; HEAD is answered as GET is (RFC 9110 9.3.2).

        One with a literal where another, from the left, has a parameter comes first.
        """
        wanted = "GET" if method == "HEAD" else method
        found = (name for by in self._all_at(path) for name in by.get(wanted, ()))
        return tuple(found)

    def methods_at(self, path: str) -> Sequence[str]:
        """The methods of the names for a path, each once."""
        return list(dict.fromkeys(each for by in self._all_at(path) for each in by))

    def _all_at(self, path: str) -> Iterator[dict[str, list[str]]]:
        """The names by method at each path that a request's matches."""
        segments = path.split("/")
        for shape in self._shapes:
            if len(shape) == len(segments):
                both = zip(segments, shape, strict=True)
                # No parameter is empty.
                at = tuple(None if one and is_any else one for one, is_any in both)
                if at in self._at:
                    yield self._at[at]
