"""The responses that fixtures declare for paths beyond those of the operations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct

Form = Literal["json", "text", "base64"]
"""How a document writes a body."""

WITHOUT_BODY = (204, 205, 304)
"""Statuses of responses that have no body (RFC 9110 15)."""

_PARAMETER = re.compile(r"\{[^{}]*\}")
_Segments = tuple[str | None, ...]


class DeclaredResponse(Struct, frozen=True):
    """What is answered to a method at a path, in which `{name}` is any one segment.

    `form` is None for one without a body. Names of `headers` are in lower case; the
    content type is among them if it is declared. `delay_ms` is in milliseconds.
    """

    method: str
    path: str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    form: Form | None = None
    body: bytes = b""
    delay_ms: int = 0

    @property
    def name(self) -> str:
        """What faults, journal and logs call it."""
        return f"{self.method} {self.path}"


def pattern_of(path: str) -> str:
    """A path without the names of its parameters: equal ones match the same paths."""
    return _PARAMETER.sub("{}", path)


class DeclaredResponses(Mapping[str, DeclaredResponse]):
    """Declared responses by name, and by the requests that they are for.

    They never change. No two have the same method and pattern.
    """

    def __init__(self, responses: Iterable[DeclaredResponse] = ()) -> None:
        self._by_name = {each.name: each for each in responses}
        # By the segments of their paths, None for parameters, and by method.
        self._at: dict[_Segments, dict[str, DeclaredResponse]] = {}
        for each in self._by_name.values():
            segments = each.path.split("/")
            at = tuple(None if one.startswith("{") else one for one in segments)
            self._at.setdefault(at, {})[each.method] = each
        # Which segments are parameters: where paths differ, literals come first.
        self._shapes = sorted({tuple(one is None for one in at) for at in self._at})

    def __getitem__(self, name: str) -> DeclaredResponse:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def find(self, method: str, path: str) -> DeclaredResponse | None:
        """The response for a request; HEAD is answered as GET is (RFC 9110 9.3.2).

        Of several that match, the one with a literal where the other, from the left,
        has a parameter.
        """
        wanted = "GET" if method == "HEAD" else method
        return next((by[wanted] for by in self._all_at(path) if wanted in by), None)

    def methods_at(self, path: str) -> Sequence[str]:
        """The methods for which there is a response at a path, each once."""
        return list(dict.fromkeys(chain.from_iterable(self._all_at(path))))

    def _all_at(self, path: str) -> Iterator[Mapping[str, DeclaredResponse]]:
        """What is declared by method at each path that a request's matches."""
        segments = path.split("/")
        for shape in self._shapes:
            if len(shape) == len(segments):
                both = zip(segments, shape, strict=True)
                # No parameter is empty.
                at = tuple(None if one and is_any else one for one, is_any in both)
                if at in self._at:
                    yield self._at[at]
