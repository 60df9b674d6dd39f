"""Routes for training: its progress, its repetition, and an id for its bill."""

from typing import Annotated, Any

from msgspec import UNSET, UnsetType, field

from mock_server.api.envelope import View
from mock_server.api.operations.operation import DEMO_COLLECTION, DEMO_DATASET
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.collection_creation import PATH, chunk_rules_of
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION, DATASET, DatasetNotFound
from mock_server.domain.datasets import sources
from mock_server.domain.messages import describe_value


class CollectionIdFields(RequestFields):
    """The collection."""

    collection_id: fields.Name


class AdvancedTraining(View):
    """Kinds of training that no collection of the mock server has."""

    custom_pdf_parse: bool = False
    image_index: bool = False
    auto_indexes: bool = False


class Counts(View):
    """Numbers of texts or data rows, by kind of training."""

    parse: int = 0
    qa: int = 0
    chunk: int = 0
    image: int = 0
    auto: int = 0
    image_parse: int = 0


class TrainingDetailView(View, kw_only=True):
    """The progress of a collection's training."""

    training_type: str
    advanced_training: AdvancedTraining = field(default_factory=AdvancedTraining)
    queued_counts: Counts
    training_counts: Counts = field(default_factory=Counts)
    error_counts: Counts = field(default_factory=Counts)
    trained_count: int


@route(
    "GET /api/core/dataset/collection/trainingDetail",
    chinese="集合的训练进度",
    since="4.9.6",
    differences="Training never fails. Untrained rows count as queued.",
    refusals=COLLECTION,
    example={"collectionId": DEMO_COLLECTION},
)
def training_detail(call: Call, query: CollectionIdFields) -> TrainingDetailView:
    """Get the progress of a collection's training.

    In `queuedCounts`, `parse` counts texts that wait to be parsed. Rows that wait to be
    trained count as `qa` if that is the `trainingType`, else as `chunk`. `trainedCount`
    is the number of trained rows.
    """
    collection_id = query.collection_id
    dataset, collection = call.collection(collection_id, Level.READ, "$.collectionId")
    jobs = call.store.jobs.get((dataset.id, collection.id)) or ()
    text_count = sum(not job.is_parsed for job in jobs)
    row_count = sum(len(job.rows) for job in jobs if job.is_parsed)
    return TrainingDetailView(
        training_type=collection.training_type,
        queued_counts=Counts(text_count, **{collection.training_mode: row_count}),
        trained_count=collection.data_amount,
    )


class FormerRetrainBody(fields.ProcessingFields, kw_only=True):
    """The new processing settings of a collection; `collectionId` may be omitted."""

    collection_id: fields.Name | UnsetType = UNSET
    parent_id: Annotated[fields.ShortText, fields.IDLE] | UnsetType | None = UNSET


class RetrainBody(FormerRetrainBody, kw_only=True):
    """The collection and its new processing settings."""

    collection_id: fields.Name


class RetrainedView(View):
    """The new collection."""

    collection_id: str


@route(
    f"POST {PATH}/reTrainingCollection",
    chinese="重新训练集合",
    since="4.8; with write permission 4.9.10",
    differences="Rows come from the stored text of an uploaded file, else from the "
    "existing rows; links are not fetched. A folder is deleted with its content.",
    former_fields=("retraining_checks_fields_first", FormerRetrainBody),
    refusals=(*COLLECTION, errors.LimitReached),
    example={"collectionId": DEMO_COLLECTION},
    is_write=True,
)
def re_training_collection(call: Call, body: RetrainBody) -> RetrainedView:
    """Train a collection once more.

    A new collection with the same name, folder, source and createTime replaces the old
    one. It is empty if the old one is a folder or `virtual`.
    """
    collection_id = body.collection_id
    if not collection_id:
        raise fields.MissingParams("the _id of a collection", "none", "$.collectionId")
    dataset, old = call.collection(collection_id, Level.WRITE, "$.collectionId")
    mode, rules = body.training_type or old.training_type, chunk_rules_of(body)
    new_id = sources.retrain(call, dataset, old, rules, training_type=mode)
    return RetrainedView(new_id)


class TrainingUsageBody(RequestFields, kw_only=True):
    """The dataset whose training is billed; `name` is ignored."""

    dataset_id: Any = UNSET
    name: Annotated[Any, fields.IDLE] = UNSET


@route(
    "POST /api/support/wallet/usage/createTrainingUsage",
    chinese="创建训练账单",
    since="4.6.9",
    differences="Nothing is billed, and no other route uses the id.",
    refusals=DATASET,
    example={"datasetId": DEMO_DATASET, "name": "Upload"},
)
def create_training_usage(call: Call, body: TrainingUsageBody) -> str:
    """Get an id for the bill of a training.

    Each call returns a new id, which clients send as `billId`. The caller needs write
    permission on the dataset.
    """
    if not isinstance(body.dataset_id, str):
        got = "nothing" if body.dataset_id is UNSET else describe_value(body.dataset_id)
        raise DatasetNotFound("the id of a dataset", got, "$.datasetId")
    call.dataset(body.dataset_id, Level.WRITE, "$.datasetId")
    return call.store.new_id()
