"""`getPaginationRecords` and `getRecords_v2`: the records of a chat session."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import neighbour
from mock_server.domain import chats, clock, errors
from mock_server.domain.access import Caller
from mock_server.domain.blocks import Reversed
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page
from mock_server.domain.records import ChatRecord
from mock_server.domain.state import State
from mock_server.fixture.document import Id, Time
from mock_server.views import View


class Content(Struct):
    """A text."""

    content: str


class Value(Struct, omit_defaults=True):
    """A part of a message; there are only texts, and newer lists name no type."""

    text: Content
    type: str = ""


class RecordView(View, kw_only=True):
    """A message of a chat session; what stands last is of replies only."""

    id: str = field(name="_id")
    data_id: str
    id_again: str | UnsetType = field(name="id", default=UNSET)
    obj: str
    value: list[Value]
    time: Time
    hide_in_ui: bool = field(name="hideInUI", default=False)
    total_quote_list: list[Any] | UnsetType = UNSET
    total_running_time: float | UnsetType = UNSET
    use_agent_sandbox: bool | UnsetType = UNSET


def record_view(record: ChatRecord, *, is_v2: bool = False) -> RecordView:
    """A record as it is shown, in the form of `getRecords_v2` or the older one."""
    shown = RecordView(
        id=record.id,
        data_id=record.id,
        obj=record.obj,
        value=[Value(Content(record.text), "" if is_v2 else "text")],
        time=clock.format_time(record.time),
    )
    if is_v2:
        shown.id_again = record.id
    if record.obj == "AI":
        shown.total_quote_list = []
        shown.total_running_time = 0
        shown.use_agent_sandbox = False
    return shown


class GetPaginationRecordsBody(neighbour.PagedFields, kw_only=True):
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
    paging = neighbour.paging_of(body)
    app = chats.app_for(state, caller, body.app_id)
    records = state.store.records(app, body.chat_id) if body.chat_id else ()
    return neighbour.page_of(Reversed(records), paging)


def encode(page: Page[ChatRecord], state: State) -> bytes:
    """The envelope around a page, turned round: pages count from the newest."""
    shown = [record_view(each) for each in page.items]
    return neighbour.encode_data(neighbour.ListOf(shown[::-1], page.total), state)


def appear(_body: object, number: int) -> ChatRecord:
    """A record that is not there."""
    return ChatRecord(f"appeared-{number}", "AI", f"Appeared {number}")


GET_PAGINATION_RECORDS = neighbour.operation(
    name="getPaginationRecords",
    path="/api/core/chat/record/getPaginationRecords",
    legacy_path="/api/core/chat/getPaginationRecords",
    summary="A page of a chat session's records",
    body=GetPaginationRecordsBody,
    data=RecordsView,
    refusals=(errors.AppNotFound, errors.AppForbidden, errors.MissingParams),
    perform=get_pagination_records,
    encode=encode,
    traits=["page"],
    appear=appear,
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="Pages count from the newest record; inside one the oldest is first.",
    differs="Without `chatId` the page is empty, but the app is checked; records hold "
    "texts only, and never feedback.",
)


class GetRecordsV2Body(contract.RequestFields, kw_only=True):
    """Which part of which chat session; deleted records and types are not looked at."""

    app_id: Id
    chat_id: Id | UnsetType | None = UNSET
    page_size: Annotated[int, Meta(ge=1, le=Limits.neighbour_page_size)] = 10
    initial_id: Id | UnsetType | None = UNSET
    next_id: Id | UnsetType | None = UNSET
    prev_id: Id | UnsetType | None = UNSET
    include_deleted: bool | UnsetType | None = UNSET
    load_custom_feedbacks: bool | UnsetType | None = UNSET
    type: str | UnsetType | None = UNSET


class PartView(View):
    """Records, the oldest first, and whether there are others around them."""

    list: list[RecordView]
    total: int
    has_more_prev: bool
    has_more_next: bool


def get_records_v2(
    state: State, caller: Caller, body: GetRecordsV2Body
) -> Page[ChatRecord]:
    """A part of a chat's records. Raises AppNotFound, AppForbidden, RecordNotFound."""
    app = chats.app_for(state, caller, body.app_id)
    records = state.store.records(app, body.chat_id) if body.chat_id else ()
    around = chats.Around(
        body.initial_id or None, body.prev_id or None, body.next_id or None
    )
    start, end = chats.records_around(records, around, body.page_size)
    items, size = records[start:end], end - start
    return Page(items, len(records), app.level_of(caller), records, start, size)


def encode_part(page: Page[ChatRecord], state: State) -> bytes:
    """The envelope around a part, and whether there is more before and after it."""
    shown = [record_view(record, is_v2=True) for record in page.items]
    end = page.offset + len(page.items)
    part = PartView(shown, page.total, page.offset > 0, end < page.total)
    return neighbour.encode_data(part, state)


GET_RECORDS_V2 = neighbour.operation(
    name="getRecords_v2",
    path="/api/core/chat/record/getRecords_v2",
    legacy_path="/api/core/chat/getRecords_v2",
    summary="A part of a chat session's records",
    body=GetRecordsV2Body,
    data=PartView,
    refusals=(errors.AppNotFound, errors.AppForbidden, errors.RecordNotFound),
    perform=get_records_v2,
    encode=encode_part,
    traits=["page"],
    appear=appear,
    since="4.14.4, 4.14.5 at this path",
    modelled="The latest records, or those around, before or after one; oldest first.",
    differs="Without `chatId` nothing is found, but the app is checked; records hold "
    "texts only, and never feedback; none is kept once it is deleted.",
)
