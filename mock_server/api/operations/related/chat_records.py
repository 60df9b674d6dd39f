"""Routes that show the records of a chat session, and the node results of a reply."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import repeat
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.items import items_of, within_page
from mock_server.api.operations.operation import DEMO_APP, DEMO_RECORD, DEMO_REFUND
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.reply_parts import (
    error_of,
    response_data,
    value_of,
)
from mock_server.api.operations.related.route import (
    Call,
    PageView,
    encode_data,
    read_body_and_page,
    route,
)
from mock_server.domain.call import APP
from mock_server.domain.chats import RecordNotFound, find_reply, records_around
from mock_server.domain.clock import format_time
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.blocks import ComputedSequence, ReverseView
from mock_server.domain.objects.chat_records import visible_records
from mock_server.domain.objects.models import ChatRecord, Feedback
from mock_server.domain.objects.pending import FIRST_STEPS, Steps
from mock_server.domain.replies import ReplyPart, decode_parts
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id, Time

PATH = "/api/core/chat/record"
EXAMPLE = {"appId": DEMO_APP, "chatId": DEMO_REFUND, "pageSize": 2}
DIFFERENCES = (
    "Without `chatId` the list is empty, but the application is checked. Records have "
    "no files and no custom feedback."
)


class RecordView(View, kw_only=True):
    """A message of a chat session; only replies have the last six fields.

    Requests use the `dataId`, not the `_id`; two messages may share a `dataId`.
    """

    id: str = field(name="_id")
    data_id: str
    same_id: str | UnsetType = field(name="id", default=UNSET)
    obj: str
    value: list[dict[str, Any]]
    time: Time
    hide_in_ui: bool = field(name="hideInUI", default=False)
    total_quote_list: list[Any] | UnsetType = UNSET
    total_running_time: float | UnsetType = UNSET
    use_agent_sandbox: bool | UnsetType = UNSET
    error_msg: str | UnsetType = UNSET
    user_good_feedback: str | UnsetType | None = UNSET
    user_bad_feedback: str | UnsetType | None = UNSET


def record_view(record: ChatRecord, *, is_v2: bool = False) -> RecordView:
    """Return the view of a record, in the form of `getRecords_v2` or the older form."""
    parts = _parts(record)
    view = RecordView(
        id=sha256(f"{record.id} {record.obj}".encode()).hexdigest()[:24],
        data_id=record.id,
        obj=record.obj,
        value=_values(parts, is_typed=not is_v2),
        time=format_time(record.time),
    )
    if is_v2:
        view.same_id = record.id
    if record.obj == "AI":
        view.total_quote_list = _quotes(parts)
        errors = (part.error for part in parts if part.error is not None)
        view.error_msg = next((error_of(each)[2] for each in errors), UNSET)
        view.total_running_time = 0
        view.use_agent_sandbox = False
    if record.feedback:
        feedback = msgspec.json.decode(record.feedback, type=Feedback)
        view.user_good_feedback = feedback.user_good_feedback
        view.user_bad_feedback = feedback.user_bad_feedback
    return view


Item = ChatRecord | Raw
"""A record, which may be a view as JSON already."""
_BYTES_PER_STEP = 64 * 1024


def _views(items: Sequence[Item], *, is_v2: bool) -> Iterator[RecordView | Raw]:
    """Yield the views of records. Raises LimitReached if the records are too large."""
    parts_in_limit = within_page(
        b"" if isinstance(each, Raw) else each.parts for each in items
    )
    for item, _ in zip(items, parts_in_limit, strict=True):
        yield item if isinstance(item, Raw) else record_view(item, is_v2=is_v2)


def _with_views(page: Page[ChatRecord], *, is_v2: bool) -> Steps[Page[Any]]:
    """Return the page with the views of its records as JSON. Raises LimitReached."""
    if sum(map(_size_of, page.items)) > _BYTES_PER_STEP:
        yield from repeat(None, FIRST_STEPS)  # the first record may take long
    views: list[Raw] = []
    size = 0
    texts = within_page(map(msgspec.json.encode, _views(page.items, is_v2=is_v2)))
    for record, text in zip(page.items, texts, strict=True):
        views.append(Raw(text))
        size += _size_of(record)
        if size > _BYTES_PER_STEP:
            yield
            size = 0
    matching = _WithViews(page.matching, views, page.offset)
    return replace(page, items=views, matching=matching)


class _WithViews(ComputedSequence[Item]):
    """Records of which some, from the index `start` on, are views as JSON already.

    A fault may show a page that begins some records earlier or later.
    """

    __slots__ = ("_records", "_start", "_views")

    def __init__(
        self, records: Sequence[ChatRecord], views: Sequence[Raw], start: int
    ) -> None:
        self._records, self._views, self._start = records, views, start

    def __len__(self) -> int:
        return len(self._records)

    def _item(self, index: int) -> Item:
        place = index - self._start
        is_view = 0 <= place < len(self._views)
        return self._views[place] if is_view else self._records[index]


def _size_of(record: ChatRecord) -> int:
    return len(record.text) + len(record.parts)


def _values(parts: Sequence[ReplyPart], *, is_typed: bool) -> list[dict[str, Any]]:
    """Return the parts of a message as JSON, with or without their types."""
    values = [value for part in parts if (value := value_of(part))]
    if not is_typed:
        for value in values:
            del value["type"]
    return values


def _quotes(parts: Sequence[ReplyPart]) -> Any:
    """Return the quotes of a reply as one array, made of the stored JSON."""
    quotes = (bytes(part.quotes).strip()[1:-1] for part in parts if part.quotes)  # type: ignore[arg-type]
    return Raw(b"[%b]" % b",".join(filter(None, map(bytes.strip, quotes))))


def _parts(record: ChatRecord) -> Sequence[ReplyPart]:
    if record.parts:
        return decode_parts(record.parts)
    return [ReplyPart(text=record.text)]


ChatKind = Annotated[Literal["normal", "outLink", "home"], fields.IDLE] | UnsetType


class GetPaginationRecordsBody(fields.PagedChatFields, kw_only=True):
    """The page and the chat session."""

    app_id: Id
    chat_id: fields.Name | UnsetType = UNSET
    load_custom_feedbacks: fields.IdleFlag = UNSET
    include_deleted: fields.IdleFlag = UNSET
    type: ChatKind = UNSET


class RecordsView(View):
    """A page of records, oldest first."""

    list: list[RecordView]
    total: int


def _encode_page(page: Page[Item], state: State) -> bytes:
    views = items_of(_views(page.items, is_v2=False))
    return encode_data(PageView(views[::-1], page.total), state)


def _invent_record(_: object, number: int) -> ChatRecord:
    return ChatRecord(f"appeared-{number}", "AI", f"Appeared {number}")


@route(
    f"POST {PATH}/getPaginationRecords",
    legacy_path="/api/core/chat/getPaginationRecords",
    chinese="会话记录的一页",
    since="4.8.12 with API keys, 4.14.5 at this path",
    differences=DIFFERENCES,
    access="visitor",
    refusals=(*APP, *fields.PAGING),
    example=EXAMPLE,
    read_fields=read_body_and_page,
    data_type=RecordsView,
    encode=_encode_page,
    traits={"page"},
    invent_item=_invent_record,
)
def get_pagination_records(call: Call, body: GetPaginationRecordsBody) -> Page[Item]:
    """Get a page of a chat session's records.

    The first page has the newest records. In a page the oldest record is first.
    """
    paging, app = fields.paging_of(body), call.app(body.app_id)
    records = call.store.records(app, body.chat_id) if body.chat_id else ()
    page = fields.page_of(ReverseView(visible_records(records)), paging)
    return call.compute("page", _with_views(page, is_v2=False))


class GetRecordsV2Body(fields.ChatFields, kw_only=True):
    """The chat session and the part of its records."""

    chat_id: fields.Name | UnsetType = UNSET
    page_size: Annotated[int, Meta(ge=1, le=Published.integer)] = 10
    initial_id: fields.LongText | UnsetType = UNSET
    next_id: fields.LongText | UnsetType = UNSET
    prev_id: fields.LongText | UnsetType = UNSET
    anchor: Annotated[Any, fields.IDLE] = UNSET
    include_deleted: bool | UnsetType = UNSET
    load_custom_feedbacks: fields.IdleFlag = UNSET
    type: ChatKind = UNSET


class PartView(RecordsView):
    """Records, the oldest first, and whether others come before or after them."""

    has_more_prev: bool
    has_more_next: bool


def _encode_part(page: Page[Item], state: State) -> bytes:
    views = items_of(_views(page.items, is_v2=True))
    end = page.offset + len(page.items)
    part = PartView(views, page.total, page.offset > 0, end < page.total)
    return encode_data(part, state)


@route(
    f"POST {PATH}/getRecords_v2",
    legacy_path="/api/core/chat/getRecords_v2",
    chinese="会话记录的一部分",
    since="4.14.5; 4.14.4 at another path",
    differences=DIFFERENCES,
    access="visitor",
    refusals=(*APP, RecordNotFound),
    example=EXAMPLE,
    data_type=PartView,
    encode=_encode_part,
    traits={"page"},
    invent_item=_invent_record,
)
def get_records_v2(call: Call, body: GetRecordsV2Body) -> Page[Item]:
    """Get a part of a chat session's records.

    Returns the latest records, or the records around `initialId`, before `prevId` or
    after `nextId`, oldest first. `includeDeleted` adds deleted records.
    """
    app, size = call.app(body.app_id), min(body.page_size, Published.related_page_size)
    records = call.store.records(app, body.chat_id) if body.chat_id else ()
    if body.include_deleted is not True:
        records = visible_records(records)
    ids = body.initial_id or None, body.prev_id or None, body.next_id or None
    start, end = records_around(call, records, size, *ids)
    level, items = app.level_of(call.caller), records[start:end]
    page = Page(items, len(records), level, records, start, end - start)
    return call.compute("page", _with_views(page, is_v2=True))


class ResDataQuery(fields.OptionalChatFields, kw_only=True):
    """The reply, in versions where the ids of application and reply are optional."""

    chat_id: fields.Name | UnsetType = UNSET
    data_id: fields.Name | UnsetType = UNSET


class GetResDataQuery(ResDataQuery, kw_only=True):
    """The reply."""

    app_id: Id
    data_id: fields.Name


@route(
    "GET /api/core/chat/record/getResData",
    legacy_path="/api/core/chat/getResData",
    chinese="一条回复的各节点结果",
    since="4.8.12 with API keys, 4.14.5 at this path",
    former_fields=("res_data_needs_data_id", ResDataQuery),
    access="visitor",
    refusals=APP,
    example={"appId": DEMO_APP, "chatId": DEMO_REFUND, "dataId": DEMO_RECORD},
)
def get_res_data(call: Call, query: GetResDataQuery) -> list[dict[str, Any]]:
    """Get the results of the workflow nodes that made a reply.

    They are the `responseData` of completions with `detail`, but quotes have no texts.
    The array is empty for an unknown record, for a question, and without `chatId`.
    """
    if not (query.app_id and query.chat_id and query.data_id):
        return []
    app = call.app(query.app_id)
    reply = find_reply(call, app, query.chat_id, query.data_id)
    if reply is None:
        call.state.hint("the chat has no reply of this dataId")
        return []
    parts = decode_parts(reply.parts or b"[]")
    return response_data(parts, call.facts, call.share)
