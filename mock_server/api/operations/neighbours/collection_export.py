"""`collection/export`: the data rows of a collection as CSV."""

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import neighbour
from mock_server.api.response import Response
from mock_server.domain import errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.records import Row
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class ExportBody(contract.RequestFields):
    """Which collection."""

    collection_id: Id


def export(state: State, caller: Caller, body: ExportBody) -> str:
    """The rows as CSV. Raises CollectionNotFound, DatasetForbidden."""
    dataset, collection = targets.collection_for(
        state, caller, body.collection_id, Level.READ, "$.collectionId"
    )
    rows = state.store.rows(dataset, collection.id)
    return "\n".join(("\ufeffq,a", *map(_line, rows)))


def encode(text: str, _: State) -> Response:
    """The CSV as it is: there is no envelope."""
    return Response(200, text.encode(), content_type=b"text/csv; charset=utf-8")


def _line(row: Row) -> str:
    return ",".join('"' + text.replace('"', '""') + '"' for text in (row.q, row.a))


EXPORT = neighbour.operation(
    name="export",
    path="/api/core/dataset/collection/export",
    summary="The data rows of a collection as CSV",
    body=ExportBody,
    data=str,
    refusals=(errors.CollectionNotFound, errors.DatasetForbidden),
    perform=export,
    encode=encode,
    answers=("text/csv",),
    has_envelope=False,
    since="4.9",
    modelled="CSV with a byte order mark and the header `q,a`, without an envelope.",
    differs="All texts are in quotes.",
)
