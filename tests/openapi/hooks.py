"""What Schemathesis is told beyond the documents; it loads this module by name."""

from __future__ import annotations

from typing import Any

import schemathesis
from schemathesis import Case, HookContext, Response

from mock_server.domain.limits import DEFAULT_LIMITS, Published

BEYOND_SCHEMAS = (
    # What is there, and what time it is.
    "Expected seconds that lead to a year up to 9999",
    "Expected null or the _id of another collection that is not in this one",
    # One part of a request against another.
    ", as in the path, got ",
    "Expected none with content=false",
    "Expected exactly, or atLeast and atMost, got both",
    "Expected inOrder alone",
    "Expected an atMost of at least",
    "Expected a max of at least min",
    "Expected chunks times ms of at most",
    " texts with a part, question among them",
    "Expected phase before at a path without an operation",
    # Names of responses that fixtures declare.
    " related routes of GET /openapi.json",
    # Ids and references within a fixture document.
    "Expected a fixture document, got one with problems",
    "Expected an app as in a fixture, got one with problems",
    "Expected a dataset as in a fixture, got one with problems",
    # A request within the query of another.
    " - at $.datasetId",
    # Of a name: clients take the parts `.` and `..` out of a path.
    'got the string "." - at $.name',
    'got the string ".." - at $.name',
    # Whatever may be in free JSON has to be exact for all readers.
    f"Expected integers of at most {Published.integer}",
)
"""Messages of the refusals of which a JSON Schema cannot say the reason: requests
that are refused so are not what the document calls valid.
"""
_REPEAT = 3


@schemathesis.hook
def filter_failure(
    _: HookContext, failure: Any, case: Case[Any], response: Response
) -> bool:
    """Whether a finding is one."""
    del case
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    message = response.json().get("message", "")
    return not any(reason in message for reason in BEYOND_SCHEMAS)


@schemathesis.hook
def before_call(_: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Have fixtures repeat less: nested, that makes millions of collections."""
    del kwargs
    case.body = _smaller(case.body)


def _smaller(value: Any) -> Any:
    if isinstance(value, list):
        return [_smaller(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _smaller(each) for name, each in value.items()}
    repeat = found.get("repeat")
    if (
        isinstance(repeat, int)
        and _REPEAT < repeat <= DEFAULT_LIMITS.fixture_collections
    ):
        found["repeat"] = _REPEAT
    return found
