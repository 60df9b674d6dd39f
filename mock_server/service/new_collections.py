"""New collections: empty ones, and those made of a text, a link or a file."""

import re
from functools import partial
from hashlib import sha256
from posixpath import basename, splitext
from typing import Annotated, Any, Literal, get_args
from urllib.parse import unquote, urlsplit

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.decoding.json_values import JsonObject, kept_value
from mock_server.errors import FOLDER_REFUSALS, BadForm, FailedField, InvalidField, WrongFileType
from mock_server.http.forms import FormField
from mock_server.releases.fastgpt import FASTGPT_4_16
from mock_server.service.call import Call
from mock_server.service.collections import known_tags_first, require_folder
from mock_server.service.datasets import FileServerType
from mock_server.service.demo_ids import DEMO_API_DATASET, DEMO_DATASET
from mock_server.service.operation import MAX_TEXT, Fields, Operation
from mock_server.service.request_fields import (
    Name,
    ParentId,
    Text,
    check_folder_depth,
)
from mock_server.service.text_chunks import clean_text, split_text
from mock_server.service.training import add_rows_in_training
from mock_server.store.objects import (
    Collection,
    DataRow,
    Dataset,
    Id,
    Number,
    TrainingType,
    omit,
    pick,
)

PATH = "/api/core/dataset/collection/create"
MAX_FORM = 16 * 1024 * 1024
TEXT_FILES = (".txt", ".md", ".html", ".csv")
WHOLE_BELOW = 1000
"""The length from which on a text is cut, unless any is (FastGPT 4.16, core/dataset/read.ts)."""
MAX_FILE_NAME = 50
MIN_CHUNK = 64
DEFAULT_CHUNK = 512
OTHER_FILES = (".docx", ".xlsx", ".pdf", ".pptx")
KEY_BRACKETS = str.maketrans("()", "[]")
CollectionType = Annotated[str, Meta(extra_json_schema={"enum": FASTGPT_4_16.collection_types})]
STORED_FIELDS = [
    "apiFileId",
    "apiFileParentId",
    "autoIndexes",
    "chunkSettingMode",
    "chunkSize",
    "chunkSplitMode",
    "chunkSplitter",
    "chunkTriggerMinSize",
    "chunkTriggerType",
    "createTime",
    "customPdfParse",
    "dataEnhanceCollectionName",
    "externalFileId",
    "externalFileUrl",
    "fileId",
    "hashRawText",
    "imageIndex",
    "indexPrefixTitle",
    "indexSize",
    "metadata",
    "paragraphChunkAIMode",
    "paragraphChunkDeep",
    "paragraphChunkMinSize",
    "qaPrompt",
    "rawLink",
    "rawTextLength",
    "trainingType",
    "updateTime",
]
"""Fields of a collection that is made of a source, which FastGPT 4.14 takes here, too."""


@Operation(
    "POST",
    PATH,
    refusals=(*FOLDER_REFUSALS, FailedField),
    unchecked_fields=STORED_FIELDS,
    example={"datasetId": DEMO_DATASET, "name": "Notes", "type": "virtual"},
)
def collection_create(
    call: Call,
    dataset_id: Id,
    name: Text,
    type: CollectionType,
    parent_id: ParentId = UNSET,
    tags: tuple[str, ...] = (),
) -> str:
    """Create an empty collection, or a folder. Returns its id."""
    dataset = call.require_writable_dataset(dataset_id)
    if type not in call.release.collection_types:
        expected = " or ".join(call.release.collection_types)
        raise InvalidField(expected, type, "$.type")
    if not name:
        raise FailedField("a name", name, "$.name")
    details: JsonObject | UnsetType = UNSET
    if call.release.keeps_all_settings:
        sent = call.request.fields
        # An empty object is not kept.
        names = [it for it in SHOWN_SETTINGS if sent.get(it) != {}]
        details = kept_value(pick(sent, names), "$") or UNSET
    collection = new_collection(
        call, dataset, parent_id, tags, type=type, name=name, details=details
    )
    call.save(dataset.with_collections(collection))
    return collection.id


