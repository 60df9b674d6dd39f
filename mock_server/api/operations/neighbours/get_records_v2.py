"""`getRecords_v2`: a part of a chat session's records, to be scrolled both ways."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.chat_record import RecordView, record_view
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.chats import Around, readable_app, records_around
from mock_server.domain.errors import AppForbidden, AppNotFound, RecordNotFound
from mock_server.domain.limits import Limits
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View


class GetRecordsV2Body(RequestFields, kw_only=True):
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


def get_records_v2(state: State, caller: Caller, body: GetRecordsV2Body) -> PartView:
    """A part of a chat's records. Raises AppNotFound, AppForbidden, RecordNotFound."""
    app = readable_app(state, caller, body.app_id)
    records = state.store.records(app, body.chat_id) if body.chat_id else ()
    around = Around(body.initial_id or None, body.prev_id or None, body.next_id or None)
    start, end = records_around(records, around, body.page_size)
    shown = [record_view(record, is_v2=True) for record in records[start:end]]
    return PartView(shown, len(records), start > 0, end < len(records))


GET_RECORDS_V2 = neighbour(
    name="getRecords_v2",
    path="/api/core/chat/record/getRecords_v2",
    legacy_path="/api/core/chat/getRecords_v2",
    summary="A part of a chat session's records",
    body=GetRecordsV2Body,
    data=PartView,
    refusals=(AppNotFound, AppForbidden, RecordNotFound),
    perform=get_records_v2,
    since="4.14.4, 4.14.5 at this path",
    modelled="The latest records, or those around, before or after one; oldest first.",
    differs="Without `chatId` nothing is found, but the app is checked; records hold "
    "texts only, and never feedback; none is kept once it is deleted.",
)
