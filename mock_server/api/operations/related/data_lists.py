"""Routes that list the data rows of a collection, by pages or as CSV."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

from msgspec import UNSET, UnsetType, field
from msgspec.structs import astuple

from mock_server.api.envelope import View
from mock_server.api.items import within_page
from mock_server.api.operations.operation import DEMO_COLLECTION
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.data import PATH
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    read_body_and_page,
    route,
)
from mock_server.api.response import Response
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION
from mock_server.domain.clock import format_time
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import DEFAULT_TEAM_ID, Row
from mock_server.domain.objects.pending import STEP, Steps, pieces
from mock_server.domain.objects.rows import OldestFirstView
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id, Time


class DataListBody(fields.PagedFields, kw_only=True):
    """The collection, the page, and the text to search for."""

    collection_id: Id
    search_text: fields.SearchText = ""


class RowView(View, kw_only=True):
    """A data row in a list."""

    id: str = field(name="_id")
    dataset_id: str
    collection_id: str
    q: str
    a: str
    chunk_index: int
    update_time: Time
    team_id: str | UnsetType = UNSET


class RowsView(View):
    """A page of data rows."""

    list: list[RowView]
    total: int


class RowsPage(Page[Row], frozen=True):
    """A page of the rows of one collection, and the ids that each row shows."""

    dataset_id: str = ""
    collection_id: str = ""
    shows_team: bool = False


def _row_view(row: Row, page: RowsPage) -> RowView:
    return fields.copy_fields(
        RowView,
        row,
        update_time=format_time(row.update_time),
        dataset_id=page.dataset_id,
        collection_id=page.collection_id,
        team_id=DEFAULT_TEAM_ID if page.shows_team else UNSET,
    )


def _invent_row(_: DataListBody, number: int) -> Row:
    return Row(f"appeared-{number}", f"Appeared {number}")


def _texts_of(row: Row) -> tuple[str, str]:
    return row.q, row.a


_list_route = partial(
    route,
    refusals=(*COLLECTION, *fields.PAGING),
    example={"collectionId": DEMO_COLLECTION, "pageSize": 2},
    read_fields=read_body_and_page,
    data_type=RowsView,
    item_view=_row_view,
    invent_item=_invent_row,
)


@_list_route(
    f"POST {PATH}/v2/list",
    name="data.v2.list",
    chinese="集合数据行的一页",
    since="4.8.12",
    differences="Rows have no images.",
)
def data_v2_list(call: Call, body: DataListBody) -> RowsPage:
    """Get a page of a collection's data rows.

    Rows are sorted by chunkIndex, at most 30 on a page. `searchText` selects the rows
    with this text in `q` or `a`.
    """
    paging = fields.paging_of(body, Published.page_size)
    collection_id, search_term = body.collection_id, fold(body.search_text)
    dataset, collection = call.collection(collection_id, Level.READ, "$.collectionId")
    rows = call.store.rows.get(dataset, collection.id)
    if search_term:
        limit = call.state.limits.listed_search_chars
        steps = fields.containing(search_term, rows, _texts_of, limit)
        found = call.compute("search", steps, dataset.id, collection.id)
        rows = found.with_hint(call.state)
    if not call.facts.rows_newest_first:
        rows = OldestFirstView(rows)
    page = fields.page_of(rows, paging, dataset.level_of(call.caller))
    ids = dataset.id, collection.id, call.facts.rows_show_team
    return RowsPage(*astuple(page), *ids)  # type: ignore[call-arg]


@_list_route(
    f"POST {PATH}/list",
    chinese="集合数据行的一页（旧路径）",
    since="4.0",
    differences="Some 4.8 versions return `{pageNum, pageSize, data, total}`.",
)
def data_list(call: Call, body: DataListBody) -> RowsPage:
    """Get a page of a collection's data rows, at an older path.

    The response is that of `data.v2.list`.
    """
    page: RowsPage = data_v2_list.handle(call, body)
    return page


TooManyRequests = refusal("TooManyRequests", "429 tooManyRequests", "429 429 error")
TooManyRequestsAsHttp500 = refusal(
    "TooManyRequestsAsHttp500", "429 tooManyRequests", "500 429 error"
)


class ExportBody(fields.CitedFields, kw_only=True):
    """The collection; a chat reply that cites it may be named, and is ignored."""

    collection_id: Id
    chat_time: Annotated[Any, fields.IDLE] = UNSET

    def check(self) -> None:
        """Raise InvalidField if a reply is named only in part, or only by its time."""
        fields.CitedFields.check(self)
        values = (getattr(self, each) for each in self.__struct_fields__)
        self.check_whole(is_required=sum(each is not UNSET for each in values) > 1)


_IgnoredField = Annotated[Any, fields.IDLE]


class FormerExportBody(RequestFields, kw_only=True):
    """The collection, in versions that ignore all other fields."""

    collection_id: Id
    app_id: _IgnoredField = UNSET
    skill_id: _IgnoredField = UNSET
    source_type: _IgnoredField = UNSET
    out_link_auth_data: _IgnoredField = UNSET
    chat_id: _IgnoredField = UNSET
    chat_item_data_id: _IgnoredField = UNSET
    chat_time: _IgnoredField = UNSET


_QUOTE, _ESCAPED_QUOTE = '"', '""'
_EXPORT_GAP_MS = 60_000


def _encode_csv(content: bytes, _: State) -> Response:
    return Response(200, content, content_type=b"text/csv; charset=utf-8")


@route(
    "POST /api/core/dataset/collection/export",
    chinese="集合的数据行（CSV）",
    since="4.9",
    differences="All texts are in quotes. The limit counts the successful exports of "
    "the sandbox, not those of each client address.",
    refusals=(*COLLECTION, TooManyRequests, TooManyRequestsAsHttp500),
    former_fields=("exports_require_all_reply_fields", FormerExportBody),
    example={"collectionId": DEMO_COLLECTION},
    encode=_encode_csv,
    response_types=("text/csv",),
    has_envelope=False,
    is_always_checked=True,
    is_strict=True,
)
def export(call: Call, body: ExportBody) -> bytes:
    """Get the data rows of a collection as CSV.

    The CSV begins with a byte order mark and the header `q,a`, and has no envelope.
    After an export, the next one is refused for 60 seconds of the sandbox's clock.
    """
    collection_id = body.collection_id
    dataset, collection = call.collection(collection_id, Level.READ, "$.collectionId")

    last_export, now = call.store.export_time, call.now
    if last_export is not None and 0 <= now - last_export < _EXPORT_GAP_MS:
        is_http_429 = call.facts.ip_limits_are_http_429
        refusal_type = TooManyRequests if is_http_429 else TooManyRequestsAsHttp500
        hint = "advance the clock of the sandbox"
        raise refusal_type("one export every 60 seconds", "another one", "path", hint)
    rows = call.store.rows.get(dataset, collection.id)
    lines = call.compute("export", _lines_of(rows), dataset.id, collection.id)
    call.store.export_time = now
    return b"\n".join(lines)


def _lines_of(rows: Iterable[Row]) -> Steps[list[bytes]]:
    """Return the lines of the CSV. Raises LimitReached."""
    lines = ["\ufeffq,a".encode()]
    hint = "list the rows page by page, or export a smaller collection"
    row_lines = within_page(map(_line_of, rows), Published.export_bytes, hint)
    for _, chunk in pieces(row_lines, STEP // 4):
        lines.append(b"\n".join(chunk))  # one text takes less memory than many
        yield
    return lines


def _line_of(row: Row) -> bytes:
    q, a = (text.replace(_QUOTE, _ESCAPED_QUOTE) for text in (row.q, row.a))
    return f'"{q}","{a}"'.encode()