def new_collection(
    call: Call, dataset: Dataset, parent_id: ParentId, tags: tuple[str, ...], **fields: Any
) -> Collection:
    """A new collection of the caller. Raises FailedField, ParentNotFound, LimitReached."""
    folder_id = require_folder(dataset, parent_id)
    collection = Collection(
        id=call.new_id(),
        parent_id=folder_id,
        tmb_id=call.member,
        update_time=call.now(),
        # Without tags, those of all other collections need not be read.
        tags=tags and known_tags_first(dataset, tags),
        **fields,
    )
    check_folder_depth(dataset.collections, collection)
    return collection


class CreationRequest(Struct, rename="camel", kw_only=True):
    """The target of a new collection, and the way in which its text is trained."""

    dataset_id: Id
    parent_id: ParentId = UNSET
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    training_type: TrainingType = "chunk"


SETTINGS = {
    "autoIndexes": bool,
    "chunkSettingMode": Literal["auto", "custom"],
    "chunkSize": Number,
    "chunkSplitMode": Literal["paragraph", "size", "char"],
    "chunkSplitter": str,
    "chunkTriggerMinSize": Number,
    "chunkTriggerType": Literal["minSize", "forceChunk", "maxSize"],
    "customPdfParse": bool,
    "dataEnhanceCollectionName": bool,
    "imageIndex": bool,
    "indexPrefixTitle": bool,
    "indexSize": Number,
    "paragraphChunkAIMode": Literal["auto", "force", "forbid"],
    "paragraphChunkDeep": Number,
    "paragraphChunkMinSize": Number,
    "qaPrompt": str,
}
"""The settings of a new collection for cutting and indexing its text, with their types."""
SHOWN_SETTINGS = [*SETTINGS, "metadata", "trainingType"]
"""What a collection without a source shows of its settings, if it keeps any."""
AUTO_SETTINGS = {
    "chunkSplitMode": "paragraph",
    "indexSize": 512,
    "paragraphChunkAIMode": "forbid",
    "paragraphChunkDeep": 5,
    "paragraphChunkMinSize": 100,
}
"""What mode `auto` sets (FastGPT 4.16, packages/global/core/dataset/training/utils.ts)."""
SET_BY_TYPE: dict[str, JsonObject] = {"auto": {"autoIndexes": True}, "qa": {"indexSize": 3000}}
NOT_FOR_TABLES = SETTINGS.keys() - {"chunkSettingMode", "customPdfParse"}
DROPPED_SETTINGS = {
    "qa": {
        "autoIndexes",
        "chunkTriggerMinSize",
        "chunkTriggerType",
        "dataEnhanceCollectionName",
        "imageIndex",
    },
    "backup": NOT_FOR_TABLES,
    "template": NOT_FOR_TABLES,
}
"""The settings that are dropped, by the type of training; for other types the `qaPrompt`.

FastGPT 4.16, packages/global/core/dataset/training/utils.ts.
"""


def kept_settings(body: CreationRequest) -> JsonObject:
    """The settings of a request as FastGPT keeps them."""
    values = {name: getattr(body, name) for name in SETTINGS}
    kept = {name: it for name, it in values.items() if it is not UNSET}
    if kept.get("chunkSettingMode") != "custom":
        size = 8000 if body.training_type == "qa" else 1000
        kept = omit(kept, ["chunkSplitter"]) | AUTO_SETTINGS | {"chunkSize": size}
    elif kept.get("chunkSplitMode") != "paragraph":
        kept["paragraphChunkDeep"] = 0
    else:
        kept.setdefault("paragraphChunkDeep", 5)
    kept |= SET_BY_TYPE.get(body.training_type, {})
    return omit(kept, DROPPED_SETTINGS.get(body.training_type, ["qaPrompt"]))


