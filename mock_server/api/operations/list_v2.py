"""`listV2`: a page of a dataset's collections (spec 4.2).

The text of each collection is encoded once, without `permission`, the last field, which
depends on the caller. Pages are cached too, as clients repeat requests.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

from mock_server.api.envelope import SUCCESS
from mock_server.api.items import within_page
from mock_server.api.operations import body_field, contract
from mock_server.api.operations.operation import (
    DEMO_DATASET,
    Example,
    Operation,
    forbidden_example,
)
from mock_server.domain.access import Level
from mock_server.domain.call import (
    Call,
    DatasetForbidden,
    DatasetNotFound,
    ParentNotFound,
)
from mock_server.domain.choices.table import Choices
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page, list_v2, page_in
from mock_server.domain.listing.request import ListV2
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import facts_of
from mock_server.fixture import document as schema
from mock_server.fixture.record_types import (
    DOCUMENTED_FIELDS,
    EXTENDED_FIELDS,
    LISTED_FIELDS,
    collection_type,
    writer,
)


class ListV2Body(contract.RequestFields, kw_only=True):
    """The fields of spec 4.2: a page, and the collections that it lists."""

    offset: Annotated[
        int,
        Meta(ge=0, le=Published.integer, description="Offset into the result set"),
        body_field.FieldRules(
            missing_violation="offset_missing",
            missing_effect="counted as 0",
            text_violation="numeric_strings",
            hint="page N begins at offset (N - 1) * pageSize",
        ).meta(),
    ]
    page_size: (
        Annotated[
            int,
            Meta(ge=1, le=Published.page_size, description="Items per page at most"),
            body_field.FieldRules(
                max_violation="page_size_over_limit",
                max_choice="page_size_max",
                text_violation="numeric_strings",
            ).meta(),
        ]
        | UnsetType
    ) = UNSET
    dataset_id: Annotated[schema.Id, Meta(description="Identifier of the dataset")]
    parent_id: (
        Annotated[
            str,
            Meta(
                max_length=Published.id_chars,
                description="Parent folder; null selects top-level collections",
            ),
            body_field.FieldRules(
                empty_violation=("parent_empty_string", "null or the _id of a folder")
            ).meta(),
        ]
        | UnsetType
        | None
    ) = UNSET
    search_text: Annotated[
        str,
        Meta(
            max_length=Published.search_chars,
            description="Matched against names or tags; an empty string is valid",
        ),
    ] = ""


_FILTER = body_field.FieldRules(adding_choice="list_filters").meta()


class ListV2Extensions(contract.RequestFields, kw_only=True):
    """Fields that FastGPT reads in addition to the spec's: page number and filters."""

    page_num: (
        Annotated[
            int,
            Meta(ge=1, le=Published.integer),
            body_field.FieldRules(
                text_violation="numeric_strings",
                adding_choice="offset_missing",
                replaced_field="offset",
            ).meta(),
        ]
        | UnsetType
    ) = UNSET
    select_folder: Annotated[bool, _FILTER] | UnsetType = UNSET
    filter_tags: (
        Annotated[list[str], Meta(max_length=Published.tags), _FILTER] | UnsetType
    ) = UNSET


CONTRACT = contract.Contract("4.2", ListV2Body, ListV2Extensions)


def read(content: bytes, choices: Choices, ignored: list[str] | None = None) -> ListV2:
    """Return the request in a body; add hints on ignored fields to `ignored`.

    Raises BadJson or InvalidField.
    """
    try:
        body = CONTRACT.decoder.decode(content)
    except contract.DECODE_ERRORS:
        # The body violates the spec; choices may tolerate that.
        values = CONTRACT.values(content, choices, ignored)
        requested = values.get("pageSize", choices.page_size_default)
        size = min(requested, choices.page_size_max)
        return ListV2(
            dataset_id=values["datasetId"],
            offset=values.get("offset", (values.get("pageNum", 1) - 1) * size),
            page_size=size,
            parent_id=values.get("parentId", UNSET),
            search_text=values.get("searchText", ""),
            folders_only=values.get("selectFolder", False),
            tags=tuple(values.get("filterTags", ())),
            is_clamped=requested > size,
        )
    size = body.page_size
    return ListV2(
        dataset_id=body.dataset_id,
        offset=body.offset,
        page_size=choices.page_size_default if size is UNSET else size,
        parent_id=body.parent_id,
        search_text=body.search_text,
    )


def invent_collection(request: ListV2, number: int) -> Collection:
    """Return an invented collection in the requested folder, for fault page_drift."""
    parent = request.parent_id if isinstance(request.parent_id, str) else None
    name = f"Appeared {number}"
    return Collection(id=f"appeared-{number}", name=name, parent_id=parent or None)


def handle_and_encode(call: Call, request: ListV2) -> bytes:
    """Return the body of the response, cached for repeated requests.

    Only a loaded dataset is cached by request: the page of a changed one depends on
    more than the key, and the cache would hold one that was put after its removal.
    """
    state, dataset = call.state, call.store.dataset(request.dataset_id)
    loaded = call.store.fixture.datasets.get(request.dataset_id)
    if dataset is None or dataset is not loaded:
        return encode(list_v2(call, request), state)
    level = dataset.level_of(call.caller)
    key = request, dataset, level
    text = state.texts.get(key)
    if text is None:
        text = _page_text(page_in(dataset, level, request, state), state)
        # Do not cache a page with notes: each journal entry needs its own.
        if not state.notes:
            state.texts.put(key, text)
    return text


def encode(page: Page[Collection], state: State) -> bytes:
    """Return the response body: `{"list": [...], "total": N}` in its envelope."""
    key = tuple(page.items), page.total, page.level
    text = state.texts.get(key)
    return state.texts.put(key, _page_text(page, state)) if text is None else text


