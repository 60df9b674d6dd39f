"""What sandboxes declare, for those who look before there is a request to answer."""

from collections.abc import Collection

from starlette.types import Scope

from mock_server.api.context import BOUND_TO
from mock_server.api.headers import parse_headers
from mock_server.domain.responses import DeclaredResponses
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes


class DeclaredPaths:
    """The declared responses of sandboxes, by the requests that may be for them."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    def methods_at(self, scope: Scope) -> Collection[str]:
        """The methods for which there is a response at a path.

        A preflight has no key, so those of all sandboxes count, unless the address is
        bound to one.
        """
        bound_to = scope.get(BOUND_TO)
        if bound_to is None:
            some = self._sandboxes.all()
        else:
            found = self._sandboxes.find(bound_to)
            some = [] if found is None else [found]
        # Nearly all sandboxes have the same ones.
        different = {id(each): each for each in map(_responses, some)}
        return {
            method
            for each in different.values()
            for method in each.methods_at(scope["path"])
        }

    def of(self, scope: Scope) -> DeclaredResponses:
        """Those of the sandbox that address or key name, else of the default one."""
        bound_to = scope.get(BOUND_TO)
        if bound_to is None:
            key = parse_headers(scope["headers"]).key
            found = self._sandboxes.of_key(key or "")
        else:
            found = self._sandboxes.find(bound_to)
        return _responses(found or self._sandboxes.default)


def _responses(sandbox: Sandbox) -> DeclaredResponses:
    return sandbox.state.store.generation.responses
