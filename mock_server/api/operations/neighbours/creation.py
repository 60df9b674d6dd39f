"""What routes share that make collections of texts, links and files."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from mock_server.api.operations.neighbours.fields import (
    Label,
    Parent,
    ProcessingFields,
    Tags,
)
from mock_server.domain.access import Caller, Level
from mock_server.domain.collection_folders import parent_for
from mock_server.domain.dataset import Dataset
from mock_server.domain.errors import (
    CollectionForbidden,
    CollectionTooDeep,
    DatasetForbidden,
    DatasetNotFound,
    LimitReached,
    ParentNotFound,
    Refusal,
)
from mock_server.domain.limits import Limits
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.domain.targets import dataset_for
from mock_server.fixture.document import Id
from mock_server.views import View

T = TypeVar("T")
Make = Callable[[State, Caller, Dataset, Collection, T], Collection]

REFUSALS: tuple[type[Refusal], ...] = (
    DatasetNotFound,
    DatasetForbidden,
    ParentNotFound,
    CollectionForbidden,
    CollectionTooDeep,
    LimitReached,
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


class CreationFields(ProcessingFields, kw_only=True):
    """Where a new collection goes, and how it is processed."""

    dataset_id: Id
    parent_id: Parent = UNSET
    tags: Tags | None = None
    training_type: Label | UnsetType | None = UNSET
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
    fields: CreationFields,
    new: Collection,
    make: Make[T],
    source: T,
) -> CreatedView:
    """Have `make` make a collection where the fields say, of a source.

    Raises REFUSALS.
    """
    dataset = dataset_for(state, caller, fields.dataset_id, Level.WRITE, "$.datasetId")
    made = make(state, caller, dataset, _placed(state, dataset, fields, new), source)
    return CreatedView(made.id, Results())


def _placed(
    state: State, dataset: Dataset, fields: CreationFields, new: Collection
) -> Collection:
    parent_id = parent_for(state, dataset, fields.parent_id or None)
    kind = fields.training_type or new.training_type
    tags = tuple(fields.tags or ())
    return replace(new, parent_id=parent_id, training_type=kind, tags=tags)