def _page_text(page: Page[Collection], state: State) -> bytes:
    return _BODY % (items_text(page, state), page.total)


_BODY = SUCCESS % b'{"list":[%b],"total":%d}'


def items_text(page: Page[Collection], state: State) -> bytes:
    """Return the items of a page as JSON objects, separated by commas."""
    items = [*within_page(_cached_item_text(item, state) for item in page.items)]
    is_extended = state.choices.item_fields == "extended"
    view = _ROLES if is_extended else _PERMISSIONS
    end = b',"permission":%b}' % view[page.level]
    return (end + b",").join([*items, b""])[:-1] if items else b""


def _cached_item_text(item: Collection, state: State) -> bytes:
    """Return a collection as JSON, without `permission` and the closing brace."""
    text = state.texts.get(item)
    if text is None:
        extended = state.choices.item_fields == "extended"
        tags_absent = state.choices.tags_empty == "absent"
        view = item_view(item, extended, tags_absent)
        training = b""
        # `state.facts` would add a note, and a page with notes is not cached.
        if extended and facts_of(state.choices.version).items_have_training_fields:
            training = b"," + msgspec.json.encode(_training(item))[1:-1]
        elif extended and not (item.training_amount or item.has_error):
            view.has_error = UNSET
        # Still without `permission` and the closing brace.
        text = msgspec.json.encode(view)[:-1] + training
        state.texts.put(item, text)
    return text


class Training(Struct, rename="camel"):
    """Progress of a collection's training."""

    active_training_amount: int
    final_error_amount: int
    slowest_training_status: str
    slowest_training_mode: str | UnsetType = UNSET


def _training(item: Collection) -> Training:
    count, errors = item.training_amount, int(item.has_error)
    if count:
        return Training(count, errors, "running", item.training_mode)
    return Training(0, errors, "error" if errors else "ready")


class Permission(Struct, rename="camel"):
    """The caller's permissions for a collection (spec 2.2)."""

    value: int
    is_owner: bool
    has_manage_per: bool
    has_write_per: bool
    has_read_per: bool


class Roles(Permission):
    """The caller's permissions and roles; related routes always show both."""

    role: int
    has_manage_role: bool
    has_write_role: bool
    has_read_role: bool


# The fields come from `fixture.record_types`. EXTENDED_FIELDS are those that only
# FastGPT shows (choice item_fields=extended).
Item = collection_type(
    "Item", "A collection (spec 2.2).", LISTED_FIELDS, EXTENDED_FIELDS
)
_documented, _extended = writer(Item, DOCUMENTED_FIELDS), writer(Item)

ListedCollection = msgspec.defstruct(
    "ListedCollection",
    [
        ("permission", Permission),
        *(
            (each.name, each.type | UnsetType, UNSET)
            for each in structs.fields(Training)
        ),
    ],
    bases=(Item,),
    rename="camel",
    namespace={"__doc__": "A collection in a page."},
    kw_only=True,
)


class ListedPage(Struct):
    """A page of matching collections, and the number of all matches (spec 4.2)."""

    items: list[ListedCollection] = field(name="list")  # type: ignore[valid-type]
    total: int


def item_view(item: Collection, extended: bool, tags_absent: bool) -> Any:
    """Return a collection as an `Item`, which lacks `permission`."""
    view = (_extended if extended else _documented)(item)
    if extended and view.create_time is UNSET:
        view.create_time = view.update_time
    if tags_absent and not item.tags:
        view.tags = UNSET
    return view


def permission(level: Level) -> Permission:
    """Return the permission object of spec 2.2 for a caller's level."""
    return Permission(
        value=level.value,
        is_owner=level is Level.OWNER,
        has_manage_per=level >= Level.MANAGE,
        has_write_per=level >= Level.WRITE,
        has_read_per=level >= Level.READ,
    )


def roles(level: Level) -> Roles:
    """Return FastGPT's permission object, with roles, for a caller's level."""
    view = permission(level)
    return Roles(
        **structs.asdict(view),
        role=view.value,
        has_manage_role=view.has_manage_per,
        has_write_role=view.has_write_per,
        has_read_role=view.has_read_per,
    )


_ROLES = {level: msgspec.json.encode(roles(level)) for level in Level}
_PERMISSIONS = {level: msgspec.json.encode(permission(level)) for level in Level}


_PAGE = {"offset": 0, "pageSize": 2, "datasetId": DEMO_DATASET, "parentId": None}
_SEARCH = {
    "offset": 0,
    "datasetId": DEMO_DATASET,
    "parentId": "65b1c0de9d1448617cba7001",
    "searchText": "INSTALL",
}

LIST_V2 = Operation(
    name="listV2",
    method="POST",
    path="/api/core/dataset/collection/listV2",
    summary="Get a page of a dataset's collections",
    chinese="知识库集合的一页",
    contract=CONTRACT,
    data_type=ListedPage,
    refusals=(DatasetNotFound, ParentNotFound, DatasetForbidden),
    read=read,
    handle=list_v2,
    encode=encode,
    handle_and_encode=handle_and_encode,
    traits=frozenset({"page", "total"}),
    invent_item=invent_collection,
    examples=(
        Example("topLevel", "The first two collections of the top level", _PAGE),
        Example("search", "What matches in a folder", _SEARCH),
        Example("invalidField", "A page of more than 30", _PAGE | {"pageSize": 50}),
        Example("datasetNotFound", "An unknown dataset", _PAGE | {"datasetId": "none"}),
        Example("parentNotFound", "An unknown folder", _PAGE | {"parentId": "none"}),
        forbidden_example(**_PAGE | {"datasetId": "65e0000000000000000000d1"}),
    ),
)
