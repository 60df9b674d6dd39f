"""Which path is likely meant by one that nothing has: a slash, a case, a prefix."""

import re
from collections.abc import Collection
from urllib.parse import unquote

from mock_server.domain.likeness import most_alike
from mock_server.domain.limits import Limits

_LIKE_ADMIN = re.compile("/+_*admin(?=/|$)", re.IGNORECASE)
_ADMIN = "/__admin"
_LEAST_ALIKE = 0.8


def nearest_path(path: str, known: Collection[str]) -> str | None:
    """The known path that is nearest to another one; None if none is.

    It differs in case, slashes or escapes only, or else in what stands before it, or
    else between its ends, or else in a few characters.
    """
    # Comparing takes time that grows with the square of the length.
    if len(path) > Limits.hinted_chars:
        return None
    given = plain_path(path)
    by_plain = {each.lower(): each for each in known}
    if given in by_plain:
        return by_plain[given]
    ends = [each for each in by_plain if _ends_alike(given, each)]
    if len(ends) == 1:
        return by_plain[ends[0]]
    last = given.rpartition("/")[2]
    namesakes = [each for each in by_plain if each.endswith(f"/{last}")]
    near = most_alike(given, namesakes) or most_alike(given, by_plain, _LEAST_ALIKE)
    return by_plain[near] if near is not None else None


def nearest_admin_path(path: str) -> str | None:
    """The path of the admin API that is meant by one such as `/admin/health`."""
    is_like = len(path) <= Limits.hinted_chars and _LIKE_ADMIN.match(path)
    return _LIKE_ADMIN.sub(_ADMIN, path, count=1) if is_like else None


def plain_path(path: str) -> str:
    """A path in lower case, without escapes, doubled slashes, and what ends it."""
    text = unquote(path).partition(";")[0].strip().lower()
    return re.sub("/+", "/", text).rstrip("/")


def _ends_alike(path: str, known: str) -> bool:
    """Whether one path is the end of the other: a prefix is missing, or too much."""
    return len(path) > 1 and (known.endswith(path) or path.endswith(known))
