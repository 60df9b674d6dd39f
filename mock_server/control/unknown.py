"""Routes that clients asked for and nothing serves, and the answers that would."""

from collections.abc import Iterable

from mock_server.api.faults.answer import Answer


def unserved(asked: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By each route once, in order: why no answer can be given there, "" if one can.

    `asked` are methods and paths.
    """
    # An answer for GET is one for HEAD too (RFC 9110 9.3.2).
    routes = (
        f"{'GET' if method == 'HEAD' else method} {path}" for method, path in asked
    )
    return {route: _mistake_in(route) for route in dict.fromkeys(routes)}


def _mistake_in(route: str) -> str:
    problems = Answer(operation=route, json={}).problems()
    return next((message for _, message in problems), "")
