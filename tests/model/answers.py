"""What is answered: the envelope, the table of errors, refusals and their messages."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.model.choices import Choices

Fields = dict[str, Any]

_BAD = (400, 400, "error")
_FAILED = (500, 500, "error")

ERRORS: dict[str, tuple[tuple[int, str], tuple[int, int, str]]] = {
    "no_route": ((404, "routeNotFound"), (404, 404, "routeNotFound")),
    "method": ((405, "methodNotAllowed"), (405, 405, "methodNotAllowed")),
    "no_key": ((401, "unauthorized"), (403, 403, "unAuthorization")),
    "unknown_key": ((401, "unauthorized"), (500, 514, "unAuthApiKey")),
    "media_type": ((415, "unsupportedMediaType"), (415, 415, "unsupportedMediaType")),
    "json": ((400, "badJson"), _BAD),
    "field": ((400, "invalidField"), _BAD),
    "no_app": ((404, "appNotFound"), (500, 502000, "appUnExist")),
    "shut_app": ((403, "forbidden"), (500, 502001, "unAuthApp")),
    "no_chat": ((404, "chatNotFound"), (500, 504000, "unAuthChat")),
    "no_record": ((404, "recordNotFound"), _FAILED),
    "no_dataset": ((404, "datasetNotFound"), (500, 501002, "unExistDataset")),
    "shut_dataset": ((403, "forbidden"), (500, 501004, "unAuthDataset")),
    "no_parent": ((404, "parentNotFound"), (500, 501002, "unExistDataset")),
    "other_dataset": ((403, "forbidden"), (500, 501005, "unAuthDatasetCollection")),
    "no_collection": ((404, "collectionNotFound"), (500, 501003, "unExistCollection")),
    "no_row": ((404, "rowNotFound"), _FAILED),
    "row_taken": ((409, "rowTaken"), _FAILED),
    "no_messages": ((400, "noMessages"), _FAILED),
    "team": ((403, "forbidden"), (500, 500003, "unAuthTeam")),
    "number": ((400, "invalidField"), _FAILED),
    "params": ((400, "missingParams"), (500, 507004, "missingParams")),
    "too_deep": ((400, "folderTooDeep"), (500, 507006, "folderDepthLimit")),
    "cycle": ((400, "folderCycle"), (500, 507000, "invalidParams")),
    "nothing_listed": ((400, "nothingListed"), _FAILED),
    "no_file": ((404, "fileNotFound"), (404, 507002, "fileNotFound")),
    "exported": ((429, "tooManyRequests"), (429, 429, "error")),
    "exported_formerly": ((429, "tooManyRequests"), (500, 429, "error")),
    "rate": ((429, "rateLimited"), (429, 429, "rateLimited")),
}
"""HTTP status and statusText as `plain`; HTTP status, code, statusText as `service`."""


class Answer(NamedTuple):
    """Status, body, and what the contract says of headers.

    A body is JSON data, or text. A message of None may be any that has the form of
    messages, and the order of fields is then any too.
    """

    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012
    is_exact: bool = False


class Refused(Exception):
    """A request that changes nothing; a message of None is known by its form only."""

    def __init__(
        self, kind: str, message: str | None = None, allow: str | None = None
    ) -> None:
        super().__init__(kind)
        self.kind, self.message, self.allow = kind, message, allow


def envelope(data: Any) -> Fields:
    """What is answered when all is well."""
    return {"code": 200, "statusText": "", "message": "", "data": data}


def refusal(refused: Refused, choices: Choices) -> Answer:
    """The answer to a refused request, in the form that is chosen."""
    (status, text), service = ERRORS[refused.kind]
    code = status
    if choices["error_form"] == "service":
        status, code, text = service
        if refused.kind == "field" and choices["version"] == "4.14":
            status = 500
    always = {"always_500": 500, "always_200": 200}
    status = always.get(str(choices["error_http_status"]), status)
    headers = {}
    if refused.allow is not None:
        headers["allow"] = refused.allow
    elif status == 401:
        headers["www-authenticate"] = "Bearer"
    body = {"code": code, "statusText": text, "message": refused.message, "data": None}
    if choices["error_form"] == "service" and refused.kind == "field":
        body["message"], body["zodError"] = "Data validation error", None
        headers["x-mock-hint"] = "?"
        if refused.message is not None:
            body["zodError"] = issues(refused.message)
            text = refused.message.encode("ascii", "backslashreplace").decode()
            headers["x-mock-hint"] = text
    return Answer(status, body, headers, is_exact=refused.message is not None)


def issues(message: str) -> list[Fields]:
    """The problems of a message one by one, as the service's schemas list them."""
    found = []
    for each in ("; " + message).split("; Expected ")[1:]:
        place = each.split(" - at $")[-1].split(" ")[0].split(";")[0]
        names = [name for part in place.split(".") for name in part.split("[") if name]
        path = [int(it[:-1]) if it.endswith("]") else it for it in names]
        found.append({"code": "custom", "path": path, "message": f"Expected {each}"})
    return found


def expected(what: str, got: str, at: str, more: str = "") -> str:
    """The words of a message."""
    return f"Expected {what}, got {got} - at {at}{more}"


def in_words(value: Any) -> str:
    """A JSON value as messages show it."""
    if isinstance(value, str):
        if len(value) <= 60:
            return f"the string {quoted(value)}"
        return f"the string {quoted(value[:60] + '…')} of {len(value)} characters"
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    return json.dumps(value)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def joined(problems: list[str]) -> str:
    """Several problems as one message: eight of them, in 2,048 characters."""
    text, told = problems[0], problems[1:8]
    for each in told:
        if len(text) + len(each) >= 2_048:
            return f"{text}; and more"
        text = f"{text}; {each}"
    return text if len(problems) <= 8 else f"{text}; and more"
