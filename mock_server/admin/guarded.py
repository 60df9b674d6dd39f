"""What the guard has found out about a request, for routes that need no token."""

from starlette.types import Scope

_ADMITTED = "mock_server.admitted"


def admit(scope: Scope) -> None:
    """Note that a request may see everything: it shows the token, or there is none."""
    scope[_ADMITTED] = True


def is_admitted(scope: Scope) -> bool:
    """Whether a request may see everything."""
    return scope.get(_ADMITTED) is True
