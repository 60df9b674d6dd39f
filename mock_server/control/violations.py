"""The names of violations, as those who allow some give them."""

from collections.abc import Collection

from mock_server.domain.choices import table
from mock_server.domain.errors import did_you_mean

__tracebackhide__ = True

_FURTHER_VIOLATIONS = (
    "invalid_field",
    "missing_authorization",
    "unknown_route",
    "neighbour",
)
"""Names of violations beside those of choices, and what stands for neighbours' all."""


def allowed_violations(
    words: Collection[str], place: str, expected: str = "names of violations"
) -> list[str]:
    """The names of violations that are allowed.

    Raises TypeError for what is no list, ValueError for words that are no names.
    """
    known = [*table(), *_FURTHER_VIOLATIONS]
    if isinstance(words, str):
        listed = f"Expected a list of {expected}"
        raise TypeError(f"{listed}, got {words!r} - at {place}")
    for word in words:
        if word not in known:
            hint = did_you_mean(str(word), known)
            raise ValueError(f"Expected {expected}, got {word!r}{hint} - at {place}")
    return list(words)
