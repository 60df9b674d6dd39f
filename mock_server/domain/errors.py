"""Why a request is refused, and how that is answered.

The spec shows no errors (7), so how each is answered is the product's published choice
(`error_form`, `error_http_status`).
"""

from typing import ClassVar, NamedTuple

from mock_server.domain.messages import describe_value


class Form(NamedTuple):
    """How an error looks: HTTP status (while it is mapped), code, statusText."""

    http: int
    code: int
    status_text: str


class ErrorRow(NamedTuple):
    """The two forms of an error, of which choice error_form takes one."""

    plain: Form
    service: Form


class Refusal(Exception):
    """A request that is not carried out.

    `message` says what was expected, what came, and where: `Expected X, got Y - at Z`,
    and then, in brackets, what may help. `row` says how it is answered.
    """

    row: ClassVar[ErrorRow]

    def __init__(self, expected: str, got: str, at: str, hint: str = "") -> None:
        self.at = at
        self.reason = f"Expected {expected}, got {got} - at {at}"
        """The message without what may help."""
        self.message = f"{self.reason} ({hint})" if hint else self.reason
        super().__init__(self.message)

    @classmethod
    def of(cls, value: object, expected: str, at: str, hint: str = "") -> "Refusal":
        """The refusal of a JSON value, which the message describes."""
        return cls(expected, describe_value(value), at, hint)


def row_of(plain: str, service: str = "") -> ErrorRow:
    """`404 appNotFound`, and `500 502000 appUnExist` where the service says else."""
    http, text = plain.split()
    form = Form(int(http), int(http), text)
    status, code, name = service.split() or (http, http, text)
    return ErrorRow(form, Form(int(status), int(code), name))


def refusal(name: str, plain: str, service: str = "") -> type[Refusal]:
    """A kind of refusal, which has nothing of its own but its name and its forms."""
    return type(name, (Refusal,), {"row": row_of(plain, service)})


class InvalidField(Refusal):
    """A field of the body is missing or not as the spec says."""

    row = row_of("400 invalidField", "400 400 error")


class InvalidFields(InvalidField):
    """As InvalidField, for any number of problems: `message` says which."""

    def __init__(self, message: str) -> None:
        self.message = message
        # Past Refusal, which would make another message of it.
        Exception.__init__(self, message)


LimitReached = refusal("LimitReached", "409 limitReached")
