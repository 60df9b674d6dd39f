"""`listV2`: a page of a dataset's collections (spec 4.2).

What does not depend on the caller is encoded once for each collection; `permission`,
the last field, is added per page. Pages are kept too: clients ask again and again.
"""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from mock_server.api.operations import body_field, contract
from mock_server.api.operations.operation import Operation
from mock_server.api.response import success_envelope
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import Choices
from mock_server.domain.dataset import Tree
from mock_server.domain.errors import DatasetForbidden, DatasetNotFound, ParentNotFound
from mock_server.domain.limits import Limits
from mock_server.domain.list_request import OMITTED, ListV2
from mock_server.domain.listing import Page, list_v2
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.fixture import document as schema
from mock_server.fixture.collection_writer import writer


class ListV2Body(contract.RequestFields, kw_only=True):
    """Spec 4.2: which page of which collections."""

    offset: Annotated[
        int,
        Meta(ge=0, le=Limits.integer, description="Offset into the result set"),
        body_field.departures(
            missing="offset_missing", without="counted as 0", text="numeric_strings"
        ),
    ]
    page_size: (
        Annotated[
            int,
            Meta(ge=1, le=Limits.page_size, description="Items per page at most"),
            body_field.departures(
                over="page_size_over_limit",
                most="page_size_max",
                text="numeric_strings",
            ),
        ]
        | UnsetType
    ) = UNSET
    dataset_id: Annotated[schema.Id, Meta(description="Identifier of the dataset")]
    parent_id: (
        Annotated[
            str,
            Meta(
                max_length=Limits.id_chars,
                description="Parent folder; null selects top-level collections",
            ),
            body_field.departures(
                empty=("parent_empty_string", "null or the _id of a folder")
            ),
        ]
        | UnsetType
        | None
    ) = UNSET
    search_text: Annotated[
        str,
        Meta(
            max_length=Limits.search_chars,
            description="Matched against names or tags; an empty string is valid",
        ),
    ] = ""


class ListV2Extensions(contract.RequestFields, kw_only=True):
    """What the service takes beside these: pages by number, and filters."""

    page_num: (
        Annotated[
            int,
            Meta(ge=1, le=Limits.integer),
            body_field.departures(text="numeric_strings"),
            body_field.extension("offset_missing", instead_of="offset"),
        ]
        | UnsetType
    ) = UNSET
    select_folder: Annotated[bool, body_field.extension("list_filters")] | UnsetType = (
        UNSET
    )
    filter_tags: (
        Annotated[
            list[str],
            Meta(max_length=Limits.tags),
            body_field.extension("list_filters"),
        ]
        | UnsetType
    ) = UNSET


CONTRACT = contract.Contract("4.2", ListV2Body, ListV2Extensions)


def read(content: bytes, choices: Choices) -> ListV2:
    """The request in a body. Raises BadJson or InvalidField."""
    try:
        body = CONTRACT.decoder.decode(content)
    except contract.NOT_ON_CONTRACT:
        return _departing(CONTRACT.read(content, choices), choices)
    size, parent = body.page_size, body.parent_id
    return ListV2(
        dataset_id=body.dataset_id,
        offset=body.offset,
        page_size=choices.page_size_default if size is UNSET else size,
        parent_id=OMITTED if parent is UNSET else parent,
        search_text=body.search_text,
    )


def _departing(values: Mapping[str, Any], choices: Choices) -> ListV2:
    """The request in a body that departs from the spec in what is tolerated."""
    asked = values.get("pageSize")
    if asked is None:
        asked = choices.page_size_default
    size = min(asked, choices.page_size_max)
    return ListV2(
        dataset_id=values["datasetId"],
        offset=values.get("offset", (values.get("pageNum", 1) - 1) * size),
        page_size=size,
        parent_id=values.get("parentId", OMITTED),
        search_text=values.get("searchText", ""),
        folders_only=values.get("selectFolder", False),
        tags=tuple(values.get("filterTags", ())),
        is_clamped=asked > size,
    )


