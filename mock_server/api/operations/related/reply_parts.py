"""Converts the parts of a scripted reply to JSON: of records and of node results."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from mock_server.domain.access import Share
from mock_server.domain.replies import ReplyPart, Tool
from mock_server.domain.versions import Facts

T = TypeVar("T", int, str)
_MAX_DIGITS = 10


def tool_of(tool: Tool) -> dict[str, str | Raw]:
    """Return a tool call as events and records show it."""
    own_id = hashlib.sha256(tool.name.encode()).hexdigest()[:24]
    params, response = map(_as_text, (tool.params, tool.response))
    return {
        "id": own_id,
        "toolName": tool.name,
        "toolAvatar": "",
        "functionName": tool.name,
        "params": params,
        "response": response,
    }


def _as_text(value: Any) -> str | Raw:
    """Return a text, or any other value as JSON in a text."""
    if isinstance(value, Raw) and bytes(value).startswith(b'"'):
        return value
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def error_of(error: str | Mapping[str, Any]) -> tuple[int, str, str]:
    """Return code, statusText and message of a reply that ends with an error.

    The values of a mapping are JSON.
    """
    if isinstance(error, str):
        return 500, "error", error
    code = _decoded(error.get("code"), int, 500)
    status_text = _decoded(error.get("statusText"), str, "error")
    message = error.get("message")
    as_json = bytes(message or b"").decode()
    return code, status_text, _decoded(message, str, as_json)


def _decoded(encoded: Raw | None, kind: type[T], default: T) -> T:
    """Return a JSON value, or `default` if it has another type, or too many digits."""
    digits = 0 if kind is str else len(bytes(encoded or b""))
    if encoded is not None and digits < _MAX_DIGITS:
        with suppress(msgspec.ValidationError):
            return msgspec.json.decode(encoded, type=kind)
    return default


def value_of(part: ReplyPart) -> dict[str, Any] | None:
    """Return a part as records show it; None for a part that they do not show."""
    if part.text is not None or part.fast is not None:
        text = part.text if part.text is not None else part.fast
        return {"type": "text", "text": {"content": text}}
    if part.reasoning is not None:
        return {"type": "reasoning", "reasoning": {"content": part.reasoning}}
    if part.tool is not None:
        return {"type": "tool", "tools": [tool_of(part.tool)]}
    if part.interactive is not None:
        return {"type": "interactive", "interactive": part.interactive}
    return None


def response_data(
    parts: Sequence[ReplyPart], facts: Facts, share: Share | None
) -> list[dict[str, Any]]:
    """Return the `responseData` of a reply: a result for each node, search and tool.

    Visitors of a share link see fewer results, with fewer fields.
    """
    return [result for _, result in _results(parts, facts, share)]


def _results(
    parts: Sequence[ReplyPart], facts: Facts, share: Share | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the results that the caller may see, each with the index of its part."""
    results = _all_results(parts)
    if share is None:
        yield from results
        return
    types = {"datasetSearchNode", "tool" if facts.shares_see_tools else ""}
    names = {"moduleType", "runningTime", "quoteList" if share.show_cite else ""}
    for index, result in results:
        if result["moduleType"] in types:
            yield index, {name: it for name, it in result.items() if name in names}


def _all_results(parts: Sequence[ReplyPart]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each result with all its fields, and the index of its part."""
    number = 0
    for index, part in enumerate(parts):
        fields: dict[str, Any] = {}
        if part.node is not None:
            fields = {"moduleName": part.node, "moduleType": "chatNode"}
        if part.quotes is not None:
            fields = {"moduleName": "Dataset search", "moduleType": "datasetSearchNode"}
            fields["quoteList"] = part.quotes
        if part.tool is not None:
            fields = {"moduleName": part.tool.name, "moduleType": "tool"}
            fields |= {"toolInput": part.tool.params, "toolRes": part.tool.response}
        if fields:
            number += 1
            own_id = f"node-{number}"
            yield index, {"id": own_id, "nodeId": own_id, "runningTime": 0, **fields}


def results_by_end(
    parts: Sequence[ReplyPart], facts: Facts, share: Share | None
) -> dict[int, list[dict[str, Any]]]:
    """Return the results by the index of the part before which a stream sends them.

    A result is sent when its node ends: a named node runs until the next named node.
    """
    indexes = [index for index, part in enumerate(parts) if part.node is not None]
    end_by_start = dict(pairwise([*indexes, len(parts)]))
    by_index: dict[int, list[dict[str, Any]]] = {}
    for index, result in _results(parts, facts, share):
        by_index.setdefault(end_by_start.get(index, index + 1), []).append(result)
    return by_index
