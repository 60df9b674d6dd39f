"""The envelopes of responses, and the base class of their JSON objects.

This module imports no other module of the package, so importing it is quick.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType


class View(Struct, rename="camel"):
    """A JSON object of a response, never of a request."""


class Issue(View):
    """A problem of one field, in the form in which FastGPT lists it."""

    code: str
    path: list[str | int]
    message: str


class Failure(Struct, rename="camel"):
    """The envelope of an error; its `data` is null.

    With choice error_form=service, `zodError` lists the wrong fields.
    """

    code: int
    status_text: str
    message: str
    data: None = None
    zod_error: list[Issue] | UnsetType = UNSET


SUCCESS = b'{"code":200,"statusText":"","message":"","data":%b}'
"""Envelope of a success; `%b` is the data as JSON."""


def error_envelope(code: int, status_text: str, message: str) -> bytes:
    """Return the envelope of an error as JSON."""
    return msgspec.json.encode(Failure(code, status_text, message))


VALIDATION_ERROR = "Data validation error"
"""The only message of FastGPT for wrong fields."""


def validation_envelope(code: int, status_text: str, message: str) -> bytes:
    """Return FastGPT's envelope for the wrong fields that `message` names, as JSON."""
    first, *rest = message.removeprefix("Expected ").split("; Expected ")
    problems = [f"Expected {each}" for each in (first, *rest)]
    issues = [Issue("custom", _path_in(each), each) for each in problems]
    return msgspec.json.encode(
        Failure(code, status_text, VALIDATION_ERROR, zod_error=issues)
    )


def _path_in(problem: str) -> list[str | int]:
    """Return the place in a message: `$.tags[0]` becomes `["tags", 0]`."""
    place = problem.rpartition(" - at $")[2].split(" ", 1)[0].split(";", 1)[0]
    parts = place.replace("[", ".").replace("]", "").split(".")
    return [int(each) if each.isdecimal() else each for each in parts if each]
