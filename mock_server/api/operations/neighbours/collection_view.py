"""How a collection is shown by itself: as in listV2, and more."""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mock_server.api.operations.list_v2 import Permission, item_text, permission
from mock_server.domain.access import Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import DEFAULT_TEAM_ID, Collection
from mock_server.fixture import document as schema
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


def _again(each: msgspec.structs.FieldInfo) -> Any:
    """The field of another struct; only what may be left out keeps its default."""
    default = {"default": UNSET} if each.default is UNSET else {}
    return msgspec.field(name=each.encode_name, **default)


_HIDDEN = "dataAmount"
_ITEM = schema.collection_type(
    "CollectionItem",
    "A collection without its amount of data.",
    [each for each in schema.LISTED_FIELDS if each != "data_amount"],
    schema.EXTENDED_FIELDS,
)
CollectionDetail = msgspec.defstruct(
    "CollectionDetail",
    [(each.name, each.type, _again(each)) for each in msgspec.structs.fields(_Further)],
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
