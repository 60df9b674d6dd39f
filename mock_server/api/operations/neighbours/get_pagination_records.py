"""`getPaginationRecords`: a page of a chat session's records, the newest first page."""

from msgspec import UNSET, UnsetType

from mock_server.api.operations.neighbours.chat_record import RecordView, record_view
from mock_server.api.operations.neighbours.neighbour import (
    ListOf,
    PagedFields,
    encode_data,
    neighbour,
    page_of,
    paging_of,
)
from mock_server.domain.access import Caller
from mock_server.domain.chats import readable_app
from mock_server.domain.errors import AppForbidden, AppNotFound
from mock_server.domain.listing import Page
from mock_server.domain.records import ChatRecord
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View


class GetPaginationRecordsBody(PagedFields, kw_only=True):
    """Which page of which chat session; feedbacks and types are not looked at."""

    app_id: Id
    chat_id: Id | UnsetType | None = UNSET
    load_custom_feedbacks: bool | UnsetType | None = UNSET
    type: str | UnsetType | None = UNSET


class RecordsView(View):
    """A page of records, the oldest of them first."""

    list: list[RecordView]
    total: int


def get_pagination_records(
    state: State, caller: Caller, body: GetPaginationRecordsBody
) -> Page[ChatRecord]:
    """A page of a chat's records. Raises AppNotFound, AppForbidden."""
    paging = paging_of(body)
    app = readable_app(state, caller, body.app_id)
    newest = state.store.records(app, body.chat_id)[::-1] if body.chat_id else ()
    return page_of(newest, paging)


def encode(page: Page[ChatRecord], state: State) -> bytes:
    """The envelope around a page, turned round: pages count from the newest."""
    shown = [record_view(each) for each in page.items]
    return encode_data(ListOf(shown[::-1], page.total), state)


def appear(_body: GetPaginationRecordsBody, number: int) -> ChatRecord:
    """A record that is not there."""
    return ChatRecord(f"appeared-{number}", "AI", f"Appeared {number}")


GET_PAGINATION_RECORDS = neighbour(
    name="getPaginationRecords",
    path="/api/core/chat/record/getPaginationRecords",
    legacy_path="/api/core/chat/getPaginationRecords",
    summary="A page of a chat session's records",
    body=GetPaginationRecordsBody,
    data=RecordsView,
    refusals=(AppNotFound, AppForbidden),
    perform=get_pagination_records,
    encode=encode,
    traits=["page", "total"],
    appear=appear,
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="Pages count from the newest record; inside one the oldest is first.",
    differs="Without `chatId` the page is empty, but the app is checked; records hold "
    "texts only, and never feedback.",
)
