"""What the older lists of collections share: which collections they are of."""

from msgspec import UNSET, field

from mock_server.api.operations.neighbours.fields import Flag, Parent, SearchText, Tags
from mock_server.api.operations.neighbours.neighbour import PagedFields
from mock_server.domain.listing import OMITTED, ListV2
from mock_server.domain.records import Collection
from mock_server.fixture.document import Id


class CollectionFilter(PagedFields, kw_only=True):
    """Which collections of which dataset; counting is not left out (`simple`)."""

    dataset_id: Id
    parent_id: Parent = UNSET
    search_text: SearchText = ""
    select_folder: bool = False
    filter_tags: Tags = field(default_factory=list)
    simple: Flag = UNSET


def list_request(
    body: CollectionFilter, offset: int, page_size: int, tags: tuple[str, ...]
) -> ListV2:
    """The same request as listV2 has it."""
    return ListV2(
        dataset_id=body.dataset_id,
        offset=offset,
        page_size=page_size,
        parent_id=OMITTED if body.parent_id is UNSET else body.parent_id,
        search_text=body.search_text,
        folders_only=body.select_folder,
        tags=tags,
    )


def appear(body: CollectionFilter, number: int) -> Collection:
    """A collection that is not there, where the request looks for some."""
    parent = body.parent_id or None
    return Collection(f"appeared-{number}", f"Appeared {number}", parent)
