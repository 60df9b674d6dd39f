"""The data rows of a collection as CSV."""

from typing import Annotated, Any

from msgspec import UNSET

from mock_server.api.operations.operation import DEMO_COLLECTION
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, route
from mock_server.api.response import Response
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION
from mock_server.domain.errors import refusal
from mock_server.domain.objects.models import Row
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id

TooManyRequests = refusal("TooManyRequests", "429 tooManyRequests", "429 429 error")


TooManyFormerly = refusal("TooManyFormerly", "429 tooManyRequests", "500 429 error")


class ExportBody(fields.CitedFields, kw_only=True):
    """Which collection, alone or with what cites it, which is not looked at."""

    collection_id: Id
    chat_time: Annotated[Any, fields.IDLE] = UNSET

    def check(self) -> None:
        """Raise InvalidField for some of what names a reply, but not all."""
        fields.CitedFields.check(self)
        self.check_whole(is_given=self.chat_time is not UNSET)


_QUOTE, _TWO = '"', '""'
_MINUTE = 60_000


def _csv(text: str, _: State) -> Response:
    return Response(200, text.encode(), content_type=b"text/csv; charset=utf-8")


@route(
    "POST /api/core/dataset/collection/export",
    chinese="集合的数据行（CSV）",
    since="4.9",
    differs="All texts are in quotes. The sandbox counts, not each address, and only "
    "exports that succeed.",
    refuses=(*COLLECTION, TooManyRequests, TooManyFormerly),
    example={"collectionId": DEMO_COLLECTION},
    encode=_csv,
    answers=("text/csv",),
    has_envelope=False,
    is_checked=True,
    is_strict=True,
)
def export(call: Call, body: ExportBody) -> str:
    """The data rows of a collection as CSV.

    CSV with a byte order mark and the header `q,a`, without an envelope. One in a
    minute of the sandbox's clock.
    """
    asked = body.collection_id
    dataset, collection = call.collection(asked, Level.READ, "$.collectionId")

    def line(row: Row) -> str:
        return f'"{row.q.replace(_QUOTE, _TWO)}","{row.a.replace(_QUOTE, _TWO)}"'

    last, now = call.store.exported, call.now
    if last is not None and 0 <= now - last < _MINUTE:
        kind = TooManyRequests if call.facts.ip_limits_are_http_429 else TooManyFormerly
        hint = "advance the clock of the sandbox"
        raise kind("one export every 60 seconds", "another one", "path", hint)
    call.store.exported = now
    rows = call.store.rows.of(dataset, collection.id)
    return "\n".join(("\ufeffq,a", *map(line, rows)))
