"""Add answers and replies, which replace a server's own responses."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET

from mock_server.api.operations.table import OPERATIONS
from mock_server.control.client import AdminClient
from mock_server.control.clock import Duration, of_field
from mock_server.control.faults import AddedFault, warned
from mock_server.domain.faults.routes import METHODS
from mock_server.domain.wrong_calls import WrongValue, explained, hinted

__tracebackhide__ = True


def _by_name(method: object, path: object, /, *_: object, **__: object) -> str:
    if isinstance(path, int) and 100 <= path <= 599:
        return f"write status={path}"
    if method not in METHODS or not isinstance(path, str):
        return ""
    return f"write respond('{method} {path}', ...): method and path are one text"


def _question_of(question: object, reply: object, /, *_: object, **__: object) -> str:
    if isinstance(reply, Mapping):
        return f"write reply({question!r}, match={reply!r})"
    if not isinstance(reply, str):
        return ""
    return f"write reply({reply!r}, match={{'question': {question!r}}})"


@explained
class Answers:
    """Methods that add answers and replies to a server."""

    _client: AdminClient

    @hinted(_by_name)
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
        given = {"data": data, "json": json, "text": text, "body": body}
        forms = [each for each, value in given.items() if value is not _LEFT_OUT[each]]
        if len(forms) > 1:
            got = " and ".join(forms)
            raise WrongValue(f"Expected one of {', '.join(given)}, got {got}")
        for name, kind, other in (("text", str, "body"), ("body", bytes, "text")):
            value = given[name]
            if value is not None and not isinstance(value, kind):
                is_other = isinstance(value, str | bytes)
                how = f"write {other if is_other else 'json'}={value!r}"
                if not is_other and operation_or_route in OPERATIONS:
                    how = f"write data={value!r}, sent in the envelope of the service"
                    how += ", or json=... for the whole body"
                if isinstance(value, Mapping):
                    how += f", or match={{'body': {value!r}}} for requests with it"
                got = type(value).__name__
                raise WrongValue(f"Expected {kind.__name__} as {name}, got {got}", how)
        fields = {each: given[each] for each in forms}
        if body is not None:
            fields = {"base64": b64encode(body).decode()}
        fields |= {"operation": operation_or_route, "status": status, "phase": phase}
        fields |= {"delayMs": of_field("delay_ms", delay_ms)}
        when = {"match": match, "times": times, "ttl": of_field("ttl", ttl)}
        return self._answer("answer", fields, headers=headers, **when, skip=skip)

    @hinted(_question_of)
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
            how = "write reply('Hello') or reply(parts=['Hello'])"
            raise WrongValue(f"Expected text or parts, got {got}", how)
        if isinstance(text, list):
            how = "write reply(parts=[...]) for one reply of several parts, or "
            how += "reply(...) for each with times=1 for replies in turn"
            raise WrongValue("Expected a text, got a list", how)
        if not isinstance(text, str | bytes | None):
            own = (
                text.get("content", text.get("text"))
                if isinstance(text, Mapping)
                else None
            )
            how = (
                f"write reply({own!r})" if isinstance(own, str) else "write reply('Hi')"
            )
            raise WrongValue(f"Expected a text, got {type(text).__name__}", how)
        given = {"text": text, "parts": parts, "stream": stream}
        when = {"match": match, "times": times, "ttl": of_field("ttl", ttl)}
        return self._answer("reply", {}, **given, **when, skip=skip)

    def _answer(
        self, kind: str, fields: Mapping[str, Any], **unless_none: Any
    ) -> AddedFault:
        given = {
            name: value for name, value in unless_none.items() if value is not None
        }
        # Frames: `_answer`, its caller, the wrapper of @explained, and the test.
        return warned(AddedFault(self._client, {"kind": kind, **fields, **given}), 4)


# None is a value of JSON.
_LEFT_OUT: Mapping[str, Any] = {
    "data": UNSET,
    "json": UNSET,
    "text": None,
    "body": None,
}
