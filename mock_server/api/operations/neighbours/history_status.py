"""`getHistoryStatus` and `markRead`: whether chat sessions are done, and read."""

from typing import Annotated

from msgspec import Meta

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import chats, clock, errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.state import State
from mock_server.fixture.document import Id, Time
from mock_server.views import View

MOST_CHATS = 200
"""Chat sessions of one request, as the service has it."""


class GetHistoryStatusBody(contract.RequestFields):
    """Which chat sessions of which application."""

    app_id: Id
    chat_ids: Annotated[list[Id], Meta(min_length=1, max_length=MOST_CHATS)]


class StatusView(View):
    """How far a chat session is; 1 is done."""

    chat_id: str
    update_time: Time
    chat_generate_status: int = 1
    has_been_read: bool = True


class StatusesView(View):
    """How far some chat sessions are."""

    list: list[StatusView]


def get_history_status(
    state: State, caller: Caller, body: GetHistoryStatusBody
) -> StatusesView:
    """How far those chats are that there are. Raises AppNotFound, AppForbidden."""
    app = chats.app_for(state, caller, body.app_id)
    ids = dict.fromkeys(body.chat_ids)
    some = (state.store.chat(app, each) for each in ids)
    found = [chat for chat in some if chat is not None]
    if len(found) < len(ids):
        state.hint("the app has not all chat sessions of these chatIds")
    return StatusesView(
        [
            StatusView(chat.chat_id, clock.format_time(chat.update_time))
            for chat in found
        ]
    )


def mark_read(state: State, caller: Caller, body: fields.ChatQuery) -> None:
    """Change nothing: every chat counts as read.

    Raises AppNotFound, ChatNotFound, AppForbidden.
    """
    app = state.store.app(body.app_id)
    if app is not None and state.store.chat(app, body.chat_id) is None:
        expected = f"a chat session of app {errors.quoted(app.id)}"
        raise errors.ChatNotFound(
            expected, errors.describe_value(body.chat_id), "$.chatId"
        )
    chats.app_for(state, caller, body.app_id, Level.WRITE)


GET_HISTORY_STATUS = neighbour.operation(
    name="getHistoryStatus",
    path="/api/core/chat/history/getHistoryStatus",
    summary="How far some chat sessions are",
    body=GetHistoryStatusBody,
    data=StatusesView,
    refusals=(errors.AppNotFound, errors.AppForbidden),
    perform=get_history_status,
    since="4.15",
    modelled="Chats that there are; others are passed over.",
    differs="Every chat counts as done and read. An unknown application is refused.",
)
MARK_READ = neighbour.operation(
    name="markRead",
    path="/api/core/chat/history/markRead",
    summary="Mark a chat session as read",
    body=fields.ChatQuery,
    refusals=(errors.AppNotFound, errors.ChatNotFound, errors.AppForbidden),
    perform=mark_read,
    traits=["write"],
    since="4.15",
    modelled="The chat is looked for, and write permission on its application.",
    differs="Nothing changes: every chat counts as read.",
)
