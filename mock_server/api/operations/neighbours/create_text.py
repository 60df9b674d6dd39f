"""`collection/create/text`: make a collection of a text."""

from mock_server.api.operations.neighbours import creation
from mock_server.api.operations.neighbours.fields import Name
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.creation import create_from_texts, texts_of
from mock_server.domain.records import Collection
from mock_server.domain.state import State


class CreateTextBody(creation.CreationFields, kw_only=True):
    """The text, and what it is called."""

    name: Name
    text: str


def create_text(
    state: State, caller: Caller, body: CreateTextBody
) -> creation.CreatedView:
    """Make a collection of a text. Raises `creation.REFUSALS`."""
    size = len(body.text.encode())
    new = Collection("", f"{body.name}.txt", type="file", file_size=size)
    texts = texts_of(body.text, body.chunk_chars)
    return creation.make_collection(state, caller, body, new, create_from_texts, texts)


TEXT = neighbour(
    name="text",
    path="/api/core/dataset/collection/create/text",
    summary="Make a collection of a text",
    body=CreateTextBody,
    data=creation.CreatedView,
    refusals=creation.REFUSALS,
    perform=create_text,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="A collection of type `file`, called as is said and `.txt`, with a "
    "fileId. " + creation.MODELLED,
    differs=creation.DIFFERS,
)
