"""The responses that fixtures declare for paths beyond those of the operations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

Form = Literal["json", "text", "base64"]
"""How a document writes a body."""

WITHOUT_BODY = (204, 205, 304)
"""Statuses of responses that have no body (RFC 9110 15)."""

_PARAMETER = re.compile(r"\{[^}]*\}")


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


class _Node(Struct):
    """A place in the tree of segments; `by_method` is what is declared there."""

    literals: dict[str, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    by_method: dict[str, DeclaredResponse] = field(default_factory=dict)

    def below(self, segment: str) -> "_Node":
        """The place below for a segment of a declared path, made if need be."""
        if not segment.startswith("{"):
            return self.literals.setdefault(segment, _Node())
        if self.parameter is None:
            self.parameter = _Node()
        return self.parameter


class DeclaredResponses(Mapping[str, DeclaredResponse]):
    """Declared responses by name, and by the requests that they are for.

    They never change. No two have the same method and pattern.
    """

    def __init__(self, responses: Iterable[DeclaredResponse] = ()) -> None:
        self._by_name = {each.name: each for each in responses}
        self._root = _Node()
        paths = (each.path.count("/") for each in self._by_name.values())
        self._deepest = max(paths, default=0)
        for each in self._by_name.values():
            node = self._root
            for segment in each.path.split("/"):
                node = node.below(segment)
            node.by_method[each.method] = each

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
        nodes = self._nodes(path) if self._by_name else ()
        return next((n.by_method[wanted] for n in nodes if wanted in n.by_method), None)

    def methods_at(self, path: str) -> Sequence[str]:
        """The methods for which there is a response at a path, each once."""
        nodes = self._nodes(path) if self._by_name else ()
        return list(
            dict.fromkeys(method for node in nodes for method in node.by_method)
        )

    def _nodes(self, path: str) -> Iterator[_Node]:
        """The places that a path leads to, literals first."""
        if path.count("/") > self._deepest:
            return
        # Each node is come to once at most.
        segments = path.split("/")
        waiting = [(self._root, 0)]
        while waiting:
            node, depth = waiting.pop()
            if depth == len(segments):
                yield node
                continue
            segment = segments[depth]
            if node.parameter is not None and segment:
                waiting.append((node.parameter, depth + 1))
            if segment in node.literals:
                waiting.append((node.literals[segment], depth + 1))
