"""Refusals: exceptions that say why a request is refused, and the form of the error.

The spec shows no errors (spec 7), so `error_form` and `error_http_status` are choices.
"""

from typing import ClassVar, NamedTuple

from mock_server.domain.messages import describe_value


class Form(NamedTuple):
    """HTTP status (with choice error_http_status=mapped), code and statusText."""

    http: int
    code: int
    status_text: str


class ErrorRow(NamedTuple):
    """The two forms of an error, of which choice error_form selects one."""

    plain: Form
    service: Form


class Refusal(Exception):
    """The refusal of a request.

    `message` has the form `Expected X, got Y - at PLACE`, followed by the hint, if any,
    in brackets. `row` has the two forms of the error.
    """

    row: ClassVar[ErrorRow]

    def __init__(self, expected: str, got: str, place: str, hint: str = "") -> None:
        self.place = place
        self.reason = f"Expected {expected}, got {got} - at {place}"
        """The message without the hint."""
        self.message = f"{self.reason} ({hint})" if hint else self.reason
        super().__init__(self.message)

    @classmethod
    def of(cls, value: object, expected: str, place: str, hint: str = "") -> "Refusal":
        """Return the refusal of a JSON value; its message describes the value."""
        return cls(expected, describe_value(value), place, hint)


def row_of(plain: str, service: str = "") -> ErrorRow:
    """Return the forms in the texts `404 appNotFound` and `500 502000 appUnExist`.

    An empty `service` means the same form as `plain`.
    """
    http, text = plain.split()
    form = Form(int(http), int(http), text)
    status, code, name = service.split() or (http, http, text)
    return ErrorRow(form, Form(int(status), int(code), name))


def refusal(name: str, plain: str, service: str = "") -> type[Refusal]:
    """Return a subclass of Refusal with this name and these forms (see `row_of`)."""
    return type(name, (Refusal,), {"row": row_of(plain, service)})


class InvalidField(Refusal):
    """A field of the body is missing or violates the spec."""

    row = row_of("400 invalidField", "400 400 error")


class InvalidFields(InvalidField):
    """An InvalidField for several problems, which `message` lists."""

    def __init__(self, message: str) -> None:
        self.message = message
        # Skip Refusal, which would build another message.
        Exception.__init__(self, message)


LimitReached = refusal("LimitReached", "409 limitReached")
