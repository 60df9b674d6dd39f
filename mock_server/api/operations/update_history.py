"""`updateHistory`: pin or unpin a chat session (spec 4.1)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mock_server.api.envelope import SUCCESS
from mock_server.api.operations import body_field, contract, operation
from mock_server.domain.call import AppForbidden, AppNotFound
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import STORED
from mock_server.domain.limits import Published
from mock_server.domain.pinning import ChatNotFound, UpdateHistory, update_history
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id

# With choice top_missing=ignore, fields of this type are read with and without `top`.
Title = Annotated[
    str,
    Meta(max_length=Published.title_chars),
    body_field.FieldRules(adding_choice="top_missing", added_effect=STORED).meta(),
]

NULL = SUCCESS % (b"null")
"""The response to every pin; it cannot contain a secret."""


class UpdateHistoryBody(contract.RequestFields):
    """The fields of spec 4.1: a chat session, and whether to pin it."""

    app_id: Annotated[Id, Meta(description="Application identifier")]
    chat_id: Annotated[Id, Meta(description="Chat session identifier")]
    top: Annotated[
        bool,
        Meta(description="true pins, false unpins"),
        body_field.FieldRules(missing_violation="top_missing").meta(),
    ]


class UpdateHistoryExtensions(contract.RequestFields):
    """Fields that FastGPT reads in addition to the spec's, to rename a chat session."""

    title: Title | UnsetType = UNSET
    custom_title: Title | UnsetType = UNSET


CONTRACT = contract.Contract("4.1", UpdateHistoryBody, UpdateHistoryExtensions)


def read(
    content: bytes, choices: Choices, ignored: list[str] | None = None
) -> UpdateHistory:
    """Return the request in a body; add hints on ignored fields to `ignored`.

    Raises BadJson or InvalidField.
    """
    try:
        body = CONTRACT.decoder.decode(content)
    except contract.DECODE_ERRORS:
        # The body violates the spec; choices may tolerate that.
        values = CONTRACT.values(content, choices, ignored)
        return UpdateHistory(
            app_id=values["appId"],
            chat_id=values["chatId"],
            top=values.get("top"),
            title=values.get("title"),
            custom_title=values.get("customTitle"),
        )
    return UpdateHistory(body.app_id, body.chat_id, body.top)


def encode(_data: None, _state: State) -> bytes:
    """Return the body of the response, which is always the same (spec 2.3)."""
    return NULL


_PIN = {"appId": operation.DEMO_APP, "chatId": operation.DEMO_CHAT, "top": True}

UPDATE_HISTORY = operation.Operation(
    name="updateHistory",
    method="PUT",
    path="/api/core/chat/history/updateHistory",
    legacy_path="/api/core/chat/updateHistory",
    summary="Pin or unpin a chat session",
    chinese="置顶会话或取消置顶",
    contract=CONTRACT,
    data_type=None,
    refusals=(AppNotFound, ChatNotFound, AppForbidden),
    read=read,
    handle=update_history,
    encode=encode,
    traits=frozenset({"write"}),
    examples=(
        operation.Example("pinned", "Pin a chat", _PIN),
        operation.Example("unpinned", "Unpin it", _PIN | {"top": False}),
        operation.Example(
            "invalidField", "A field of another type", _PIN | {"top": "yes"}
        ),
        operation.Example("appNotFound", "An unknown app", _PIN | {"appId": "none"}),
        operation.Example("chatNotFound", "An unknown chat", _PIN | {"chatId": "none"}),
        operation.forbidden_example(
            appId="65e000000000000000000002", chatId="secret", top=True
        ),
    ),
)
