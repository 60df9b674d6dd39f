"""The service's responses: data in an envelope, or the envelope of an error.

Spec 2.3; FastGPT 4.16, common/response/index.ts and common/zod/requestParseError.ts.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, json
from starlette.responses import Response

from mock_server.choices import Choices
from mock_server.errors import ErrorForm, InvalidField, Refusal
from mock_server.http.forms import JSON

NO_STORE = {"cache-control": "no-store"}
JSON_TYPE = f"{JSON}; charset=utf-8"
"""The Content-Type of JSON, as FastGPT sends it."""
COOKIE = "fastgpt_token"
"""The name of the cookie with the login token."""
_STEP = re.compile(r"\w+")


class JsonResponse(Response):
    """JSON with the three headers of every response. Starlette takes twice as long to make them."""

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        self.raw_headers = [
            (b"content-length", b"%d" % len(self.body)),
            (b"content-type", JSON_TYPE.encode()),
            (b"cache-control", b"no-store"),
        ]


def json_response(value: object, status: int = 200) -> Response:
    """A value as a JSON response."""
    return JsonResponse(json.encode(value), status)


def success_response(data: object) -> Response:
    """The response of a successful operation: its data in the envelope."""
    body = b'{"code":200,"statusText":"","message":"","data":' + json.encode(data) + b"}"
    return JsonResponse(body)


class ErrorEnvelope(Struct, rename="camel"):
    """The envelope of an error. The last two fields are only sent with error_form=service."""

    code: int
    status_text: str
    message: str
    data: Mapping[str, Any] | None = None
    error_type: str | UnsetType = UNSET
    zod_error: list[dict[str, Any]] | UnsetType = UNSET


def error_form(refusal: Refusal, choices: Choices) -> ErrorForm:
    """The form of a refusal under choice error_form."""
    is_plain = choices.error_form == "plain"
    return refusal.plain if is_plain else refusal.service


def envelope_of(refusal: Refusal, choices: Choices, suggestion: str = "") -> ErrorEnvelope:
    """The envelope of a refusal under choice error_form; `suggestion` ends its message."""
    form = error_form(refusal, choices)
    envelope = ErrorEnvelope(
        form.code, form.status_text, refusal.message + suggestion, refusal.data
    )
    if choices.error_form == "plain":
        return envelope
    # Only the form of FastGPT says that the user is at fault, or which field is wrong.
    if refusal.is_user_error:
        envelope.error_type = "UserError"
    if form == InvalidField.service:
        # `$.apps[0].id` becomes ["apps", 0, "id"].
        path = [int(it) if it.isdecimal() else it for it in _STEP.findall(refusal.where)]
        envelope.zod_error = [{"code": "custom", "path": path, "message": refusal.message}]
    return envelope


def error_response(refusal: Refusal, choices: Choices, suggestion: str = "") -> Response:
    """The response to a refusal, under the choices on errors; `suggestion` ends its message."""
    form = error_form(refusal, choices)
    status = form.status
    is_text = bool(refusal.service_text) and choices.error_form == "service"
    # A redirect keeps its status. FastGPT answers broken JSON with a text, an unknown path with a
    # page: it sets the status of errors in an envelope alone.
    if status >= 400 and not is_text and form.status_text != "routeNotFound":
        status = {"mapped": status, "always_500": 500, "always_200": 200}[choices.error_http_status]
    if is_text:
        response = Response(refusal.service_text, status, NO_STORE)
    else:
        response = json_response(envelope_of(refusal, choices, suggestion), status)
    # Some statuses and errors have headers of their own.
    response.headers.update(refusal.headers)
    if response.status_code == 401:
        response.headers["www-authenticate"] = "Bearer"
    if form.status_text == "unAuthorization":
        clear_cookie(response)
    return response


def clear_cookie(response: Response) -> None:
    """Make the client delete the cookie of its login."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")


def sse_event(data: object, *, name: str | None = None, id: int | None = None) -> bytes:
    """A server-sent event whose data is JSON."""
    head = ""
    if name is not None:
        head += f"event: {name}\n"
    if id is not None:
        head += f"id: {id}\n"
    return head.encode() + b"data: " + json.encode(data) + b"\n\n"
