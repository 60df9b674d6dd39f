"""Lists of a dataset's collections (spec 4.2)."""

from collections.abc import Set
from typing import Annotated, Any, cast

from msgspec import UNSET, Meta, Struct, UnsetType, json, to_builtins
from msgspec.structs import replace

from mock_server import errors
from mock_server.choices import Choices, profile
from mock_server.salvage import fields_of
from mock_server.service.call import Call
from mock_server.service.collections import DEMO_DATASET, OF_FOLDER, PATH
from mock_server.service.fields import Fields
from mock_server.service.operation import Operation
from mock_server.service.rights import rights
from mock_server.service.views import Page
from mock_server.store.objects import (
    NOT_LISTED,
    ROOT,
    Collection,
    Dataset,
    Id,
    Level,
    Permission,
    TagNumber,
    ValuedTag,
    folded,
    page_json,
)


class ListV2(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A page, and the collections that it lists (spec 4.2)."""

    offset: Annotated[int, Meta(ge=0)]
    page_size: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    dataset_id: Id
    parent_id: Annotated[str, Meta(max_length=256)] | UnsetType | None = UNSET
    search_text: Annotated[str, Meta(max_length=1024)] = ""


class FilteredListV2(ListV2, kw_only=True):
    """The same with the filters that both other values of choice list_filters have."""

    select_folder: bool = False
    simple: bool = False
    """Whether nothing is counted."""

    def tagged(self, dataset: Dataset, items: list[Collection]) -> list[Collection]:
        """The collections that have the tags that are wanted."""
        return items


class TagListV2(FilteredListV2, kw_only=True):
    """The filters of list_filters=honour: ids of tags, of which one must be there."""

    filter_tags: Annotated[tuple[str, ...], Meta(max_length=100)] = ()

    def tagged(self, dataset: Dataset, items: list[Collection]) -> list[Collection]:
        wanted = {*self.filter_tags}
        if not wanted:
            return items
        found = []
        for item in items:
            ids = map(dataset.tag_id, item.tag_names)
            if not wanted.isdisjoint(ids):
                found.append(item)
        return found


class TagFilter(Struct, rename="camel", frozen=True):
    """The id of a tag, and values of which one must be there."""

    tag_id: Annotated[str, Meta(pattern="^[0-9a-fA-F]{24}$", description="24 hexadecimal digits")]
    values: Annotated[
        tuple[Annotated[str, Meta(min_length=1)] | TagNumber, ...], Meta(min_length=1)
    ]


class TagValueListV2(FilteredListV2, kw_only=True):
    """The filters of list_filters=tag_values: values of tags, which must all be there."""

    tag_filters: tuple[TagFilter, ...] = ()

    def tagged(self, dataset: Dataset, items: list[Collection]) -> list[Collection]:
        # Of one tag any value will do, even in two filters.
        wanted: dict[str, set[str | float]] = {}
        for each in self.tag_filters:
            wanted.setdefault(each.tag_id, set()).update(each.values)
        for tag_id, values in wanted.items():
            items = [it for it in items if has_value(dataset, it, tag_id, values)]
        return items


def has_value(dataset: Dataset, item: Collection, tag_id: str, values: Set[str | float]) -> bool:
    """Whether a collection has a tag with one of these values."""
    for tag in item.tags:
        if not isinstance(tag, ValuedTag) or not tag.has_one_of(values):
            continue
        if dataset.tag_id(tag.tag) == tag_id:
            return True
    return False


LISTS: dict[str, type[ListV2]] = {
    "ignore": ListV2,
    "honour": TagListV2,
    "tag_values": TagValueListV2,
}
"""The type of requests under each value of choice list_filters."""
OF_SPEC = {it.encode_name for it in fields_of(ListV2)}
MAX_SERVICE_TEXT = 100
PERMISSIONS = {
    "documented": {level: json.encode(Permission.of(level)) for level in Level},
    "service": {level: json.encode(rights("dataset", level)) for level in Level},
}
"""The JSON of a `permission` (spec 2.2) under each value of choice item_fields."""
AS_THE_SERVICE = profile("deployed")
NUMBERS = ("offset", "pageSize", "pageNum")
SPEC_MAX = 30
"""The maximum of a pageSize (spec 8)."""


class ListedCollection(Collection, rename="camel", frozen=True, kw_only=True, dict=True):
    """A collection in a list (spec 2.2); with item_fields=service, how its training goes."""

    permission: Permission
    active_training_amount: int | UnsetType = UNSET
    final_error_amount: int | UnsetType = UNSET
    slowest_training_status: str | UnsetType = UNSET
    slowest_training_mode: str | UnsetType = UNSET


def tolerate_list(call: Call, body: Fields) -> Fields:
    """Rewrite numbers as strings and a missing offset, where the choices allow it."""
    choices = call.choices
    body = {**body}
    # Filters of the choice are no fields of the spec.
    for each in fields_of(LISTS[choices.list_filters]):
        name = each.encode_name
        if name in body and name not in OF_SPEC:
            call.note("list_filters", "4.2", f"$.{name}", "a field that the spec does not have")
    if choices.numeric_strings == "accept":
        read_numbers(call, body)
    # A page by its number is one by its offset.
    if choices.offset_missing == "accept" and ("offset" not in body or "pageNum" in body):
        call.note("offset_missing", "4.2", "$", "no offset, or a pageNum")
        page = body.pop("pageNum", 1)
        if "offset" not in body:
            body["offset"] = offset_of(page, body.get("pageSize"), choices)
    return body


def read_numbers(call: Call, body: Fields) -> None:
    """Replace numbers that are strings."""
    for name in NUMBERS:
        text = body.get(name)
        if isinstance(text, str) and text.isdecimal() and text.isascii():
            call.note("numeric_strings", "4.2", f"$.{name}", "a number as a string")
            # More digits are past any end, or over any limit.
            body[name] = int(text[:20])


def offset_of(page: object, size: object, choices: Choices) -> int:
    """The offset of a page, by its number. Raises InvalidField."""
    if isinstance(page, bool) or not isinstance(page, int) or page < 1:
        raise errors.InvalidField("a pageNum of at least 1", page, "$.pageNum")
    # A wrong size is refused as such.
    if not isinstance(size, int):
        size = choices.page_size_default
    return (page - 1) * min(size, choices.page_size_max)


@Operation(
    "POST",
    f"{PATH}/listV2",
    section="4.2",
    access="documented",
    refusals=OF_FOLDER,
    example={"offset": 0, "pageSize": 10, "datasetId": DEMO_DATASET, "parentId": None},
    differs="A pageSize or pageNum below 1, an offset that is negative or empty, and an empty "
    "datasetId are 400. The service lists all for a pageSize of 0, takes a negative one and an "
    "empty offset, and answers the others with 500.",
    tolerate=tolerate_list,
    extended=lambda it: LISTS[it.list_filters],
)
def list_v2(call: Call, body: ListV2) -> Page[ListedCollection]:
    """List a page of a dataset's collections."""
    size = page_size(call, body)
    if call.choices.search_text == "service":
        body = replace(body, search_text=text_searched(body.search_text))
    dataset, found = matching(call, body, call.choices)
    page = found[body.offset : body.offset + size]
    if isinstance(body, FilteredListV2) and body.simple:
        page = uncounted(page)
    permissions = PERMISSIONS[call.choices.item_fields]
    items = page_json(
        page,
        permissions[call.caller.level_on(dataset)],
        documented=call.choices.item_fields == "documented",
        empty_tags=call.choices.tags_empty == "list",
        typed_tags=call.choices.tag_form == "typed",
    )
    # It is their JSON already: a collection is encoded once for all lists.
    return Page(cast(list[ListedCollection], items), len(found))


def uncounted(collections: list[Collection]) -> list[Collection]:
    """The same, as if they had no rows."""
    return [replace(it, data_amount=0, training_amount=0, has_error=False) for it in collections]


def text_searched(text: str) -> str:
    """The text for which the service searches. Raises InvalidField."""
    if len(text) > MAX_SERVICE_TEXT:
        expected = f"a searchText of at most {MAX_SERVICE_TEXT} characters"
        raise errors.InvalidField(expected, text, "$.searchText")
    return text.replace("'", "")


def matching(call: Call, body: ListV2, choices: Choices) -> tuple[Dataset, list[Collection]]:
    """The dataset, and its collections that match. Raises as `Call.dataset` and `in_scope`."""
    dataset = call.dataset(body.dataset_id, Level.NONE, no_id=errors.CAST)
    inside = in_scope(call, dataset, body, choices)
    # Whether the caller may read it comes after what exists.
    call.dataset(dataset.id)
    with_text = searched(inside, body.search_text, choices)
    found = with_text
    if isinstance(body, FilteredListV2):
        if body.select_folder:
            found = [it for it in found if it.type == "folder"]
        found = body.tagged(dataset, found)
    if len(found) <= body.offset:
        call.hint = empty_hint(body, len(inside), len(with_text), len(found))
    return dataset, found


def empty_hint(body: ListV2, inside: int, searched: int, found: int) -> str:
    """Which condition has emptied a page, by the numbers of collections that each left."""
    if found:
        return f"The offset {body.offset} is past the end: {found} collections match."
    if searched:
        return f"The filters of folders and tags leave none of {searched} collections."
    if inside:
        return f"The searchText {body.search_text!r} is in none of {inside} collections."
    if body.parent_id:
        return f"The folder {body.parent_id!r} has no collections there."
    return "The dataset has no collections there."


def in_scope(call: Call, dataset: Dataset, body: ListV2, choices: Choices) -> list[Collection]:
    """The collections among which a list looks, in its order. Raises ParentNotFound."""
    found = dataset.ordered(choices.list_order)
    parent = body.parent_id
    if body.search_text and choices.search_scope == "dataset":
        return found.items
    if body.search_text and choices.search_scope == "subtree":
        return below(dataset, found.items, parent or ROOT)
    if parent is UNSET and choices.parent_omitted == "any":
        return found.items
    if parent is UNSET or (parent == "" and choices.parent_empty_string == "root"):
        parent = ROOT
    if parent is not ROOT and parent not in dataset.collections:
        check_unknown(call, parent, choices)
    return found.children.get(parent, [])


def below(dataset: Dataset, items: list[Collection], parent: str | None) -> list[Collection]:
    """Those of the items that are in a folder, at any depth; an unknown folder has none."""
    if parent is ROOT:
        return items
    if parent not in dataset.collections:
        return []
    _, *inside = dataset.below(parent)
    ids = {it.id for it in inside}
    return [it for it in items if it.id in ids]


def check_unknown(call: Call, parent: str, choices: Choices) -> None:
    """Raises ParentNotFound, unless an unknown folder is empty, as in the service."""
    refusal = errors.ParentNotFound("null or the _id of a collection", parent, "$.parentId")
    casts = choices.error_form == "service" and not errors.can_be_id(parent)
    if choices.parent_unknown == "empty" and not casts:
        return
    refusal.service = errors.UNKNOWN_FOLDER
    is_foreign = any(parent in it.collections for it in call.store.datasets.values())
    if choices.parent_unknown == "not_found" and is_foreign:
        refusal.service = errors.FOREIGN_FOLDER
        raise refusal
    raise errors.of_id(refusal, parent, errors.CAST)


def searched(items: list[Collection], text: str, choices: Choices) -> list[Collection]:
    """The collections whose name, or a tag, contains the text."""
    if not text:
        return items
    needle = folded(text)
    in_tags = choices.search_fields == "name_and_tags"
    return [it for it in items if contains(it, needle, in_tags)]


def contains(item: Collection, needle: str, in_tags: bool) -> bool:
    if needle in item.folded_name:
        return True
    return in_tags and any(needle in tag for tag in item.folded_tags)


def page_size(call: Call, body: ListV2) -> int:
    """The size of the page. Raises InvalidField if it is over the limit (spec 8)."""
    size = body.page_size
    if size is UNSET:
        return call.choices.page_size_default
    if size <= SPEC_MAX:
        return size
    # A size over the spec's maximum may be within that of the choice.
    most = call.choices.page_size_max
    name = "page_size_max" if size <= most else "page_size_over_limit"
    call.note(name, "8", "$.pageSize", f"Expected at most {SPEC_MAX}, got {size}")
    if size > most and call.choices.page_size_over_limit == "reject":
        raise errors.InvalidField(f"a pageSize of at most {most}", size, "$.pageSize")
    return min(size, most)


class NumberedPage(Struct, rename="camel"):
    """A page of a list, by its number, and the number of all its items."""

    page_num: int
    page_size: int
    data: list[dict[str, Any]]
    total: int


@Operation("POST", f"{PATH}/list", refusals=OF_FOLDER, example={"datasetId": DEMO_DATASET})
def collection_list(
    call: Call,
    dataset_id: str,
    page_num: Annotated[int, Meta(ge=1)] = 1,
    page_size: Annotated[int, Meta(ge=1, le=100)] = 10,
    parent_id: str | None = None,
    search_text: str = "",
    select_folder: bool = False,
    filter_tags: tuple[str, ...] = (),
    simple: bool = False,
) -> NumberedPage:
    """List a page of a dataset's collections, by its number; `simple` lists all, uncounted."""
    wanted = TagListV2(
        offset=(page_num - 1) * page_size,
        dataset_id=dataset_id,
        parent_id=parent_id,
        search_text=search_text,
        select_folder=select_folder,
        filter_tags=filter_tags,
    )
    dataset, found = matching(call, wanted, AS_THE_SERVICE)
    page = found[wanted.offset : wanted.offset + page_size]
    if simple:
        page = uncounted(found)
    permission = rights("dataset", call.caller.level_on(dataset))
    items = []
    for each in page:
        own = {"has_error": UNSET, "tags": each.tag_names or UNSET}
        shown = replace(each, **each.optional_fields, **NOT_LISTED, **own)
        items.append({**to_builtins(shown), "permission": permission})
    return NumberedPage(page_num, page_size, items, len(found))
