"""Lists the routes that FastGPT has or had, to explain unknown paths.

`known_routes.txt` has them by folder below `/api`. FastGPT added the routes that follow
`@4.9.4` in 4.9.4; it removed those that follow `@4.9.1..4.14.10` after 4.14.10. A name
in braces matches any segment; with `*` it matches any number of segments. The path
after `=` is that of the route in newer versions.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from mock_server.domain.limits import Published
from mock_server.domain.messages import most_alike

_API = "/api/"
_LEAST_ALIKE = 0.8
_PARAMETER = re.compile(r"\{\w+\*?\}")


class KnownRoute(Struct, frozen=True):
    """A route of FastGPT: its path, and its first and last version, "" if unknown.

    `successor` is the path of newer versions; "" if there is none.
    """

    path: str
    since: str = ""
    until: str = ""
    successor: str = ""

    @property
    def sentence(self) -> str:
        """Return a sentence about the versions that have the route."""
        folder, _, last = self.path.rpartition("/")
        what = f"paths below {folder}/" if last.endswith("*}") else "this path"
        if self.until:
            newer = f"have {self.successor}" if self.successor else "do not"
            return f"FastGPT had {what} up to {self.until}; newer versions {newer}"
        since = f" since {self.since}" if self.since else ""
        return f"FastGPT has {what}{since}"


@cache
def known_routes() -> Mapping[str, KnownRoute]:
    """Return all routes of `known_routes.txt` by path."""
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    return {each.path: each for each in _routes(text)}


def _routes(text: str) -> Iterator[KnownRoute]:
    folder, span = "", ("", "")
    for word in text.split():
        if word.endswith(":"):
            folder, span = word[:-1].strip("."), ("", "")
        elif word.startswith("@"):
            since, _, until = word[1:].partition("..")
            span = since, until
        else:
            name, _, newer = word.partition("=")
            path = f"{_API}{folder}/{name}".replace("//", "/")
            yield KnownRoute(path, *span, _API + newer if newer else "")


@cache
def _patterns() -> list[tuple[re.Pattern[str], KnownRoute]]:
    """Return the routes that have parameters, each with a pattern for its paths."""
    return [
        (re.compile(_PARAMETER.sub(_segment_pattern, path)), route)
        for path, route in known_routes().items()
        if "{" in path
    ]


def _segment_pattern(parameter: re.Match[str]) -> str:
    return ".+" if parameter[0].endswith("*}") else "[^/]+"


def known_route(path: str) -> KnownRoute | None:
    """Return the route of FastGPT at a path, or None."""
    if not path.startswith(_API) or len(path) > Published.hinted_chars:
        return None
    match = known_routes().get(path)
    if match is not None:
        return match
    matching = (route for pattern, route in _patterns() if pattern.fullmatch(path))
    return next(matching, None)


def similar_route(path: str) -> KnownRoute | None:
    """Return the route of FastGPT whose last word is misspelled in `path`, or None."""
    if len(path) > Published.hinted_chars:
        return None
    folder, _, last = path.rpartition("/")
    start = f"{folder}/"
    names = [
        each.removeprefix(start) for each in known_routes() if each.startswith(start)
    ]
    similar = most_alike(last, names, _LEAST_ALIKE)
    return None if similar is None else known_routes().get(start + similar)
