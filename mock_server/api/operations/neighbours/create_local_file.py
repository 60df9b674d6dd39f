"""`collection/create/localFile`: make a collection of a file that is uploaded."""

from msgspec import UNSET, Struct, UnsetType

from mock_server.api.multipart import receive_upload
from mock_server.api.operations.neighbours import creation
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.creation import create_from_upload, texts_of
from mock_server.domain.errors import NoFile, WrongFileType
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.domain.uploads import decoded_name


class UploadedFile(Struct, rename="camel"):
    """The file of the form: its name as it was sent, its size in bytes, its text."""

    name: str
    size: int
    text: str | UnsetType = UNSET


class LocalFileForm(creation.CreationFields, kw_only=True):
    """The form: a part `file`, and the other fields as part `data` or plain parts."""

    file: UploadedFile | UnsetType = UNSET


def create_local_file(
    state: State, caller: Caller, form: LocalFileForm
) -> creation.CreatedView:
    """Make a collection of an uploaded file.

    Raises NoFile, InvalidField, WrongFileType, `creation.REFUSALS`.
    """
    file = form.file
    if file is UNSET:
        raise NoFile("a part `file` with a file name", "none", "body", "File not found")
    name = decoded_name(file.name, "$.file.name")
    new = Collection("", name, type="file", file_size=file.size)
    texts = [] if file.text is UNSET else texts_of(file.text, form.chunk_chars)
    return creation.make_collection(state, caller, form, new, create_from_upload, texts)


LOCAL_FILE = neighbour(
    name="localFile",
    path="/api/core/dataset/collection/create/localFile",
    summary="Make a collection of a file that is uploaded",
    body=LocalFileForm,
    data=creation.CreatedView,
    refusals=(NoFile, WrongFileType, *creation.REFUSALS),
    perform=create_local_file,
    traits=["write"],
    receive=receive_upload,
    body_limit="upload_bytes",
    media_type="multipart/form-data",
    since="4.6; plain parts beside `data` since 4.16.0",
    modelled="A collection of type `file`, called by the URL-decoded file name, with a "
    "fileId. " + creation.MODELLED,
    differs="Of .txt, .md, .html and .csv the first MiB is read, as plain text; other "
    "types give no rows, so that dataAmount stays 0 when training is over. Journals "
    "and faults see the form as JSON. A form that is broken is told as 400. "
    + creation.DIFFERS,
)
