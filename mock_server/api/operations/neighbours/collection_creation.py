"""`collection.create`, and collections made of texts, links and files."""

from collections.abc import Callable
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.multipart import receive_upload
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import collection_folders, creation, errors
from mock_server.domain.access import Caller
from mock_server.domain.dataset import Dataset
from mock_server.domain.limits import Limits
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.domain.uploads import decoded_name
from mock_server.fixture.document import Id
from mock_server.views import View

T = TypeVar("T")
Make = Callable[[State, Caller, Dataset, Collection, T], Collection]

REFUSALS: tuple[type[errors.Refusal], ...] = (
    errors.DatasetNotFound,
    errors.DatasetForbidden,
    errors.ParentNotFound,
    errors.CollectionForbidden,
    errors.CollectionTooDeep,
    errors.LimitReached,
)
"""Those of every route that makes collections."""

MODELLED = (
    "`insertLen` is 0 as of 4.9.11; rows show once they are trained (choice training)."
)
DIFFERS = (
    "A parent that is in no dataset, or in another one, is refused. Rows are "
    "paragraphs, joined up to 512 characters (or `chunkSize`, at least 64); other "
    "settings are not looked at. "
    "Versions up to 4.9.10 answer the number of rows."
)


class CreationFields(fields.ProcessingFields, kw_only=True):
    """Where a new collection goes, and how it is processed."""

    dataset_id: Id
    parent_id: fields.Parent = UNSET
    tags: fields.Tags | None = None
    training_type: fields.Label | UnsetType | None = UNSET
    chunk_size: Annotated[int, Meta(ge=1, le=Limits.integer)] | UnsetType | None = UNSET

    @property
    def chunk_chars(self) -> int | None:
        """The characters of a chunk, if it says how many."""
        return None if self.chunk_size is UNSET else self.chunk_size


class Results(View):
    """How many rows have been made at once: none."""

    insert_len: int = 0


class CreatedView(View):
    """The new collection."""

    collection_id: str
    results: Results


def make_collection(
    state: State,
    caller: Caller,
    body: CreationFields,
    new: Collection,
    make: Make[T],
    source: T,
) -> CreatedView:
    """Have `make` make a collection where a body says, of a source.

    Raises REFUSALS.
    """
    dataset, parent_id = collection_folders.target_for(
        state, caller, body.dataset_id, body.parent_id or None
    )
    kind = body.training_type or new.training_type
    tags = tuple(body.tags or ())
    placed = replace(new, parent_id=parent_id, training_type=kind, tags=tags)
    made = make(state, caller, dataset, placed, source)
    return CreatedView(made.id, Results())


class CollectionCreateBody(fields.ProcessingFields, kw_only=True):
    """Where the collection goes, and what it is called."""

    dataset_id: Id
    name: fields.Name
    type: Literal["folder", "virtual"]
    parent_id: fields.Parent = UNSET
    tags: fields.Tags = field(default_factory=list)


def collection_create(state: State, caller: Caller, body: CollectionCreateBody) -> str:
    """Make a collection; gives its id.

    Raises DatasetNotFound, DatasetForbidden, ParentNotFound, CollectionForbidden,
    CollectionTooDeep, LimitReached.
    """
    dataset, parent_id = collection_folders.target_for(
        state, caller, body.dataset_id, body.parent_id or None
    )
    tags = tuple(body.tags)
    new = Collection("", body.name, parent_id, type=body.type, tags=tags)
    return collection_folders.create(state, caller, dataset, new).id


COLLECTION_CREATE = neighbour.operation(
    name="collection.create",
    path="/api/core/dataset/collection/create",
    summary="Create an empty collection, or a folder",
    body=CollectionCreateBody,
    data=str,
    refusals=(
        errors.DatasetNotFound,
        errors.DatasetForbidden,
        errors.ParentNotFound,
        errors.CollectionForbidden,
        errors.CollectionTooDeep,
        errors.LimitReached,
    ),
    perform=collection_create,
    traits=["write"],
    since="4.6",
    modelled="The id of the new collection, which lists show first.",
    differs=(
        "A parent that is in no dataset, or in another one, is refused. Lists show the "
        "`trainingType` of the new collection too."
    ),
)


class CreateTextBody(CreationFields, kw_only=True):
    """The text, and what it is called."""

    name: fields.Name
    text: str


def create_text(state: State, caller: Caller, body: CreateTextBody) -> CreatedView:
    """Make a collection of a text. Raises REFUSALS."""
    size = len(body.text.encode())
    new = Collection("", f"{body.name}.txt", type="file", file_size=size)
    texts = creation.texts_of(body.text, body.chunk_chars)
    return make_collection(state, caller, body, new, creation.create_from_texts, texts)


