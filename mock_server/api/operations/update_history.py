"""`updateHistory`: pin or unpin a chat session (spec 4.1)."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from mock_server.api.operations import body_field, contract
from mock_server.api.operations.operation import Operation
from mock_server.api.response import success_envelope
from mock_server.domain.choices import Choices
from mock_server.domain.errors import AppForbidden, AppNotFound, ChatNotFound
from mock_server.domain.journal import STORED
from mock_server.domain.limits import Limits
from mock_server.domain.pinning import UpdateHistory, update_history
from mock_server.domain.state import State
from mock_server.fixture.document import Id

# With choice top_missing=ignore the service takes these, with `top` or without.
Title = Annotated[
    str,
    Meta(max_length=Limits.title_chars),
    body_field.extension("top_missing", effect=STORED),
]

_NULL = success_envelope(b"null")


class UpdateHistoryBody(contract.RequestFields):
    """Spec 4.1: which chat session, and whether it is to be pinned."""

    app_id: Annotated[Id, Meta(description="Application identifier")]
    chat_id: Annotated[Id, Meta(description="Chat session identifier")]
    top: Annotated[
        bool,
        Meta(description="true pins, false unpins"),
        body_field.departures(missing="top_missing"),
    ]


class UpdateHistoryExtensions(contract.RequestFields):
    """What the service takes beside these, to rename a chat session."""

    title: Title | UnsetType = UNSET
    custom_title: Title | UnsetType = UNSET


CONTRACT = contract.Contract("4.1", UpdateHistoryBody, UpdateHistoryExtensions)


def read(content: bytes, choices: Choices) -> UpdateHistory:
    """The request in a body. Raises BadJson or InvalidField."""
    try:
        body = CONTRACT.decoder.decode(content)
    except contract.NOT_ON_CONTRACT:
        return _departing(CONTRACT.read(content, choices))
    return UpdateHistory(body.app_id, body.chat_id, body.top)


def _departing(values: Mapping[str, Any]) -> UpdateHistory:
    """The request in a body that departs from the spec in what is tolerated."""
    return UpdateHistory(
        app_id=values["appId"],
        chat_id=values["chatId"],
        top=values.get("top"),
        title=values.get("title"),
        custom_title=values.get("customTitle"),
    )


def encode(_data: None, _state: State) -> bytes:
    """The body of the response, which is always the same (spec 2.3)."""
    return _NULL


UPDATE_HISTORY = Operation(
    name="updateHistory",
    method="PUT",
    path="/api/core/chat/history/updateHistory",
    legacy_path="/api/core/chat/updateHistory",
    summary="Pin or unpin a chat session",
    contract=CONTRACT,
    data=None,
    refusals=(AppNotFound, ChatNotFound, AppForbidden),
    read=read,
    perform=update_history,
    encode=encode,
    traits=frozenset({"write"}),
)
