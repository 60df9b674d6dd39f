"""Patterns of paths, such as `/api/x/{id}`, matched in one pass."""

import re

from mock_server.http.request import ENCODED_SLASH

MAX_PATTERN = 1_000
"""How many characters a pattern may have: a match takes time for each of them."""
TYPES = {
    "str": "[^/]+",
    "int": "[0-9]+",
    "float": r"[0-9]+(\.[0-9]+)?",
    "uuid": "[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}",
    "path": "[^/]*",
}
"""Type of a parameter -> its values; those of `path` may have slashes."""
_PARAMETER = re.compile(r"\{([A-Za-z_][\w-]*)(?::(\w+))?\}")

_OTHER_FORM = re.compile(r":.*|\.?\*", re.DOTALL)
"""A segment that stands for any value elsewhere, as in Express or in a regular expression."""
_OTHER_BRACKETS = re.compile(r"[<>\[\]{}]")


class PathPattern:
    """A pattern of a path: its parameters, and the literals before, between and after them."""

    def __init__(self, pattern: str) -> None:
        """Raises ValueError."""
        self._first, *pieces = _PARAMETER.split(pattern)
        self.names = pieces[::3]
        self._types = [it or "str" for it in pieces[1::3]]
        self._literals = pieces[2::3]
        segments = pattern.split("/")
        self._slashes = len(segments) - 1
        self._rests = [index for index, it in enumerate(segments) if ":path}" in it]
        rules = {
            f"at most {MAX_PATTERN} characters": len(pattern) <= MAX_PATTERN,
            f"parameters of types {', '.join(TYPES)}": TYPES.keys() >= {*self._types},
            "each parameter once": len({*self.names}) == len(self.names),
            "parameters such as {id}, not :id or *": not any(map(_OTHER_FORM.fullmatch, segments)),
            "brackets for parameters such as {id} alone": not any(
                map(_OTHER_BRACKETS.search, [self._first, *self._literals])
            ),
            "no blank and no #": not re.search(r"[\s#]", pattern),
            "a text between two parameters of a segment": "" not in self._literals[:-1],
            "at most one parameter of type path": len(self._rests) <= 1,
            "a parameter of type path as a whole segment": all(
                _PARAMETER.fullmatch(segments[it]) for it in self._rests
            ),
        }
        for rule, is_kept in rules.items():
            if not is_kept:
                raise ValueError(f"a path with {rule}")

    def parameters(self, path: str) -> dict[str, str] | None:
        """The parameters of a path, ENCODED_SLASH for their slashes; None if it does not match.

        Of several matches, it is that with the longest first parameters.
        """
        if not self.names:
            return {} if path == self._first else None
        # The parameter of type path takes all segments that the others leave.
        for start in self._rests:
            texts = path.split("/")
            end = start + len(texts) - self._slashes
            if end <= start:
                return None
            texts[start:end] = [ENCODED_SLASH.join(texts[start:end])]
            path = "/".join(texts)
        *between, last = self._literals
        if not (path.startswith(self._first) and path.endswith(last)):
            return None
        # A literal is where it first occurs from the right: no value has a slash.
        values: list[str] = []
        end = len(path) - len(last)
        for literal, type in zip(reversed(between), reversed(self._types), strict=False):
            # Only a value of type path may be empty.
            end_of_literal = end if type == "path" else max(0, end - 1)
            start = path.rfind(literal, len(self._first), end_of_literal)
            if start < 0:
                return None
            values.insert(0, path[start + len(literal) : end])
            end = start
        values.insert(0, path[len(self._first) : end])
        types = [TYPES[it] for it in self._types]
        if not all(map(re.fullmatch, types, values)):
            return None
        return dict(zip(self.names, values, strict=True))
