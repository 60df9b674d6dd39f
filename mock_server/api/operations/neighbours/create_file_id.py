"""`collection/create/fileId`: make a collection of a file that is there already."""

from mock_server.api.operations.neighbours import creation
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.creation import collection_of_file, create_from_file
from mock_server.domain.errors import FileNotFound
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class CreateFileIdBody(creation.CreationFields, kw_only=True):
    """Which file."""

    file_id: Id


def create_file_id(
    state: State, caller: Caller, body: CreateFileIdBody
) -> creation.CreatedView:
    """Make a collection of a file. Raises FileNotFound, `creation.REFUSALS`."""
    source = collection_of_file(state, body.file_id)
    new = Collection("", source.name, type="file")
    return creation.make_collection(state, caller, body, new, create_from_file, source)


FILE_ID = neighbour(
    name="fileId",
    path="/api/core/dataset/collection/create/fileId",
    summary="Make a collection of a file that is there already",
    body=CreateFileIdBody,
    data=creation.CreatedView,
    refusals=(FileNotFound, *creation.REFUSALS),
    perform=create_file_id,
    traits=["write"],
    since="4.6",
    modelled="A collection with the name of the file. " + creation.MODELLED,
    differs="A file is there as long as a collection is made of it; the new one gets "
    "the rows that this has now. " + creation.DIFFERS,
)