def split_into_rows(text: str, settings: JsonObject) -> list[str]:
    """The rows of a text, cut by the settings of its collection."""
    whole_below = 0 if settings.get("chunkTriggerType") == "forceChunk" else WHOLE_BELOW
    size = max(MIN_CHUNK, settings.get("chunkSize", DEFAULT_CHUNK))
    splitters = settings.get("chunkSplitter", "").replace("\\n", "\n").split("|")
    return split_text(text, whole_below, size, [*filter(None, splitters)])


creation_operation = partial(
    Operation,
    "POST",
    refusals=(*FOLDER_REFUSALS, FailedField),
    unchecked_fields=("createTime",),
    kept_fields=SETTINGS,
)
"""An operation that makes a collection of a source."""


class CreatedCollection(Struct, rename="camel"):
    """The id of a new collection, and the number of rows that were inserted at once."""

    collection_id: str
    results: dict[str, int]


def create_with_data_rows(
    call: Call,
    body: CreationRequest,
    type: str,
    name: str,
    text: str | None = None,
    **source: Any,
) -> CreatedCollection:
    """Make a collection with the rows of a text, as createCollectionAndInsertData does.

    `insertLen` is 0, as rows come later (FastGPT 4.16, core/dataset/collection/controller.ts).
    """
    dataset = call.require_writable_dataset(body.dataset_id)
    details = kept_settings(body)
    if text is not None:
        if call.release.cleans_texts:
            text = clean_text(text)
        details["rawTextLength"] = len(text.encode("utf-16-le")) // 2
        details["hashRawText"] = sha256(text.encode()).hexdigest()
    if body.metadata:
        details["metadata"] = kept_value(body.metadata, "$.metadata")
    collection = new_collection(
        call,
        dataset,
        body.parent_id,
        body.tags,
        type=type,
        name=name,
        # FastGPT trains `auto` as `chunk` with further indexes.
        training_type="chunk" if body.training_type == "auto" else body.training_type,
        details=details,
        **source,
    )
    # The training of a file that cannot be read never ends.
    if collection.has_error:
        call.save(dataset.with_collections(collection))
        return CreatedCollection(collection.id, {"insertLen": 0})
    now = collection.update_time
    rows = [
        DataRow(id=call.new_id(), q=q, chunk_index=index, update_time=now)
        for index, q in enumerate(split_into_rows(text or "", details))
    ]
    add_rows_in_training(call, dataset, collection, rows, is_from_text=True)
    return CreatedCollection(collection.id, {"insertLen": 0})


def truncate_file_name(name: str) -> str:
    """The name of a file, cut before its ending to MAX_FILE_NAME (FastGPT 4.16, s3/utils.ts)."""
    stem, ending = splitext(name)
    if len(name) <= MAX_FILE_NAME:
        return name
    return stem[: max(0, MAX_FILE_NAME - len(ending))] + ending[:MAX_FILE_NAME]


def new_file_key(call: Call, dataset_id: str, name: str) -> str:
    """The key of a new file in the object store, its id (FastGPT 4.16, common/s3/utils.ts)."""
    stem, ending = splitext(basename(name))
    stem = stem.translate(KEY_BRACKETS)
    if not call.release.describes_files:
        stem = re.sub(r"[\s\ufeff]", "_", stem)
    if re.search(r"[\x00-\x1f\x7f\\]", stem + ending):
        raise FailedField("a name without \\ and control characters", name, "$.name")
    # An end of six characters counts as the one that was added before.
    stem = re.sub("_[^_]{6}$", "", stem)
    return f"dataset/{dataset_id}/{stem}_{call.new_id()[-6:]}{ending}"


@creation_operation(
    f"{PATH}/text",
    max_body=MAX_TEXT,
    example={"datasetId": DEMO_DATASET, "name": "Note", "text": "We are closed on Sunday."},
)
def create_text(call: Call, body: CreationRequest, name: Text, text: str) -> CreatedCollection:
    """Make a collection of a text: of type `file`, with `.txt` after its name."""
    name = truncate_file_name(f"{name}.txt")
    return create_with_data_rows(
        call,
        body,
        "file",
        name,
        text,
        file_id=new_file_key(call, body.dataset_id, name),
        file_name=name,
        file_size=len(text.encode()),
    )


