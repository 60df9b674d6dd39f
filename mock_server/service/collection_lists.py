"""Lists of a dataset's collections (spec 4.2)."""

from functools import partial
from math import isfinite, isnan
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, json
from msgspec.structs import replace

from mock_server import errors
from mock_server.choices import Choices, Served, profile_choices
from mock_server.service.call import Call
from mock_server.service.collections import (
    PATH,
    TRAINING_FIELDS,
    ListedCollection,
    service_fields,
    training_progress,
)
from mock_server.service.demo_ids import DEMO_DATASET
from mock_server.service.operation import Fields, Operation
from mock_server.service.pages import ALL, Page, list_page, page_offset, requested_page
from mock_server.service.request_fields import struct_from
from mock_server.service.rights import Permission, rights
from mock_server.store.account import subtree_ids
from mock_server.store.objects import (
    FOLDER,
    ROOT,
    Collection,
    Dataset,
    Id,
    Level,
    Number,
    SpecFields,
    fold_text,
    omit,
)
from mock_server.text.javascript import js_number
from mock_server.text.wording import count_in_words


class ListV2Request(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A request for a page of collections (spec 4.2)."""

    offset: Annotated[int, Meta(ge=0)]
    page_size: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    dataset_id: Id
    parent_id: Annotated[str, Meta(max_length=256)] | UnsetType | None = UNSET
    search_text: Annotated[str, Meta(max_length=1024)] = ""


class FilteredListV2Request(ListV2Request, kw_only=True):
    """A request with the filters that list_filters=honour and list_filters=tag_values share."""

    select_folder: bool = False
    simple: bool = False
    """Whether collections are listed without counts."""


class TagListV2Request(FilteredListV2Request, kw_only=True):
    """The filters of list_filters=honour: a collection must have one of these tags, named by id."""

    filter_tags: Annotated[tuple[str, ...], Meta(max_length=100)] = ()


class TagFilter(Struct, rename="camel", frozen=True):
    """The id of a tag, and the values of which the tag must have one."""

    tag_id: Annotated[
        str, Meta(pattern=r"^[0-9a-fA-F]{24}$(?!\n)", description="24 hexadecimal digits")
    ]
    values: Annotated[tuple[Annotated[str, Meta(min_length=1)] | Number, ...], Meta(min_length=1)]


class TagValueListV2Request(FilteredListV2Request, kw_only=True):
    """The filters of list_filters=tag_values: each tag must have one of its values."""

    tag_filters: tuple[TagFilter, ...] = ()


REQUEST_TYPES: dict[str, type[ListV2Request]] = {
    "ignore": ListV2Request,
    "honour": TagListV2Request,
    "tag_values": TagValueListV2Request,
}
"""The type of requests under each value of choice list_filters."""
LIST_REQUEST_FIELDS = ListV2Request.__struct_encode_fields__
MAX_SERVICE_TEXT = 100
"""The most characters of a searchText that FastGPT 4.16 takes."""
SERVICE_CHOICES = profile_choices("fastgpt-4.16")
"""The choices of the older list, which is no operation of the spec."""
UNDOCUMENTED_FIELDS = {*Collection.__struct_fields__} - {*SpecFields.__struct_fields__}
"""The fields of a collection that the spec does not have."""
UNLISTED_FIELDS = {"external_file_url": UNSET, "api_file_id": UNSET, "details": UNSET}
"""Changes that unset the fields which lists of FastGPT leave out."""
WITHOUT_TRAINING = dict.fromkeys(("has_error", *TRAINING_FIELDS), UNSET)
"""Changes that unset the fields which the older list leaves out."""
NUMBER_FIELDS = ("offset", "pageSize", "pageNum")
SPEC_MAX_PAGE_SIZE = 30
"""The maximum of a pageSize (spec 8)."""


def prepare_list(call: Call, body: Fields) -> Fields:
    """Read strings as numbers, and add a missing offset, if the choices allow that."""
    body = {**body}
    choices = call.choices
    # The filters of choice list_filters are not in the spec, so they are violations.
    for name in REQUEST_TYPES[choices.list_filters].__struct_encode_fields__:
        if name in body and name not in LIST_REQUEST_FIELDS:
            call.note_violation("list_filters", f"$.{name}", "a field that the spec does not have")
    if call.release.pages_by_size:
        offset, size = requested_page(call, default_size=choices.page_size_default)
        return omit(body, NUMBER_FIELDS) | {"offset": offset, "pageSize": size}
    numbers: tuple[str, ...] = ()
    if choices.numeric_strings == "accept":
        numbers = NUMBER_FIELDS[:2]
        if choices.offset_missing == "accept":
            numbers = NUMBER_FIELDS
    for name in numbers:
        value = body.get(name)
        if isinstance(value, str) or (isinstance(value, float) and isfinite(value)):
            if isinstance(value, str):
                call.note_violation("numeric_strings", f"$.{name}", "a number as a string")
            body[name] = whole_number(value, f"$.{name}")
    # A pageNum replaces a missing offset; beside an offset it must be a number, too.
    has_offset = "offset" in body
    if choices.offset_missing == "accept" and (not has_offset or "pageNum" in body):
        served: Served | None = "otherwise" if has_offset else None
        call.note_violation("offset_missing", "$", "no offset, or a pageNum", served=served)
        page_num = body.pop("pageNum", 1)
        if isinstance(page_num, bool) or not isinstance(page_num, int | float | str):
            raise errors.InvalidField("a number", page_num, "$.pageNum")
        if not has_offset:
            body["offset"] = offset_of(page_num, body.get("pageSize"), choices)
    return body


def whole_number(value: str | float, where: str) -> int:
    """The number that a text is in JavaScript, without its fraction. Raises FailedField."""
    number = js_number(value)
    if isnan(number):
        raise errors.FailedField("a number", value, where)
    # A cut number is still past any end or limit.
    return int(max(-ALL, min(number, ALL)))


def offset_of(page_num: object, size: object, choices: Choices) -> int:
    """The offset of the page with this number, as a client sent it. Raises InvalidField."""
    if isinstance(page_num, bool) or not isinstance(page_num, int) or page_num < 1:
        raise errors.InvalidField("a pageNum of at least 1", page_num, "$.pageNum")
    # A wrong size is refused later, as such.
    if not isinstance(size, int) or size < 1:
        size = choices.page_size_default
    return int(page_offset(page_num, min(size, choices.page_size_max)))


@Operation(
    "POST",
    f"{PATH}/listV2",
    section="4.2",
    access="key",
    refusals=errors.FOLDER_REFUSALS,
    example={"offset": 0, "pageSize": 10, "datasetId": DEMO_DATASET, "parentId": None},
    prepare=prepare_list,
    request_type_under=lambda it: REQUEST_TYPES[it.list_filters],
)
def list_v2(call: Call, body: ListV2Request) -> Page[ListedCollection]:
    """List a page of a dataset's collections."""
    size = checked_page_size(call, body)
    if call.choices.search_text == "service":
        body = replace(body, search_text=clean_search_text(call, body.search_text))
    dataset, matches = find_matches(call, body, call.choices)
    is_simple = isinstance(body, FilteredListV2Request) and body.simple
    choices = call.choices
    level = call.caller.level_on(dataset)
    # A collection is encoded once for each form that these choices and levels give it.
    form = (choices.item_fields, choices.tag_form, choices.tags_empty, level)

    def view_of(collection: Collection) -> Raw:
        if is_simple:
            collection = without_counts(collection)
        encoded = collection.encoded
        if form not in encoded:
            encoded[form] = Raw(json.encode(list_item(collection, choices, level)))
        return encoded[form]

    return list_page(call, matches, (body.offset, size), view_of)


def list_item(collection: Collection, choices: Choices, level: Level) -> ListedCollection:
    """A collection in a list, for a caller with this permission on its dataset."""
    unset: dict[str, Any] = dict.fromkeys(UNDOCUMENTED_FIELDS, UNSET)
    fields = unset | {"forbid": bool(collection.forbid)}
    permission: Any = Permission.of(level)
    if choices.item_fields == "service":
        fields = service_fields(collection) | training_progress(collection) | UNLISTED_FIELDS
        permission = rights("dataset", level)
    tags: Any = collection.tags_in_form(choices.tag_form)
    if not tags and choices.tags_empty == "absent":
        tags = UNSET
    return struct_from(ListedCollection, collection, **fields, permission=permission, tags=tags)


def without_counts(collection: Collection) -> Collection:
    """A collection with counts of 0, and without errors."""
    return replace(collection, data_amount=0, training_amount=0, has_error=False)


def clean_search_text(call: Call, text: str) -> str:
    """The text without `'`, as in listV2.ts of FastGPT 4.16. Raises InvalidField if too long."""
    if len(text) > MAX_SERVICE_TEXT and call.release.limits_search_text:
        expected = f"a searchText of at most {MAX_SERVICE_TEXT} characters"
        raise errors.InvalidField(expected, text, "$.searchText")
    return text.replace("'", "")


def find_matches(
    call: Call, body: ListV2Request, choices: Choices
) -> tuple[Dataset, list[Collection]]:
    """The dataset, and its collections that match. A hint on an empty page is left in the call.

    Raises DatasetNotFound, DatasetForbidden, ParentNotFound.
    """
    dataset = call.require_dataset(body.dataset_id, Level.NONE, if_malformed=errors.CAST_FAILED)
    if body.search_text and choices.search_scope != "folder":
        in_scope = search_scope(dataset, body, choices)
    else:
        in_scope = folder_scope(call, dataset, body, choices)
    # An unknown dataset or folder is refused before a missing permission.
    call.require_dataset(dataset.id)
    with_text = filter_by_text(in_scope, body.search_text, choices)
    matches = with_text
    if isinstance(body, FilteredListV2Request):
        if body.select_folder:
            matches = [it for it in matches if it.type == FOLDER]
        matches = filter_by_tags(matches, body, dataset)
    if len(matches) <= body.offset:
        call.hint = empty_hint(body, len(in_scope), len(with_text), len(matches))
        if len(in_scope) > len(with_text) == 0 and choices.search_fields == "name":
            call.hint += " Tags are not searched (search_fields=name)."
        if body.parent_id and body.parent_id not in dataset.collections:
            call.hint = f"The dataset has no folder {body.parent_id!r} (parent_unknown=empty)."
    return dataset, matches


def empty_hint(body: ListV2Request, scope_count: int, text_count: int, match_count: int) -> str:
    """Why a page is empty: the first condition that left no collections."""
    in_words = partial(count_in_words, noun="collection")
    if match_count:
        return f"The offset {body.offset} is past the end of {in_words(match_count)} that match."
    if text_count:
        return f"The filters of folders and tags leave none of {in_words(text_count)}."
    if scope_count:
        return f"The searchText {body.search_text!r} is in none of {in_words(scope_count)}."
    if body.parent_id:
        return f"The folder {body.parent_id!r} has no collections at this level."
    return "The dataset has no collections at this level."


def search_scope(dataset: Dataset, body: ListV2Request, choices: Choices) -> list[Collection]:
    """The collections to search: all, or those below a folder; an unknown folder has none."""
    items = dataset.in_order(choices.list_order).all
    if choices.search_scope == "dataset" or not body.parent_id:
        return items
    if body.parent_id not in dataset.collections:
        return []
    ids_inside = subtree_ids(dataset.collections, body.parent_id) - {body.parent_id}
    return [it for it in items if it.id in ids_inside]


def folder_scope(
    call: Call, dataset: Dataset, body: ListV2Request, choices: Choices
) -> list[Collection]:
    """The collections of the folder in `parentId`, or by choice all. Raises ParentNotFound."""
    collections = dataset.in_order(choices.list_order)
    parent_id = body.parent_id
    if parent_id is UNSET and choices.parent_omitted == "any":
        return collections.all
    if parent_id is UNSET or (parent_id == "" and choices.parent_empty_string == "root"):
        parent_id = ROOT
    if parent_id is not ROOT and parent_id not in dataset.collections:
        check_unknown_folder(call, parent_id, choices)
    return collections.by_folder.get(parent_id, [])


def check_unknown_folder(call: Call, folder_id: str, choices: Choices) -> None:
    """Raises ParentNotFound, unless the choices give an unknown folder an empty list."""
    cast_fails = choices.error_form == "service" and not errors.can_be_id(folder_id)
    if choices.parent_unknown == "empty" and not cast_fails:
        name = "parent_unknown" if folder_id else "parent_empty_string"
        message = f"the dataset has no folder {folder_id!r}"
        call.note_violation(name, "$.parentId", message, served="otherwise")
        return
    refusal = errors.ParentNotFound("null or the _id of a collection", folder_id, "$.parentId")
    is_foreign = any(folder_id in it.collections for it in call.store.datasets.values())
    refusal.service = errors.CollectionNotFound.service
    if is_foreign and choices.parent_unknown == "not_found":
        refusal.service = errors.FOREIGN_FOLDER
    elif folder_id and not errors.can_be_id(folder_id):
        refusal.service = errors.CAST_FAILED
    raise refusal


def filter_by_text(items: list[Collection], text: str, choices: Choices) -> list[Collection]:
    """The collections whose name contains the text, or a tag, if the choices let it count."""
    if not text:
        return items
    needle = fold_text(text)
    if choices.search_fields == "name":
        return [it for it in items if needle in it.folded_texts[0]]
    return [it for it in items if it.has_text(needle)]


def filter_by_tags(
    items: list[Collection], body: FilteredListV2Request, dataset: Dataset
) -> list[Collection]:
    """The collections with the tags that the filters name, if there are any."""
    match body:
        case TagListV2Request(filter_tags=ids) if ids:
            return [it for it in items if not dataset.ids_of_tags(it).isdisjoint(ids)]
        case TagValueListV2Request(tag_filters=filters):
            # The filters of one tag are joined: any of their values is enough.
            values_by_tag: dict[str, set[str | float]] = {}
            for tag_filter in filters:
                values_by_tag.setdefault(tag_filter.tag_id, set()).update(tag_filter.values)
            for tag_id, values in values_by_tag.items():
                items = [it for it in items if tag_id in dataset.ids_of_tags(it, values)]
    return items


def checked_page_size(call: Call, body: ListV2Request) -> int:
    """The size of the page. Raises InvalidField if it is over the limit (spec 8)."""
    size = body.page_size
    if size is UNSET:
        return call.choices.page_size_default
    if size <= SPEC_MAX_PAGE_SIZE:
        return size
    # A size over the spec's maximum may be within that of the choice.
    limit = call.choices.page_size_max
    choice = "page_size_max" if size <= limit else "page_size_over_limit"
    call.note_violation(choice, "$.pageSize", f"Expected at most {SPEC_MAX_PAGE_SIZE}, got {size}")
    if size > limit and call.choices.page_size_over_limit == "reject":
        raise errors.InvalidField(f"a pageSize of at most {limit}", size, "$.pageSize")
    return min(size, limit)


class NumberedPage(Struct, rename="camel"):
    """A page of a list, by its number, and the number of all its items."""

    page_num: int
    page_size: int
    data: list[ListedCollection]
    total: int


@Operation(
    "POST", f"{PATH}/list", refusals=errors.FOLDER_REFUSALS, example={"datasetId": DEMO_DATASET}
)
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
    """List a page of a dataset's collections, by its number; `simple` lists all without counts."""
    body = TagListV2Request(
        offset=int(page_offset(page_num, page_size)),
        dataset_id=dataset_id,
        parent_id=parent_id,
        search_text=search_text,
        select_folder=select_folder,
        filter_tags=filter_tags,
    )
    dataset, matches = find_matches(call, body, SERVICE_CHOICES)
    span = (body.offset, page_size)
    if simple:
        matches = [*map(without_counts, matches)]
        span = (0, len(matches))
    level = call.caller.level_on(dataset)

    def view_of(collection: Collection) -> ListedCollection:
        return replace(list_item(collection, SERVICE_CHOICES, level), **WITHOUT_TRAINING)

    page = list_page(call, matches, span, view_of)
    return NumberedPage(page_num, page_size, page.list, page.total)