TEXT = neighbour.operation(
    name="text",
    path="/api/core/dataset/collection/create/text",
    summary="Make a collection of a text",
    body=CreateTextBody,
    data=CreatedView,
    refusals=REFUSALS,
    perform=create_text,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="A collection of type `file`, called as is said and `.txt`, with a "
    "fileId. " + MODELLED,
    differs=DIFFERS,
)


class CreateLinkBody(CreationFields, kw_only=True):
    """The address of the page."""

    link: Annotated[str, Meta(min_length=1, max_length=Limits.name_chars)]


def create_link(state: State, caller: Caller, body: CreateLinkBody) -> CreatedView:
    """Make a collection of a page. Raises InvalidField, REFUSALS."""
    if not is_url(body.link):
        got = errors.describe_value(body.link)
        raise errors.InvalidField(
            f"Expected an http or https URL, got {got} - at $.link"
        )
    new = Collection("", body.link, type="link", raw_link=body.link)
    return make_collection(state, caller, body, new, creation.create_from_texts, [])


def is_url(text: str) -> bool:
    """Whether a text is the address of a page."""
    try:
        parts = urlsplit(text)
        # What is no number is found out when the port is looked at.
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_web = parts.scheme in ("http", "https")
    return is_web and has_host and text.isprintable() and " " not in text


LINK = neighbour.operation(
    name="link",
    path="/api/core/dataset/collection/create/link",
    summary="Make a collection of a page on the web",
    body=CreateLinkBody,
    data=CreatedView,
    refusals=REFUSALS,
    perform=create_link,
    traits=["write"],
    since="4.6",
    modelled="A collection of type `link`, called by its URL. " + MODELLED,
    differs="Nothing is fetched: the collection has no rows, and its name stays the "
    "URL. " + DIFFERS,
)


class UploadedFile(Struct, rename="camel"):
    """The file of the form: its name as it was sent, its size in bytes, its text."""

    name: str
    size: int
    text: str | UnsetType = UNSET


class LocalFileForm(CreationFields, kw_only=True):
    """The form: a part `file`, and the other fields as part `data` or plain parts."""

    file: UploadedFile | UnsetType = UNSET


def create_local_file(state: State, caller: Caller, form: LocalFileForm) -> CreatedView:
    """Make a collection of an uploaded file.

    Raises NoFile, InvalidField, WrongFileType, REFUSALS.
    """
    file = form.file
    if file is UNSET:
        raise errors.NoFile(
            "a part `file` with a file name", "none", "body", "File not found"
        )
    name = decoded_name(file.name, "$.file.name")
    new = Collection("", name, type="file", file_size=file.size)
    texts = [] if file.text is UNSET else creation.texts_of(file.text, form.chunk_chars)
    return make_collection(state, caller, form, new, creation.create_from_upload, texts)


LOCAL_FILE = neighbour.operation(
    name="localFile",
    path="/api/core/dataset/collection/create/localFile",
    summary="Make a collection of a file that is uploaded",
    body=LocalFileForm,
    data=CreatedView,
    refusals=(errors.NoFile, errors.WrongFileType, *REFUSALS),
    perform=create_local_file,
    traits=["write"],
    receive=receive_upload,
    body_limit="upload_bytes",
    media_type="multipart/form-data",
    since="4.6; plain parts beside `data` since 4.16.0",
    modelled="A collection of type `file`, called by the URL-decoded file name, with a "
    "fileId. " + MODELLED,
    differs="Of .txt, .md, .html and .csv the first MiB is read, as plain text; other "
    "types give no rows, so that dataAmount stays 0 when training is over. Journals "
    "and faults see the form as JSON. A form that is broken is told as 400. " + DIFFERS,
)


class CreateFileIdBody(CreationFields, kw_only=True):
    """Which file."""

    file_id: Id


def create_file_id(state: State, caller: Caller, body: CreateFileIdBody) -> CreatedView:
    """Make a collection of a file. Raises FileNotFound, REFUSALS."""
    source = creation.collection_of_file(state, body.file_id)
    new = Collection("", source.name, type="file")
    return make_collection(state, caller, body, new, creation.create_from_file, source)


FILE_ID = neighbour.operation(
    name="fileId",
    path="/api/core/dataset/collection/create/fileId",
    summary="Make a collection of a file that is there already",
    body=CreateFileIdBody,
    data=CreatedView,
    refusals=(errors.FileNotFound, *REFUSALS),
    perform=create_file_id,
    traits=["write"],
    since="4.6",
    modelled="A collection with the name of the file. " + MODELLED,
    differs="A file is there as long as a collection is made of it; the new one gets "
    "the rows that this has now. " + DIFFERS,
)
