"""The table of errors: every refusal, and how each of the two forms puts it.

The spec shows no errors (7), so this table is the product's published choice
(`error_form`, `error_http_status`).
"""

from __future__ import annotations

from typing import NamedTuple

from mock_server.api.answers import Answer, Header
from mock_server.api.envelope import failure
from mock_server.domain.choices import Choices
from mock_server.domain.errors import (
    AppForbidden,
    AppNotFound,
    ChatNotFound,
    DatasetForbidden,
    DatasetNotFound,
    InvalidField,
    ParentNotFound,
    Refusal,
)


class RouteNotFound(Refusal):
    """No operation has this path."""


class MethodNotAllowed(Refusal):
    """The operation has another method."""

    def __init__(self, allow: str, got: str) -> None:
        super().__init__(f"the method {allow}", got, "method")
        self.allow = allow


class MissingAuthorization(Refusal):
    """No Authorization header, or none that holds one bearer token."""


class UnknownKey(Refusal):
    """A bearer token that is no key of the fixture."""


class UnsupportedMediaType(Refusal):
    """A body that does not say it is JSON in UTF-8."""


class BodyTooLarge(Refusal):
    """A body over the limit."""


class BadJson(Refusal):
    """A body that is not one JSON object."""


class ForeignHost(Refusal):
    """An admin request for a host that is not this server's (DNS rebinding)."""


class ForeignOrigin(Refusal):
    """An admin request that a web page of another origin has made."""


class Face(NamedTuple):
    """How an error looks: HTTP status (while it is mapped), code, statusText."""

    http: int
    code: int
    status_text: str


class ErrorRow(NamedTuple):
    """One row of the table: the choice error_form takes the first or the second."""

    plain: Face
    service: Face


def _both(status: int, status_text: str) -> ErrorRow:
    face = Face(status, status, status_text)
    return ErrorRow(face, face)


def _own(status: int, status_text: str, *service: int | str) -> ErrorRow:
    return ErrorRow(Face(status, status, status_text), Face(*service))  # type: ignore[arg-type]


ERRORS: dict[type[Refusal], ErrorRow] = {
    ForeignHost: _both(421, "foreignHost"),
    ForeignOrigin: _both(403, "foreignOrigin"),
    RouteNotFound: _both(404, "routeNotFound"),
    MethodNotAllowed: _both(405, "methodNotAllowed"),
    MissingAuthorization: _own(401, "unauthorized", 403, 403, "unAuthorization"),
    UnknownKey: _own(401, "unauthorized", 500, 514, "unAuthApiKey"),
    UnsupportedMediaType: _both(415, "unsupportedMediaType"),
    BodyTooLarge: _both(413, "bodyTooLarge"),
    BadJson: _own(400, "badJson", 400, 400, "error"),
    InvalidField: _own(400, "invalidField", 400, 400, "error"),
    AppNotFound: _own(404, "appNotFound", 500, 502000, "appUnExist"),
    AppForbidden: _own(403, "forbidden", 500, 502001, "unAuthApp"),
    ChatNotFound: _own(404, "chatNotFound", 500, 504000, "unAuthChat"),
    DatasetNotFound: _own(404, "datasetNotFound", 500, 501002, "unExistDataset"),
    DatasetForbidden: _own(403, "forbidden", 500, 501004, "unAuthDataset"),
    ParentNotFound: _own(404, "parentNotFound", 500, 501002, "unExistDataset"),
}


def refused(refusal: Refusal, choices: Choices) -> Answer:
    """The answer to a request that is refused, in the chosen form."""
    row = ERRORS[type(refusal)]
    face = row.service if choices.error_form == "service" else row.plain
    status = {"always_500": 500, "always_200": 200}.get(
        choices.error_http_status, face.http
    )
    body = failure(face.code, face.status_text, refusal.message)
    return Answer(status, body, _headers(refusal, status))


def _headers(refusal: Refusal, status: int) -> tuple[Header, ...]:
    if isinstance(refusal, MethodNotAllowed):
        return ((b"allow", refusal.allow.encode()),)
    if status == 401:
        return ((b"www-authenticate", b"Bearer"),)
    return ()
