"""Names the routes that the service has or had, to explain unknown paths.

`known_routes.txt` lists them below `/api` by folder. Routes after `@4.9.4` came with
that version; with `@4.9.1..4.14.10` they also ended after the second version. A name in
braces matches any segment, with `*` any number of segments.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from mock_server.domain.limits import Published

_API = "/api/"
_PARAMETER = re.compile(r"\{\w+\*?\}")


class KnownRoute(Struct, frozen=True):
    """A route: its path, and the first and last version that have it, if known."""

    path: str
    since: str = ""
    until: str = ""

    @property
    def sentence(self) -> str:
        """Return a sentence about the versions that have the route."""
        if self.until:
            return f"FastGPT had this path until {self.until}"
        return f"FastGPT has this path{f' since {self.since}' * bool(self.since)}"


@cache
def known_routes() -> Mapping[str, KnownRoute]:
    """Return all routes by path."""
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
            yield KnownRoute(f"{_API}{folder}/{word}".replace("//", "/"), *span)


@cache
def _patterns() -> list[tuple[re.Pattern[str], KnownRoute]]:
    """Return the routes with parameters, and patterns for their paths."""
    return [
        (re.compile(_PARAMETER.sub(_any, path)), route)
        for path, route in known_routes().items()
        if "{" in path
    ]


def _any(parameter: re.Match[str]) -> str:
    return ".+" if parameter[0].endswith("*}") else "[^/]+"


def known_route(path: str) -> KnownRoute | None:
    """Return the service's route at a path, None if there is none."""
    if not path.startswith(_API) or len(path) > Published.hinted_chars:
        return None
    found = known_routes().get(path)
    if found is not None:
        return found
    matching = (route for pattern, route in _patterns() if pattern.fullmatch(path))
    return next(matching, None)
