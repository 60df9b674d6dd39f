"""The answers that a test gives, in the place of operations and at any other path."""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET

from mock_server.control.client import AdminClient
from mock_server.control.clock import Duration, of_field
from mock_server.control.faults import AddedFault
from mock_server.domain.wrong_calls import explained

__tracebackhide__ = True

# `_answer`, the function below it, what @explained puts around it, and the caller.
_CALLER = 4


class AnswerWarning(UserWarning):
    """An answer was added that can never fire, or differs from the operation's own."""


@explained
class Answers:
    """What is answered in the place of what the server would answer itself."""

    _client: AdminClient

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
        """Give an answer for an operation, or at any other path (`"GET /api/x/{id}"`).

        `data` is sent in the envelope of the service; `json`, `text` or `body` are the
        whole body. It is given until the next reset, unless `times` or `ttl` are given,
        or until the end of its `with` block. Warns with AnswerWarning.
        """
        given = {"data": data, "json": json, "text": text, "body": body}
        forms = [each for each, value in given.items() if value is not _LEFT_OUT[each]]
        if len(forms) > 1:
            got = " and ".join(forms)
            raise TypeError(
                f"Expected one of {', '.join(given)}, got {got} - at respond"
            )
        if body is not None and not isinstance(body, bytes):
            hint = f" (write text={body!r})" if isinstance(body, str) else ""
            got = type(body).__name__
            raise TypeError(f"Expected bytes as body, got {got} - at respond{hint}")
        fields = {each: given[each] for each in forms}
        if body is not None:
            fields = {"base64": b64encode(body).decode()}
        fields |= {"operation": operation_or_route, "status": status, "phase": phase}
        fields |= {"delayMs": of_field("delay_ms", delay_ms)}
        when = {"match": match, "times": times, "ttl": of_field("ttl", ttl)}
        return self._answer("answer", fields, headers=headers, **when, skip=skip)

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
        """Say what chat completions answer: a `text`, or `parts` of several kinds.

        It is said until the next reset, unless `times` or `ttl` are given, or until the
        end of its `with` block. Warns with AnswerWarning.
        """
        if (text is None) == (parts is None):
            got = "neither" if text is None else "both"
            how = "write reply('Hello') or reply(parts=['Hello'])"
            raise TypeError(f"Expected text or parts, got {got} - at reply ({how})")
        if isinstance(text, list):
            how = (
                "write reply(parts=[...]) for one reply of several parts, or reply(...)"
            )
            how += " for each with times=1 for replies in turn"
            raise TypeError(f"Expected a text, got a list - at reply ({how})")
        said = {"text": text, "parts": parts, "stream": stream}
        when = {"match": match, "times": times, "ttl": of_field("ttl", ttl)}
        return self._answer("reply", {}, **said, **when, skip=skip)

    def _answer(
        self, kind: str, fields: Mapping[str, Any], **unless_none: Any
    ) -> AddedFault:
        given = {
            name: value for name, value in unless_none.items() if value is not None
        }
        added = AddedFault(self._client, {"kind": kind, **fields, **given})
        for each in added.warnings:
            told = AnswerWarning(f"mock-server: {each}")
            warnings.warn(told, stacklevel=_CALLER)
        return added


# None is a value of JSON.
_LEFT_OUT: Mapping[str, Any] = {
    "data": UNSET,
    "json": UNSET,
    "text": None,
    "body": None,
}