def appear(request: ListV2, number: int) -> Collection:
    """A collection that is not there, where the request looks for some."""
    parent = request.parent_id if isinstance(request.parent_id, str) else None
    name = f"Appeared {number}"
    return Collection(id=f"appeared-{number}", name=name, parent_id=parent or None)


def follows_from(state: State, caller: Caller, request: ListV2) -> Hashable | None:
    """What the body of a response follows from, but for what is never kept.

    None if the dataset has been changed: then it follows from more than can be named.
    """
    dataset = state.store.dataset(request.dataset_id)
    if dataset is None or type(dataset.tree) is not Tree:
        return None
    return request, dataset, dataset.level_of(caller), state.choices


def encode(page: Page[Collection], state: State) -> bytes:
    """The body of the response: `{"list": [...], "total": N}` in its envelope."""
    choices = state.choices
    look = choices.item_fields, choices.tags_empty
    key = (tuple(page.items), page.total, page.level, *look)
    text = state.texts.get(key)
    return state.texts.put(key, _page_text(page, state)) if text is None else text


def _page_text(page: Page[Collection], state: State) -> bytes:
    items = items_text(page, state)
    return success_envelope(b'{"list":[%b],"total":%d}' % (items, page.total))


def items_text(page: Page[Collection], state: State) -> bytes:
    """The items of a page as JSON objects, with commas between them."""
    items = [_kept_item_text(item, state) for item in page.items]
    end = b',"permission":%b}' % _PERMISSIONS[page.level]
    return (end + b",").join([*items, b""])[:-1] if items else b""


def _kept_item_text(item: Collection, state: State) -> bytes:
    extended = state.choices.item_fields == "extended"
    tags_absent = state.choices.tags_empty == "absent"
    key = item, extended, tags_absent
    text = state.texts.get(key)
    if text is None:
        text = state.texts.put(key, item_text(item, extended, tags_absent))
    return text


class Permission(Struct, rename="camel"):
    """What the caller may do with a collection (spec 2.2)."""

    value: int
    is_owner: bool
    has_manage_per: bool
    has_write_per: bool
    has_read_per: bool


# Derived, so that the fields of a collection are spelled in one place. The last four
# are the deployed service's (choice item_fields=extended).
Item = schema.collection_type(
    "Item", "A collection (spec 2.2).", schema.LISTED_FIELDS, schema.EXTENDED_FIELDS
)
_documented, _extended = writer(Item, schema.DOCUMENTED_FIELDS), writer(Item)

ListedCollection = msgspec.defstruct(
    "ListedCollection",
    [("permission", Permission)],
    bases=(Item,),
    namespace={"__doc__": "A collection as it stands in a page."},
    kw_only=True,
)


class ListedPage(Struct):
    """A page of matching collections, and how many match (spec 4.2)."""

    items: list[ListedCollection] = field(name="list")  # type: ignore[valid-type]
    total: int


def item_text(item: Collection, extended: bool, tags_absent: bool) -> bytes:
    """A collection as a JSON object that still lacks `permission` and its end."""
    shown = (_extended if extended else _documented)(item)
    if extended and shown.create_time is UNSET:
        shown.create_time = shown.update_time
    if tags_absent and not item.tags:
        shown.tags = UNSET
    return msgspec.json.encode(shown)[:-1]


def permission(level: Level) -> Permission:
    """The permission object of spec 2.2 for a caller of that level."""
    return Permission(
        value=level.value,
        is_owner=level is Level.OWNER,
        has_manage_per=level >= Level.MANAGE,
        has_write_per=level >= Level.WRITE,
        has_read_per=level >= Level.READ,
    )


_PERMISSIONS = {level: msgspec.json.encode(permission(level)) for level in Level}


LIST_V2 = Operation(
    name="listV2",
    method="POST",
    path="/api/core/dataset/collection/listV2",
    summary="A page of a dataset's collections",
    contract=CONTRACT,
    data=ListedPage,
    refusals=(DatasetNotFound, ParentNotFound, DatasetForbidden),
    read=read,
    perform=list_v2,
    encode=encode,
    follows_from=follows_from,
    traits=frozenset({"page", "total"}),
    appear=appear,
)
