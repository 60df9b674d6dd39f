"""A refused body of an admin route is told all that is wrong with it."""

from __future__ import annotations

import pytest

from tests.support import Api


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        (
            "PUT",
            "/choices",
            {"profil": "x", "choises": {}},
            "unknown field 'profil' (did you mean 'profile'?) - at $.profil; "
            "unknown field 'choises' (did you mean 'choices'?) - at $.choises",
        ),
        (
            "PUT",
            "/choices",
            {"choices": {"related_route": "on", "top_missing": "no"}},
            "Expected the name of a choice, got 'related_route' (did you mean "
            "'related_routes'?); Expected top_missing to be reject or ignore, got 'no' "
            "- at $.choices",
        ),
        (
            "POST",
            "/faults",
            {"kind": "error", "stats": 503, "times": 0},
            "unknown field 'stats' (did you mean 'status'?) - at $.stats; "
            "Expected an integer from 1 to 10000, got 0 - at $.times",
        ),
        (
            "POST",
            "/clock/advance",
            {"secs": 5},
            "unknown field 'secs' (did you mean 'seconds'?) - at $.secs; "
            "Expected the field 'seconds' here, got none - at $",
        ),
        (
            "POST",
            "/journal/verify",
            {"inOrder": ["listV2"]},
            'Expected an object such as {"operation": "listV2"}, got the string '
            '"listV2" - at $.inOrder[0]',
        ),
        (
            "POST",
            "/sandboxes",
            {"state": "my.yaml"},
            "Expected a fixture document (an object, not the path of a file) or null, "
            'got the string "my.yaml" - at $.state',
        ),
    ],
)
def test_each_problem_of_a_body_is_told(
    api: Api, method: str, path: str, body: object, message: str
) -> None:
    answer = api.admin(method, path, body)
    assert answer.status_code == 400
    assert answer.json()["message"] == message
