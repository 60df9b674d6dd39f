"""Find the unknown routes in requests, and whether an answer can serve them."""

from collections.abc import Iterable

from mock_server.api.faults.answer import Answer


def unserved(asked: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return each route once, in order, with why no answer can serve it; "" if one can.

    `asked` are methods and paths.
    """
    # An answer for GET also serves HEAD (RFC 9110 9.3.2).
    routes = (
        f"{'GET' if method == 'HEAD' else method} {path}" for method, path in asked
    )
    return {route: _mistake_in(route) for route in dict.fromkeys(routes)}


def _mistake_in(route: str) -> str:
    problems = Answer(operation=route, json={}).problems()
    return next((message for _, message in problems), "")
