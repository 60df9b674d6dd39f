"""`trainingDetail`: what of a collection is trained, and what waits for it."""

from msgspec import field

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.errors import CollectionNotFound, DatasetForbidden
from mock_server.domain.state import State
from mock_server.domain.targets import collection_for
from mock_server.fixture.document import Id
from mock_server.views import View


class TrainingDetailQuery(RequestFields):
    """Which collection."""

    collection_id: Id


class AdvancedTraining(View):
    """Kinds of training that no collection has here."""

    custom_pdf_parse: bool = False
    image_index: bool = False
    auto_indexes: bool = False


class Counts(View):
    """Data rows by kind of training."""

    parse: int = 0
    qa: int = 0
    chunk: int = 0
    image: int = 0
    auto: int = 0
    image_parse: int = 0


class TrainingDetailView(View, kw_only=True):
    """How far the training of a collection is."""

    training_type: str
    advanced_training: AdvancedTraining = field(default_factory=AdvancedTraining)
    queued_counts: Counts
    training_counts: Counts = field(default_factory=Counts)
    error_counts: Counts = field(default_factory=Counts)
    trained_count: int


def training_detail(
    state: State, caller: Caller, query: TrainingDetailQuery
) -> TrainingDetailView:
    """How far the training is. Raises CollectionNotFound, DatasetForbidden."""
    asked = query.collection_id
    found = collection_for(state, caller, asked, Level.READ, "$.collectionId")
    dataset, collection = found
    jobs = state.store.jobs.get((dataset.id, collection.id)) or ()
    return TrainingDetailView(
        training_type=collection.training_type,
        queued_counts=Counts(
            parse=sum(not job.is_parsed for job in jobs),
            chunk=sum(len(job.rows) for job in jobs if job.is_parsed),
        ),
        trained_count=collection.data_amount,
    )


TRAINING_DETAIL = neighbour(
    name="trainingDetail",
    method="GET",
    path="/api/core/dataset/collection/trainingDetail",
    summary="How far the training of a collection is",
    body=TrainingDetailQuery,
    data=TrainingDetailView,
    refusals=(CollectionNotFound, DatasetForbidden),
    perform=training_detail,
    since="4.9.6",
    modelled="Texts that wait to be parsed, rows that wait in the queue, rows trained.",
    differs="Nothing fails, and what is not trained yet counts as queued.",
)
