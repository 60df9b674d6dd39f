"""What an answer cites: a data row, with the collection that it is in."""

from msgspec import UNSET, UnsetType, field

from mock_server.api.envelope import View
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.data import DEMO_ROW
from mock_server.api.operations.related.route import Call, route
from mock_server.domain.access import Level
from mock_server.domain.call import ROW
from mock_server.domain.clock import format_time
from mock_server.domain.objects.models import DEFAULT_TEAM_ID
from mock_server.fixture.document import Id, Time


class QuotedCollection(View, kw_only=True):
    """The collection of a cited row."""

    id: str = field(name="_id")
    parent_id: str | None
    team_id: str = DEFAULT_TEAM_ID
    tmb_id: str
    dataset_id: str
    type: str
    name: str
    training_type: str
    tags: list[str] | UnsetType = UNSET
    forbid: bool
    create_time: Time
    update_time: Time
    file_id: str | UnsetType = UNSET
    raw_link: str | UnsetType = UNSET


class QuoteBody(fields.CitedFields, kw_only=True):
    """Which row; where it is cited is not looked at."""

    id: Id

    def check(self) -> None:
        """Raise InvalidField for a part of what names where the row is cited."""
        fields.CitedFields.check(self)
        self.check_whole()


class QuoteView(View):
    """A cited row; `a` is there unless it is empty."""

    collection: QuotedCollection
    q: str
    a: str | UnsetType = UNSET


@route(
    "POST /api/core/dataset/data/getQuoteData",
    chinese="引用的数据行及其集合",
    since="4.8.20; POST since 4.9",
    differs="Read permission on the dataset is enough, also with the fields of a "
    "chat: no record needs to cite the row.",
    refuses=ROW,
    example={"id": DEMO_ROW},
)
def get_quote_data(call: Call, body: QuoteBody) -> QuoteView:
    """A data row that is cited, and its collection.

    The texts of the row, without an empty `a`, and the fields of the collection.
    """
    dataset, collection, row = call.row(body.id, Level.READ)
    created = collection.create_time or collection.update_time
    hides_tags = call.state.choices.tags_empty == "absent" and not collection.tags
    shown = fields.shown(
        QuotedCollection,
        collection,
        dataset_id=dataset.id,
        tags=UNSET if hides_tags else list(collection.tags),
        create_time=format_time(created),
        update_time=format_time(collection.update_time),
        file_id=collection.file_id or UNSET,
        raw_link=collection.raw_link or UNSET,
    )
    return QuoteView(shown, row.q, row.a or UNSET)
