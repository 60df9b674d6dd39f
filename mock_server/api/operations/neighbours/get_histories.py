"""`getHistories`: the chat sessions of an application, pinned ones first."""

from typing import Any

from msgspec import UNSET, UnsetType

from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import chats, clock, errors
from mock_server.domain.access import Caller
from mock_server.domain.listing import Page
from mock_server.domain.records import Chat
from mock_server.domain.state import State
from mock_server.fixture.document import Id, Time
from mock_server.views import View


class GetHistoriesBody(neighbour.PagedFields, kw_only=True):
    """Which application; where chats come from, and since when, is not looked at."""

    app_id: Id | UnsetType = UNSET
    source: str | UnsetType | None = UNSET
    start_create_time: Time | UnsetType | None = UNSET
    end_create_time: Time | UnsetType | None = UNSET
    start_update_time: Time | UnsetType | None = UNSET
    end_update_time: Time | UnsetType | None = UNSET


class HistoryView(View):
    """A chat session as lists show it."""

    chat_id: str
    update_time: Time
    app_id: str
    custom_title: str
    title: str
    top: bool
    chat_generate_status: int = 1
    has_been_read: bool = True


class HistoriesView(View):
    """A page of chat sessions."""

    list: list[HistoryView]
    total: int


def get_histories(state: State, caller: Caller, body: GetHistoriesBody) -> Page[Chat]:
    """A page of an application's chat sessions.

    Raises ChatNotFound without one, MissingParams, InvalidField, AppNotFound,
    AppForbidden.
    """
    paging = neighbour.paging_of(body)
    if body.app_id is UNSET:
        raise errors.ChatNotFound("the id of an app", "nothing", "$.appId")
    since = fields.time_of(body.start_update_time, "startUpdateTime")
    until = fields.time_of(body.end_update_time, "endUpdateTime")
    app = chats.app_for(state, caller, body.app_id)
    return neighbour.page_of(chats.histories(state, app, since, until), paging)


def view(chat: Chat, _page: Page[Any], _state: State) -> HistoryView:
    """A chat session as it is shown."""
    time = clock.format_time(chat.update_time)
    texts = chat.custom_title, chat.title
    return HistoryView(chat.chat_id, time, chat.app_id, *texts, chat.top)


def appear(body: GetHistoriesBody, number: int) -> Chat:
    """A chat session that is not there."""
    return Chat(body.app_id or "", f"appeared-{number}", f"Appeared {number}")


GET_HISTORIES = neighbour.operation(
    name="getHistories",
    path="/api/core/chat/history/getHistories",
    legacy_path="/api/core/chat/getHistories",
    summary="A page of an application's chat sessions",
    body=GetHistoriesBody,
    data=HistoriesView,
    refusals=(
        errors.ChatNotFound,
        errors.AppNotFound,
        errors.AppForbidden,
        errors.MissingParams,
    ),
    perform=get_histories,
    view=view,
    traits=["page"],
    appear=appear,
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="Pinned chats first, then the latest; pages by the shared parser.",
    differs="Chats belong to no member, and every one counts as done and read; "
    "`source` and times of creation do not restrict the list.",
)
