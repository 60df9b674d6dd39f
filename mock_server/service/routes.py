"""How a request finds its operation, or is refused: paths, slashes, methods, choices."""

import re
from collections.abc import Collection, Iterable
from urllib.parse import quote

from mock_server import errors
from mock_server.choices import OUTSIDE_SPEC
from mock_server.http.request import ADMIN_PATH, DEMO_PATH, MAX_BODY, OPENAPI_PATH
from mock_server.service.call import Call
from mock_server.service.operation import Operation
from mock_server.text.wording import did_you_mean

LINKS = {
    "console": f"{ADMIN_PATH}/",
    "openapi": OPENAPI_PATH,
    "adminOpenapi": f"{ADMIN_PATH}{OPENAPI_PATH}",
}
"""What a person may look for who opens the root; the documents describe both APIs."""


class Routes:
    """The operations by their paths and methods."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations: dict[str, dict[str, Operation]] = {}
        self._limits: dict[str, int] = {}
        for operation in operations:
            for path, method in operation.routes:
                self._operations.setdefault(path, {})[method] = operation
                self._limits[path] = max(operation.max_body, self._limits.get(path, 0))

    def max_body_of(self, path: str) -> int:
        """The largest body of a path, in bytes."""
        return self._limits.get(path, MAX_BODY)

    def has_path(self, path: str) -> bool:
        """Whether an operation has this path, maybe not under all choices."""
        return path in self._operations

    def resolve(self, call: Call) -> Operation:
        """The operation of a request.

        Sets the name of the operation in the call, and notes violations of path and method.
        Raises UnknownKey, ForeignOrigin, Moved, RouteNotFound, MethodNotAllowed.
        """
        if call.sandbox_is_gone:
            expected = "the key of a sandbox that exists, got that of one that is gone"
            raise errors.UnknownKey(expected)
        path = call.request.path
        method = call.request.method
        # The middleware has answered a preflight (CORS) of an origin that is allowed.
        sent = call.request.headers
        if method == "OPTIONS" and "origin" in sent and "access-control-request-method" in sent:
            raise errors.ForeignOrigin(
                "an origin of pages that may call (see --cors-origin)",
                sent["origin"],
                "header Origin",
            )
        path = call.release.paths.get(path, path)
        if not path:
            raise errors.PathOfLaterRelease("a path of the release", call.request.path)
        methods = self._operations.get(path)
        if methods is None:
            raise self._unrouted(call, path)
        operation = methods.get(method) or next(iter(methods.values()))
        # Not every path is served under all choices.
        choice = operation.choice_of(path)
        if choice:
            if getattr(call.choices, choice) == "off":
                raise errors.RouteNotFound("a route of the spec", path)
            call.note_violation(OUTSIDE_SPEC[choice], "", f"{path} is not in the spec", "1")
        call.operation_name = operation.name
        # A wrong method is served if choice method_mismatch accepts it.
        if method not in methods:
            call.note_violation(
                "method_mismatch", "", f"the method {method}", operation.section or "1"
            )
            if call.choices.method_mismatch == "reject":
                raise errors.MethodNotAllowed(methods, method)
        return operation

    def _unrouted(self, call: Call, path: str) -> errors.Refusal:
        """The refusal of a path that no operation has."""
        straight = re.sub("/{2,}", "/", path).rstrip("/") or "/"
        if straight != path and call.choices.request_form == "service":
            query = call.request.query_text and f"?{call.request.query_text}"
            location = quote(straight) + query
            return errors.Moved("a path without doubled or last slashes", path, location)
        if path == "/" and "text/html" in call.request.headers.get("accept", ""):
            return errors.OpenedRoot("a route", path, f"{ADMIN_PATH}/")
        if path == "/":
            return errors.RouteNotFound("a route of the service", path, data={"links": LINKS})
        suggestion = f"{suggest_path(path, self._operations)}; a test can answer it with `respond`"
        return errors.RouteNotFound("a route of the service", path, suggestion=suggestion)


def suggest_path(path: str, served: Collection[str]) -> str:
    """` (did you mean 'PATH'?)`, which may be a path of the admin API; empty if none is near."""
    if path.strip("/") == DEMO_PATH.strip("/"):
        return " (mock-server --demo serves the demo)"
    # A base URL may have the whole path, to which a client of OpenAI adds it.
    path = re.sub("(/chat/completions)+$", "/chat/completions", path)
    # The base URL of a client lacks a part of the prefix, or has it although the client adds it.
    end = re.sub("^(/api|/v[0-9])+(?=/.+/)", "", path)
    # The admin API has no prefix; other tools have it at /admin.
    near = [ADMIN_PATH + it for it in re.findall("(?:^/|/__)admin(/.*|$)", path)]
    # One segment does not tell which path is meant.
    near += [it for it in served if it.endswith(end) and end.count("/") > 1]
    return did_you_mean([*near, path][0], [*near, *served])
