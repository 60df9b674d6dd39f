"""From the path of an admin request to the application that serves it.

Most paths are found by one look-up. A router that compiles a pattern for each of the 56
would take 8 ms of every start, and its library 19 ms.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from starlette.types import ASGIApp, Receive, Scope, Send

_SEGMENTS = 64
"""More than there are; others are looked for in vain each time."""


class _Part:
    """Applications by their paths, in which `{name}` is any one segment."""

    def __init__(self, apps: Mapping[str, ASGIApp]) -> None:
        self._exact = {path: app for path, app in apps.items() if "{" not in path}
        self._templates: dict[int, list[tuple[Sequence[str], ASGIApp]]] = {}
        for path, app in apps.items():
            if path not in self._exact:
                parts = path.split("/")
                self._templates.setdefault(len(parts), []).append((parts, app))

    def find(self, path: str) -> tuple[ASGIApp | None, dict[str, str]]:
        """The application of a path, and what stands in the place of names."""
        if path in self._exact:
            return self._exact[path], {}
        given = path.split("/")
        for template, app in self._templates.get(len(given), ()):
            pairs = list(zip(template, given, strict=True))
            named = {own[1:-1]: text for own, text in pairs if own.startswith("{")}
            if all(named.values()) and all(
                own == text or own.startswith("{") for own, text in pairs
            ):
                return app, named
        return None, {}


class Router:
    """Serves applications by their paths, part by part.

    `served` gives the applications of the part that `part_of` names for a path: when it
    is first asked for, and then they are kept. Paths are exact, and taken as they were
    sent. What stands in the place of a name is in the `path_params` of the scope.
    `default` serves all other paths.
    """

    def __init__(
        self,
        served: Callable[[str], Mapping[str, ASGIApp]],
        part_of: Callable[[str], str],
        default: ASGIApp,
    ) -> None:
        self._part = lru_cache(_SEGMENTS)(lambda name: _Part(served(name)))
        self._part_of = part_of
        self._default = default

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope["root_path"])
        app, scope["path_params"] = self._part(self._part_of(path)).find(path)
        await (app or self._default)(scope, receive, send)
