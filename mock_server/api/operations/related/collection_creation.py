"""Routes that create collections: empty ones, and others of texts, links and files."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, Unpack
from urllib.parse import urlsplit

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.multipart import receive_upload
from mock_server.api.operations import body_field
from mock_server.api.operations.operation import DEMO_DATASET, FieldsReader, Operation
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import (
    Call,
    Handler,
    RareFields,
    RequestFields,
    route,
    text_bytes,
)
from mock_server.domain import errors
from mock_server.domain.call import DATASET
from mock_server.domain.datasets import contents
from mock_server.domain.datasets.sources import rows_of, text_of
from mock_server.domain.datasets.texts import (
    DEFAULT_RULES,
    MAX_ROW_CHARS,
    MIN_CHUNK_CHARS,
    ChunkRules,
    chunks_of,
)
from mock_server.domain.datasets.upload_tickets import ticket_of
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.objects.index import Search
from mock_server.domain.objects.models import Collection, CollectionType
from mock_server.domain.objects.uploads import (
    FileNotFound,
    WrongFileType,
    decoded_name,
    is_text,
)

NoFile = refusal("NoFile", "400 noFile", "500 500 error")

PATH = "/api/core/dataset/collection/create"
CREATE = (*DATASET, *contents.INSERT, errors.LimitReached)
"""Refusals of every route that creates a collection."""


class NewCollection(fields.ProcessingFields, kw_only=True):
    """The collection, in versions that create it with any type."""

    dataset_id: fields.Name
    name: fields.Name
    type: CollectionType
    parent_id: fields.Parent = UNSET
    tags: fields.Tags = field(default_factory=list)


_TYPE_RULES = body_field.FieldRules(
    other_values_hint="create/localFile and create/link make others"
).meta()


class CollectionCreateBody(RequestFields, kw_only=True):
    """Dataset, folder, name and type of the collection."""

    dataset_id: fields.Name
    name: fields.Name
    type: Annotated[Literal["folder", "virtual"], _TYPE_RULES]
    parent_id: fields.Parent = UNSET
    tags: fields.Tags = field(default_factory=list)
    metadata: Annotated[Any, fields.IDLE] = UNSET


@route(
    f"POST {PATH}",
    chinese="创建空集合或文件夹",
    since="4.6",
    former_fields=("collection_create_is_empty", NewCollection),
    differences="A parent that is in no dataset, or in another dataset, is refused. "
    "Lists show the `trainingType` of the new collection too.",
    refusals=CREATE,
    example={"datasetId": DEMO_DATASET, "name": "Drafts", "type": "folder"},
    is_write=True,
)
def collection_create(call: Call, body: CollectionCreateBody) -> str:
    """Create an empty collection, or a folder.

    Returns the id of the new collection.
    """
    target, parent_id = contents.target_for(
        call, body.dataset_id, body.parent_id or None
    )
    empty = Collection("", body.name, parent_id, type=body.type, tags=tuple(body.tags))
    return contents.create(call, target, empty)


class Creation(fields.ProcessingFields, kw_only=True):
    """Dataset, folder, tags and processing settings of a new collection."""

    dataset_id: fields.Name
    parent_id: fields.Parent = UNSET
    tags: fields.Tags = field(default_factory=list)


_QA_CHARS, _CUSTOM_CHARS = 8_000, 512


def chunk_rules_of(settings: fields.ProcessingFields) -> ChunkRules:
    """Return the rules by which a text is cut into rows."""
    is_qa = settings.training_type == "qa"
    is_custom = settings.chunk_setting_mode == "custom"
    size, levels, separators = _QA_CHARS if is_qa else DEFAULT_RULES.size, 5, ""
    if is_custom:
        size = max(MIN_CHUNK_CHARS, int(settings.chunk_size or _CUSTOM_CHARS))
        size = min(size, MAX_ROW_CHARS)
        separators = (settings.chunk_splitter or "").replace(r"\n", "\n")
        depth = settings.paragraph_chunk_deep
        levels = min(max(int(5 if depth is UNSET else depth), 0), 8)
        levels = levels if settings.chunk_split_mode == "paragraph" else 0
    own_separators = tuple(filter(None, separators.split("|")))
    min_chars = int(settings.chunk_trigger_min_size or DEFAULT_RULES.min_chars)
    min_chars = min(min_chars, Published.text_chars)  # of a row
    min_chars_by_trigger = {"forceChunk": 0, "maxSize": MAX_ROW_CHARS}
    return ChunkRules(
        size=size,
        overlap=0 if is_qa else round(size * 0.2),
        heading_levels=levels,
        separators=own_separators[: Published.chunk_separators],
        min_chars=min_chars_by_trigger.get(
            settings.chunk_trigger_type or "", min_chars
        ),
    )


class Results(View):
    """The number of rows that exist at once, which is always 0."""

    insert_len: int = 0


class CreatedView(View):
    """The id of the new collection, and the number of its rows."""

    collection_id: str
    results: Results


def creation_route(
    source: str,
    *refusals: type[errors.Refusal],
    differences: str = "",
    since: str = "4.6",
    example: dict[str, Any] | None = None,
    read_fields: FieldsReader | None = None,
    **rare_fields: Unpack[RareFields],
) -> Callable[[Handler], Operation]:
    """Return the decorator of a route that makes a collection of a source.

    `source` is the last segment of the path.
    """
    common = (
        "A parent that is in no dataset, or in another dataset, is refused. "
        "`chunkSize` counts as at least 64. Of long blanks an eighth counts. Tables "
        "are cut like other lines; an empty separator is ignored. With `trainingType` "
        "`qa` the rows are the chunks, because no model runs. FastGPT up to 4.9.10 "
        "returns the number of rows."
    )
    return route(
        f"POST {PATH}/{source}",
        behaviour="`insertLen` is 0, as since 4.9.11. Lists show rows once they are "
        "trained (choice training). A text of less than 1,000 characters is one row "
        "(`chunkTriggerType` and `chunkTriggerMinSize` change this); a longer text is "
        "cut at headings, blank lines, lines and sentences. `chunkSize`, "
        "`chunkSplitter`, `chunkSplitMode` and `paragraphChunkDeep` are ignored unless "
        "`chunkSettingMode` is `custom`.",
        differences=differences + common,
        refusals=(*refusals, *CREATE),
        example=None if example is None else {"datasetId": DEMO_DATASET} | example,
        is_write=True,
        since=since,
        read_fields=read_fields,
        **rare_fields,
    )


def create_with_rows(
    call: Call,
    body: Creation,
    collection: Collection,
    source: str | contents.RowTexts,
    **creation_options: Any,
) -> CreatedView:
    """Store `collection` where `body` says, with rows of `source`.

    A text is cut into rows as `body` says. `creation_options` are arguments
    of `contents.create`.
    Raises CREATE.
    """
    parent_id = body.parent_id or None
    dataset, parent_id = contents.target_for(call, body.dataset_id, parent_id)
    if isinstance(source, str):
        limit = call.state.limits.waiting_rows
        texts = chunks_of(source, limit, chunk_rules_of(body))
        source = [(text, "", number) for number, text in enumerate(texts)]
    training_type = body.training_type or collection.training_type
    tags = tuple(body.tags)
    collection = replace(
        collection, parent_id=parent_id, training_type=training_type, tags=tags
    )
    new_id = contents.create(call, dataset, collection, source, **creation_options)
    return CreatedView(new_id, Results())


class CreateTextBody(Creation, kw_only=True):
    """The text and the name of its collection."""

    name: fields.Name
    text: str


@creation_route(
    "text",
    example={"name": "Note", "text": "Closed on Friday."},
    chinese="用文本创建集合",
    max_body_bytes=text_bytes,
)
def text(call: Call, body: CreateTextBody) -> CreatedView:
    """Make a collection of a text.

    The collection has type `file`, the given name with `.txt` after it, and a fileId.
    """
    size = len(body.text.encode())
    empty = Collection("", f"{body.name}.txt", type="file", file_size=size)
    return create_with_rows(call, body, empty, body.text)


class CreateLinkBody(Creation, kw_only=True):
    """The URL of the page."""

    link: Annotated[str, Meta(min_length=1, max_length=Published.name_chars)]


@creation_route(
    "link",
    example={"link": "https://example.com/a"},
    differences="The page is not fetched: the collection has no rows, and its name "
    "stays the URL. ",
    chinese="用网页创建集合",
)
def link(call: Call, body: CreateLinkBody) -> CreatedView:
    """Make a collection of a web page.

    The collection has type `link`; its name is the URL.
    """
    if not is_url(body.link):
        raise errors.InvalidField.of(body.link, "an http or https URL", "$.link")
    return create_with_rows(
        call, body, Collection("", body.link, type="link", raw_link=body.link), ""
    )


def is_url(text: str) -> bool:
    """Return whether a text is the URL of a web page."""
    try:
        parts = urlsplit(text)
        # A port that is not a number raises ValueError when it is read.
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_web = parts.scheme in ("http", "https")
    return is_web and has_host and text.isprintable() and " " not in text


class UploadedFile(Struct, rename="camel"):
    """The uploaded file: its name as sent, its size in bytes, and its text."""

    name: str
    size: int
    text: str | UnsetType = UNSET


class LocalFileForm(Creation, kw_only=True):
    """The form: a part `file`; other fields are in a part `data` or in own parts."""

    file: UploadedFile | UnsetType = UNSET


@creation_route(
    "localFile",
    NoFile,
    WrongFileType,
    since="4.6; plain parts beside `data` since 4.16.0",
    differences="The first MiB of a .txt, .md, .html or .csv file is read as plain "
    "text. Other types give no rows, so dataAmount stays 0 after training. The journal "
    "and faults see the form as JSON. A broken form is a 400. ",
    example={},
    read_fields=receive_upload,
    max_body_bytes=lambda limits: limits.upload_bytes,
    media_type="multipart/form-data",
    chinese="用上传的文件创建集合",
)
def local_file(call: Call, form: LocalFileForm) -> CreatedView:
    """Make a collection of an uploaded file.

    The collection has type `file`, the URL-decoded name of the file, and a fileId.
    """
    file = form.file
    if file is UNSET:
        raise NoFile("a part `file` with a file name", "none", "body", "File not found")
    name = decoded_name(file.name, "$.file.name")
    collection = Collection("", name, type="file", file_size=file.size)
    text = file.text or ""
    return create_with_rows(call, form, collection, text, content=text.encode())


class CreateFileIdBody(Creation, kw_only=True):
    """The id of the file."""

    file_id: fields.Name


@creation_route(
    "fileId",
    FileNotFound,
    differences="A file exists as long as its collection. The new collection gets the "
    "rows of the old one. ",
    chinese="用已有的文件创建集合",
)
def file_id(call: Call, body: CreateFileIdBody) -> CreatedView:
    """Make a collection of an existing file.

    The file belongs to an upload ticket or to another collection. The new collection
    has the name of the file.
    """
    ticket = ticket_of(call, body.file_id)
    if ticket is not None and ticket.size is not None:
        key = ticket.key
        empty = Collection("", ticket.name, type="file", file_id=key)
        empty = replace(empty, file_size=ticket.size)
        text = text_of(ticket.content) if is_text(ticket.name) else ""
        view = create_with_rows(call, body, empty, text, content=ticket.content)
        call.store.tickets.remove(key)  # the collection has the file now
        return view
    dataset, source = contents.collection_of_file(call, body.file_id)
    texts = contents.texts_of(call, rows_of(call, dataset, source))
    file_id, size = source.file_id, source.file_size
    empty = Collection("", source.name, type="file", file_id=file_id, file_size=size)
    return create_with_rows(call, body, empty, texts)


API_FILE = "apiFile"


def _is_of_api_file(collection: Collection) -> bool:
    return collection.type == API_FILE


"""The type of a collection that `apiCollection` makes."""


class ApiCollectionBody(Creation, kw_only=True):
    """The id of the API server's file, and the name of its collection."""

    name: fields.Name
    api_file_id: fields.Name


@route(
    f"POST {PATH}/apiCollection",
    chinese="用 API 服务的文件创建集合",
    since="4.8; null since 4.11",
    differences="No API server is called: the collection has the given name and no "
    "rows, and the dataset may be of any type. The `apiFileId` becomes the rawLink.",
    refusals=CREATE,
    example={"datasetId": DEMO_DATASET, "name": "Prices", "apiFileId": "file-1"},
    is_write=True,
)
def api_collection(call: Call, body: ApiCollectionBody) -> None:
    """Make a collection of a file of an API server.

    The collection has type `apiFile`. If the dataset has a collection of this file
    already, no other is made.
    """
    dataset, _ = contents.target_for(call, body.dataset_id, body.parent_id or None)
    link = body.api_file_id
    search = Search(value=("raw_link", link), conditions=(_is_of_api_file,))
    match = dataset.tree.first(search)
    if match is not None:
        call.state.hint(f"collection {match.id} is of that file: nothing was made")
        return
    create_with_rows(
        call, body, Collection("", body.name, type=API_FILE, raw_link=link), ""
    )
