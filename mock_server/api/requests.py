"""From the bytes of a body to the requests of the domain (spec 4).

A body on contract is decoded in one step. Any other is looked at field by field: what
no choice tolerates is refused, the rest is read as the choices say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from mock_server.api.bodies import ListV2Body, RequestFields, UpdateHistoryBody
from mock_server.api.departures import (
    departures_of_known,
    find_violations,
    tolerated,
)
from mock_server.api.errors import BadJson
from mock_server.api.fields import boolean, check_integers, integer, text, texts
from mock_server.api.request import NotJson, read_object
from mock_server.domain.choices import Choices
from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import LIMITS
from mock_server.domain.listing import OMITTED, ListV2
from mock_server.domain.pinning import UpdateHistory
from mock_server.validation.convert import as_number

T = TypeVar("T", bound=RequestFields)

_UPDATE_HISTORY = msgspec.json.Decoder(UpdateHistoryBody)
_LIST_V2 = msgspec.json.Decoder(ListV2Body)
_DECODERS: Mapping[type[RequestFields], msgspec.json.Decoder[Any]] = {
    UpdateHistoryBody: _UPDATE_HISTORY,
    ListV2Body: _LIST_V2,
}


def read_update_history(content: bytes, choices: Choices) -> UpdateHistory:
    """The body of spec 4.1. Raises BadJson or InvalidField."""
    body = _on_contract(_UPDATE_HISTORY, content)
    if body is not None:
        return UpdateHistory(body.app_id, body.chat_id, body.top)
    fields = _accepted(content, UpdateHistoryBody, "4.1", choices)
    lenient = choices.top_missing == "ignore"
    titles = fields if lenient else {}
    return UpdateHistory(
        app_id=str(fields["appId"]),
        chat_id=str(fields["chatId"]),
        top=bool(fields["top"]) if "top" in fields else None,
        title=_title(titles, "title"),
        custom_title=_title(titles, "customTitle"),
    )


def read_list_v2(content: bytes, choices: Choices) -> ListV2:
    """The body of spec 4.2. Raises BadJson or InvalidField."""
    body = _on_contract(_LIST_V2, content)
    if body is None:
        return _lenient_list_v2(content, choices)
    size, parent = body.page_size, body.parent_id
    return ListV2(
        dataset_id=body.dataset_id,
        offset=body.offset,
        page_size=choices.page_size_default if size is UNSET else size,
        parent_id=OMITTED if parent is UNSET else parent,
        search_text=body.search_text,
    )


def _lenient_list_v2(content: bytes, choices: Choices) -> ListV2:
    fields = _accepted(content, ListV2Body, "4.2", choices)
    asked = _number(fields.get("pageSize", choices.page_size_default))
    size = min(asked, LIMITS.page_size)
    filters = fields if choices.list_filters == "honour" else {}
    parent = fields.get("parentId", OMITTED)
    return ListV2(
        dataset_id=str(fields["datasetId"]),
        offset=_offset(fields, size, choices),
        page_size=size,
        parent_id=parent if parent is None or parent is OMITTED else str(parent),
        search_text=str(fields.get("searchText", "")),
        folders_only="selectFolder" in filters and boolean(filters, "selectFolder"),
        tags=texts(filters, "filterTags") if "filterTags" in filters else (),
    )


def _offset(fields: Mapping[str, object], page_size: int, choices: Choices) -> int:
    if "offset" in fields:
        return _number(fields["offset"])
    if "pageNum" not in fields:
        return 0
    strings = choices.numeric_strings == "accept"
    number = integer(fields, "pageNum", 1, LIMITS.integer, strings=strings)
    return (number - 1) * page_size


def _number(value: object) -> int:
    """A number that has been checked, in whatever form it came."""
    number = as_number(value)
    return number if isinstance(number, int) else 0


def _title(fields: Mapping[str, object], name: str) -> str | None:
    return text(fields, name, LIMITS.title_chars) if name in fields else None


def _on_contract(decoder: msgspec.json.Decoder[T], content: bytes) -> T | None:
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def is_on_contract(content: bytes, kind: type[RequestFields]) -> bool:
    """Whether a body is just what the spec says."""
    body = _on_contract(_DECODERS[kind], content)
    # An empty parentId has the right type, and no meaning in the spec.
    return body is not None and getattr(body, "parent_id", None) != ""


def _accepted(
    content: bytes, kind: type[RequestFields], section: str, choices: Choices
) -> dict[str, object]:
    """The fields of a body of which every departure is tolerated."""
    fields = read_json(content)
    check_integers(content, fields)
    # There may be a hundred thousand unknown fields: they are not even named.
    named = (
        find_violations if choices.unknown_fields == "reject" else departures_of_known
    )
    for departure in named(fields, kind, section):
        if not tolerated(departure, choices):
            raise InvalidField(departure.message)
    return fields


def read_json(content: bytes) -> dict[str, object]:
    """The body as a JSON object. Raises BadJson."""
    try:
        return read_object(content)
    except NotJson as error:
        raise BadJson("a JSON object", str(error), "$") from None
