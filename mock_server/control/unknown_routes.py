"""Checks whether answers can serve the unknown routes of requests."""

from collections.abc import Iterable

from mock_server.api.faults.answer import Answer


def reasons_against_answers(requests: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return, by route, the reason why an answer cannot serve it, or "" if one can.

    `requests` are methods and paths; the routes keep their order.
    """
    # An answer for GET also serves HEAD (RFC 9110 9.3.2).
    routes = (
        f"{'GET' if method == 'HEAD' else method} {path}" for method, path in requests
    )
    return {route: _mistake_in(route) for route in dict.fromkeys(routes)}


def _mistake_in(route: str) -> str:
    problems = Answer(operation=route, json={}).problems()
    return next((message for _, message in problems), "")
