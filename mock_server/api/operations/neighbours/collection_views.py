"""`collection.detail`, `collection.paths`, `trainingDetail`: one collection."""

from typing import Any, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from mock_server.api.operations import contract
from mock_server.api.operations.list_v2 import Permission, item_text, permission
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import collection_folders, errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import DEFAULT_TEAM_ID, Collection
from mock_server.domain.state import State
from mock_server.fixture import document as schema
from mock_server.fixture.document import Id
from mock_server.views import View


class DatasetBrief(View):
    """The dataset of a collection."""

    id: str = msgspec.field(name="_id")
    name: str
    type: str


class FileView(View):
    """The file that a collection has been made from; the length is in bytes."""

    filename: str
    content_length: int


class Processing(View):
    """How a collection was processed; here all are alike."""

    chunk_setting_mode: str = "auto"
    chunk_split_mode: str = "size"
    chunk_size: int = 512
    index_size: int = 512
    chunk_splitter: str = ""
    qa_prompt: str = ""


class _Further(Processing, kw_only=True):
    """What a detail shows beside what listV2 shows."""

    permission: Permission
    team_id: str = DEFAULT_TEAM_ID
    dataset_id: str
    dataset: DatasetBrief
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    source_name: str
    source_id: str | UnsetType = UNSET
    file: FileView | UnsetType = UNSET
    index_amount: int
    error_count: int


_HIDDEN = "dataAmount"
_ITEM = schema.collection_type(
    "CollectionItem",
    "A collection without its amount of data.",
    [each for each in schema.LISTED_FIELDS if each != "data_amount"],
    schema.EXTENDED_FIELDS,
)
# Only what may be left out keeps its default: the rest is always shown.
_TYPES = Processing.__annotations__ | _Further.__annotations__
_NAMES = zip(_Further.__struct_fields__, _Further.__struct_encode_fields__, strict=True)
CollectionDetail = msgspec.defstruct(
    "CollectionDetail",
    [
        (
            name,
            _TYPES[name],
            msgspec.field(name=shown, default=UNSET)
            if UnsetType in get_args(_TYPES[name])
            else msgspec.field(name=shown),
        )
        for name, shown in _NAMES
    ],
    bases=(_ITEM,),
    namespace={"__doc__": "A collection by itself."},
    kw_only=True,
)


def detail(
    dataset: Dataset, collection: Collection, level: Level, tags_absent: bool
) -> dict[str, Any]:
    """A collection by itself, as plain data."""
    # The fields of an item, in the form in which listV2 has them.
    item: dict[str, Any] = msgspec.json.decode(
        item_text(collection, extended=True, tags_absent=tags_absent) + b"}"
    )
    del item[_HIDDEN]
    further: dict[str, Any] = msgspec.to_builtins(_further(dataset, collection, level))
    return item | further


def _further(dataset: Dataset, collection: Collection, level: Level) -> Struct:
    source = collection.file_id or collection.raw_link
    size = collection.file_size or 0
    return _Further(
        permission=permission(level),
        dataset_id=dataset.id,
        dataset=DatasetBrief(dataset.id, dataset.name, dataset.type),
        source_name=collection.name,
        source_id=UNSET if source is None else source,
        file=FileView(collection.name, size) if collection.file_id else UNSET,
        index_amount=collection.data_amount,
        error_count=int(collection.has_error),
    )


def collection_detail(
    state: State, caller: Caller, query: fields.IdQuery
) -> dict[str, Any]:
    """A collection. Raises CollectionNotFound, DatasetForbidden."""
    found = targets.collection_for(state, caller, query.id, Level.READ, "$.id")
    tags_absent = state.choices.tags_empty == "absent"
    return detail(*found, found[0].level_of(caller), tags_absent)


COLLECTION_DETAIL = neighbour.operation(
    name="collection.detail",
    method="GET",
    path="/api/core/dataset/collection/detail",
    summary="One collection",
    body=fields.IdQuery,
    data=CollectionDetail,
    refusals=(errors.CollectionNotFound, errors.DatasetForbidden),
    perform=collection_detail,
    since="4.6; `datasetId` is a text since 4.8.18",
    modelled="What listV2 shows of it but its amount of data, its dataset and source.",
    differs=(
        "How it was cut into chunks is always shown alike. `indexAmount` is the number "
        "of its data rows."
    ),
)


class CollectionPathsQuery(contract.RequestFields):
    """Which collection."""

    source_id: fields.Label = ""


def collection_paths(
    state: State, caller: Caller, query: CollectionPathsQuery
) -> list[fields.PathStep]:
    """The way to a collection, which ends it; without one, none.

    Raises CollectionNotFound, DatasetForbidden.
    """
    if not query.source_id:
        return []
    source = query.source_id
    found = targets.collection_for(state, caller, source, Level.READ, "$.sourceId")
    return [
        fields.PathStep(each.id, each.name)
        for each in collection_folders.path_of(*found)
    ]


COLLECTION_PATHS = neighbour.operation(
    name="collection.paths",
    method="GET",
    path="/api/core/dataset/collection/paths",
    summary="The folders above a collection, and itself",
    body=CollectionPathsQuery,
    data=list[fields.PathStep],
    refusals=(errors.CollectionNotFound, errors.DatasetForbidden),
    perform=collection_paths,
    access="login",
    since="4.6",
    modelled="Ids and names from the outermost folder on, itself last.",
)


class TrainingDetailQuery(contract.RequestFields):
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
    found = targets.collection_for(state, caller, asked, Level.READ, "$.collectionId")
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


TRAINING_DETAIL = neighbour.operation(
    name="trainingDetail",
    method="GET",
    path="/api/core/dataset/collection/trainingDetail",
    summary="How far the training of a collection is",
    body=TrainingDetailQuery,
    data=TrainingDetailView,
    refusals=(errors.CollectionNotFound, errors.DatasetForbidden),
    perform=training_detail,
    since="4.9.6",
    modelled="Texts that wait to be parsed, rows that wait in the queue, rows trained.",
    differs="Nothing fails, and what is not trained yet counts as queued.",
)
