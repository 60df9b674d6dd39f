"""Patterns of paths, such as `/api/x/{id}`, matched in one pass."""

import re

MAX_PATTERN = 1_000
"""How many characters a pattern may have: a match takes time for each of them."""
_PARAMETER = re.compile(r"\{([A-Za-z_][\w-]*)(:path)?\}")
_VALUES = {None: "([^/]+)", ":path": "(.*)"}
"""Type of a parameter -> the expression of its values; those of `path` may have slashes."""
_OTHER_FORM = re.compile(r":.*|\.?\*", re.DOTALL)
"""A segment that stands for any value elsewhere, as in Express or in a regular expression."""
_OTHER_BRACKETS = re.compile(r"[<>\[\]{}]")


class PathPattern:
    """A pattern of a path. A parameter is a segment, or the part of one: `{name}.json`."""

    def __init__(self, pattern: str) -> None:
        """Raises ValueError."""
        pieces = _PARAMETER.split(pattern)
        literals = pieces[::3]
        self.names = pieces[1::3]
        types = pieces[2::3]
        segments = pattern.split("/")
        most_of_segment = max(len(_PARAMETER.findall(it)) for it in segments)
        requirements = {
            f"at most {MAX_PATTERN} characters": len(pattern) <= MAX_PATTERN,
            "each parameter once": len({*self.names}) == len(self.names),
            "parameters such as {id}, not :id or *": not any(map(_OTHER_FORM.fullmatch, segments)),
            "brackets for parameters such as {id} alone": not any(
                map(_OTHER_BRACKETS.search, literals)
            ),
            "no blank and no #": not re.search(r"[\s#]", pattern),
            # With more of them, to find that nothing matches could take very long.
            "at most one parameter in a segment": most_of_segment <= 1,
            "at most one parameter of type path": types.count(":path") <= 1,
        }
        for requirement, is_met in requirements.items():
            if not is_met:
                raise ValueError(f"a path with {requirement}")
        expression = re.escape(literals[0])
        for type, literal in zip(types, literals[1:], strict=True):
            expression += _VALUES[type] + re.escape(literal)
        self._expression = re.compile(expression, re.DOTALL)

    def parameters(self, path: str) -> dict[str, str] | None:
        """The parameters of a path; None if it does not match."""
        match = self._expression.fullmatch(path)
        return match and dict(zip(self.names, match.groups(), strict=True))
