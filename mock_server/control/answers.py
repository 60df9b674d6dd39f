"""Adds answers and replies, which replace a server's own responses."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET

from mock_server.api.operations.table import OPERATIONS
from mock_server.control.client import AdminClient
from mock_server.control.clock import Duration, field_value
from mock_server.control.faults import AddedFault, issue_warnings
from mock_server.domain.faults.routes import METHODS
from mock_server.domain.wrong_calls import WrongValue, explained, hinted

__tracebackhide__ = True


def _respond_hint(method: object, path: object, /, *_: object, **__: object) -> str:
    if isinstance(path, int) and 100 <= path <= 599:
        return f"write status={path}"
    if method not in METHODS or not isinstance(path, str):
        return ""
    if (operation := OPERATIONS.with_path(path)) is not None:
        return f"write respond({operation.name!r}, ...): the operation has this path"
    return f"write respond('{method} {path}', ...): method and path are one text"


def _reply_hint(question: object, reply: object, /, *_: object, **__: object) -> str:
    if isinstance(reply, Mapping):
        return f"write reply({question!r}, match={reply!r})"
    if not isinstance(reply, str):
        return ""
    return f"write reply({reply!r}, match={{'question': {question!r}}})"


@explained
class Answers:
    """Methods that add answers and replies to a server."""

    _client: AdminClient
    _added_faults: list[AddedFault]

    @hinted(_respond_hint)
    def respond(
        self,
        operation_or_route: str,
        *,
        data: Any = UNSET,
        json: Any = UNSET,
        text: str | None = None,
        body: bytes | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        delay_ms: Duration = 0,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
        ttl: Duration | None = None,
        skip: int = 0,
        phase: Literal["before", "after"] = "before",
    ) -> AddedFault:
        """Add an answer for an operation or a route (`"GET /api/x/{id}"`).

        `data` goes into the envelope; `json`, `text` or `body` are the whole body. The
        answer lasts until the next reset, or the end of its `with` block. Warns with
        AnswerWarning.
        """
        bodies = {"data": data, "json": json, "text": text, "body": body}
        given = [each for each, value in bodies.items() if value is not _DEFAULTS[each]]
        if len(given) > 1:
            got = " and ".join(given)
            raise WrongValue(f"Expected one of {', '.join(bodies)}, got {got}")
        for name in given:
            if isinstance(bodies[name], BaseException):
                got = type(bodies[name]).__name__
                fix = "to break the connection, write fault('reset'); "
                fix += "for an error status, fault('error', status=500)"
                raise WrongValue(f"Expected a value as {name}, got {got}", fix)
        for name, form, other_name in (("text", str, "body"), ("body", bytes, "text")):
            value = bodies[name]
            if value is not None and not isinstance(value, form):
                is_json = isinstance(value, str) and value.lstrip()[:1] in ("{", "[")
                is_other = isinstance(value, str | bytes) and not is_json
                shown = value if is_json else repr(value)
                fix = f"write {other_name if is_other else 'json'}={shown}"
                if not is_other and operation_or_route in OPERATIONS:
                    fix = f"write data={shown}, sent in the envelope of the service"
                    fix += ", or json=... for the whole body"
                if isinstance(value, Mapping):
                    fix += f", or match={{'body': {value!r}}} for requests with it"
                got = type(value).__name__
                raise WrongValue(f"Expected {form.__name__} as {name}, got {got}", fix)
        fields = {each: bodies[each] for each in given}
        if body is not None:
            fields = {"base64": b64encode(body).decode()}
        fields |= {"operation": operation_or_route, "status": status, "phase": phase}
        fields |= {"delayMs": field_value("delay_ms", delay_ms)}
        limits = {"match": match, "times": times, "ttl": field_value("ttl", ttl)}
        return self._add("answer", fields, headers=headers, **limits, skip=skip)

    @hinted(_reply_hint)
    def reply(
        self,
        text: str | None = None,
        *,
        parts: Sequence[Any] | None = None,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
        ttl: Duration | None = None,
        skip: int = 0,
        stream: Mapping[str, Any] | None = None,
    ) -> AddedFault:
        """Add a reply of chat completions: a `text`, or `parts` of several kinds.

        The reply lasts as long as an answer. Warns with AnswerWarning.
        """
        if (text is None) == (parts is None):
            got = "neither" if text is None else "both"
            fix = "write reply('Hello') or reply(parts=['Hello'])"
            raise WrongValue(f"Expected text or parts, got {got}", fix)
        if isinstance(text, list):
            fix = "write reply(parts=[...]) for one reply of several parts, or "
            fix += "reply(...) for each with times=1 for replies in turn"
            raise WrongValue("Expected a text, got a list", fix)
        if not isinstance(text, str | bytes | None):
            is_message = isinstance(text, Mapping)
            content = text.get("content", text.get("text")) if is_message else None
            content = content if isinstance(content, str) else "Hi"
            fix = f"write reply({content!r})"
            raise WrongValue(f"Expected a text, got {type(text).__name__}", fix)
        fields = {"text": text, "parts": parts, "stream": stream}
        limits = {"match": match, "times": times, "ttl": field_value("ttl", ttl)}
        return self._add("reply", {}, **fields, **limits, skip=skip)

    def _add(self, kind: str, fields: Mapping[str, Any], **optional: Any) -> AddedFault:
        values = {name: value for name, value in optional.items() if value is not None}
        fault = AddedFault(self._client, {"kind": kind, **fields, **values})
        self._added_faults.append(fault)
        # Frames: `_add`, its caller, the wrapper of @explained, and the test.
        return issue_warnings(fault, 4)


# The default of `data` and `json` is UNSET, because None is null in JSON.
_DEFAULTS: Mapping[str, Any] = {
    "data": UNSET,
    "json": UNSET,
    "text": None,
    "body": None,
}
