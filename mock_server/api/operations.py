"""The table of operations: the two that the spec documents (4).

The name is what faults, journal, logs and documents call an operation: the last
segment of its path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from mock_server.api.bodies import ListV2Body, RequestFields, UpdateHistoryBody
from mock_server.api.items import ListedPage, write_page
from mock_server.api.requests import read_list_v2, read_update_history
from mock_server.api.response import success_envelope
from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices
from mock_server.domain.errors import (
    AppForbidden,
    AppNotFound,
    ChatNotFound,
    DatasetForbidden,
    DatasetNotFound,
    ParentNotFound,
    Refusal,
)
from mock_server.domain.listing import list_v2
from mock_server.domain.pinning import update_history
from mock_server.domain.state import State

_NULL = success_envelope(b"null")


def write_null(_data: None, _state: State) -> bytes:
    """The answer of operations whose data is null (spec 2.3)."""
    return _NULL


class Operation(Struct, frozen=True):
    """One operation: where it is, how its body is read, done, and its data written.

    `body` and `data` are what the spec says of the request's body and of the data in
    its answer, `refusals` those of the operation itself.
    """

    name: str
    method: str
    path: str
    section: str
    summary: str
    body: type[RequestFields]
    data: Any
    refusals: tuple[type[Refusal], ...]
    read: Callable[[bytes, Choices], Any]
    perform: Callable[[State, Caller, Any], Any]
    write: Callable[[Any, State], bytes]
    legacy_path: str | None = None


_TABLE = (
    Operation(
        name="updateHistory",
        method="PUT",
        path="/api/core/chat/history/updateHistory",
        section="4.1",
        summary="Pin or unpin a chat session",
        body=UpdateHistoryBody,
        data=None,
        refusals=(AppNotFound, ChatNotFound, AppForbidden),
        read=read_update_history,
        perform=update_history,
        write=write_null,
        legacy_path="/api/core/chat/updateHistory",
    ),
    Operation(
        name="listV2",
        method="POST",
        path="/api/core/dataset/collection/listV2",
        section="4.2",
        summary="A page of a dataset's collections",
        body=ListV2Body,
        data=ListedPage,
        refusals=(DatasetNotFound, ParentNotFound, DatasetForbidden),
        read=read_list_v2,
        perform=list_v2,
        write=write_page,
    ),
)
OPERATIONS = {operation.name: operation for operation in _TABLE}