@creation_operation(
    f"{PATH}/link", example={"datasetId": DEMO_DATASET, "link": "https://example.com/terms"}
)
def create_link(call: Call, body: CreationRequest, link: Name) -> CreatedCollection:
    """Make a collection of a page, which is not fetched: there are no rows."""
    if not is_url(link) and call.operation_name not in call.release.takes_any_source:
        raise InvalidField("a URL", link, "$.link")
    selector = {name: it for name, it in body.metadata.items() if name == "webPageSelector"}
    body.metadata = selector | {"relatedImgId": link}
    return create_with_data_rows(call, body, "link", link, raw_link=link)


def is_url(text: str) -> bool:
    """Whether a text has a scheme, and with `http` or `https` also a host."""
    try:
        url = urlsplit(text.strip())
    except ValueError:
        return False
    if url.scheme in ("http", "https"):
        return bool(url.netloc)
    return bool(url.scheme)


@creation_operation(
    f"{PATH}/apiCollection",
    example={"datasetId": DEMO_API_DATASET, "name": "Returns", "apiFileId": "returns-7"},
)
def create_api_collection(call: Call, body: CreationRequest, name: Text, api_file_id: Id) -> None:
    """Make a collection of a file of an API server, unless the dataset has that file."""
    dataset = call.require_writable_dataset(body.dataset_id)
    types = get_args(FileServerType)
    if dataset.type not in types:
        expected = f"a dataset of type {' or '.join(types)}"
        raise FailedField(expected, dataset.type, "$.datasetId")
    file_ids = [it.api_file_id for it in dataset.collections.values()]
    body.metadata = {"relatedImgId": api_file_id}
    if api_file_id not in file_ids:
        create_with_data_rows(call, body, "apiFile", name or api_file_id, api_file_id=api_file_id)


def check_form(call: Call, fields: Fields) -> Fields:
    """Check the file of a form, then its dataset, before its other fields."""
    parse_file_name(fields["file"], takes_any=call.operation_name in call.release.takes_any_source)
    call.require_writable_dataset(str(fields.get("datasetId", "")))
    return fields


def parse_file_name(file: FormField, *, takes_any: bool) -> str:
    """The decoded name of a file. Raises WrongFileType for a type that FastGPT cannot read."""
    name = unquote(file.filename)
    if "\ufffd" in name or re.search("%(?![0-9A-Fa-f]{2})", file.filename):
        raise WrongFileType("a percent-encoded file name", file.filename)
    ending = splitext(name)[1]
    if ending.lower() not in TEXT_FILES + OTHER_FILES and not takes_any:
        raise WrongFileType(" or ".join(TEXT_FILES + OTHER_FILES), ending)
    return name


@creation_operation(
    f"{PATH}/localFile",
    declared_place="form",
    unchecked_fields=("createTime", "collectionMetadata", "fileMetadata"),
    max_body=MAX_FORM,
    refusals=(BadForm, FailedField, WrongFileType, *FOLDER_REFUSALS),
    example={"datasetId": DEMO_DATASET, "file": "Parcels arrive on Friday."},
    prepare=check_form,
)
def create_local_file(call: Call, body: CreationRequest, file: FormField) -> CreatedCollection:
    """Make a collection of a file. One that is no text keeps its name and size alone."""
    name = parse_file_name(file, takes_any=call.operation_name in call.release.takes_any_source)
    if not file.content:
        raise BadForm("a file that is not empty", name)
    name = truncate_file_name(name)
    ending = splitext(name)[1].lower()
    text = file.text if ending in TEXT_FILES else None
    file_id = new_file_key(call, body.dataset_id, name)
    body.metadata = body.metadata | {"relatedImgId": file_id}
    source: dict[str, Any] = {"file_id": file_id, "file_name": name}
    source["file_size"] = len(file.content)
    if ending not in TEXT_FILES + OTHER_FILES:
        source |= {"training_amount": 1, "has_error": True}
    return create_with_data_rows(call, body, "file", name, text, **source)
