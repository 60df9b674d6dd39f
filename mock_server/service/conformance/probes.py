"""The probes: each finds the value of one choice of a server."""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlencode

from mock_server.domain.choices.table import table
from mock_server.service.conformance.changes import LEGACY_PATH, PIN_PATH
from mock_server.service.conformance.checked_server import Probes, Server
from mock_server.service.conformance.exchange import (
    NotObservable,
    Response,
    id_of,
    require,
    text_of,
)
from mock_server.service.conformance.lists import MAX_SIZE, Item, Lists
from mock_server.service.conformance.object_rules import FIELDS, named_item, tagged_item

probes = Probes()

_LARGE_PAGE = 100
_MIN_ITEMS = 3


@probes.add("a list without `pageSize`, in a dataset with more collections")
def page_size_default(server: Server) -> int:
    lists = server.varying_lists
    fields, total = lists.largest_list
    count = len(lists.page(**fields).items)
    require(count < total, f"all {total} collections are on a page without pageSize")
    if count not in table()["page_size_default"].values:
        raise NotObservable(f"a page without pageSize has {count} items")
    return count


@probes.add("pages of 31, or of 101, in a dataset with more collections")
def page_size_over_limit(server: Server) -> str:
    return _size_limit(server.lists)[0]


@probes.add("pages of 31, or of 101, in a dataset with more collections")
def page_size_max(server: Server) -> int:
    return _size_limit(server.lists)[1]


def _size_limit(lists: Lists) -> tuple[str, int]:
    """Return the values of page_size_over_limit and page_size_max."""
    lists.require_varying_responses()
    total = lists.largest_list[1]
    large_page = lists.ask_largest(pageSize=MAX_SIZE + 1)
    if large_page.is_refusal:
        return "reject", MAX_SIZE
    if len(large_page.items) == MAX_SIZE < total:
        return "clamp", MAX_SIZE
    huge_page = lists.ask_largest(pageSize=_LARGE_PAGE + 1)
    if huge_page.is_refusal:
        if lists.ask_largest(pageSize=_LARGE_PAGE).is_success:
            return "reject", _LARGE_PAGE
        raise NotObservable(f"the largest page is between {MAX_SIZE} and {_LARGE_PAGE}")
    if len(huge_page.items) == _LARGE_PAGE < total:
        return "clamp", _LARGE_PAGE
    if total > _LARGE_PAGE:
        raise NotObservable(
            f"a page of {_LARGE_PAGE + 1} has {len(huge_page.items)} items"
        )
    raise NotObservable(f"needs a dataset of more than {_LARGE_PAGE} collections")


@probes.add("a list without `offset`")
def offset_missing(server: Server) -> str:
    lists = server.lists
    plain = lists.ask_largest(pageSize=2)
    return _accept_or_reject(lists, lists.ask_largest(offset=..., pageSize=2), plain)


@probes.add('`offset` `"1"` and `pageSize` `"2"`')
def numeric_strings(server: Server) -> str:
    lists = server.lists
    require(
        len(lists.ids) >= _MIN_ITEMS,
        f"the dataset shows fewer than {_MIN_ITEMS} collections",
    )
    return _accept_or_reject(
        lists,
        lists.ask_largest(offset="1", pageSize="2"),
        lists.ask_largest(offset=1, pageSize=2),
    )


@probes.add("a list with a made-up field")
def unknown_fields(server: Server) -> str:
    lists = server.lists
    response = lists.ask(xVerify=True)
    value = _accept_or_reject(lists, response, lists.page())
    return "ignore" if value == "accept" else value


@probes.add("a list by PUT")
def method_mismatch(server: Server) -> str:
    return _accept_or_reject(
        server.lists, server.lists.ask(method="PUT"), server.lists.page()
    )


@probes.add("a list without `Content-Type`")
def content_type_missing(server: Server) -> str:
    lists = server.lists
    return _accept_or_reject(lists, lists.ask(is_json=False), lists.page())


@probes.add("a list with `selectFolder` true")
def list_filters(server: Server) -> str:
    lists = server.varying_lists
    if all(each.get("type") == "folder" for each in lists.top_items):
        raise NotObservable("the top level shows folders only, or nothing")
    response = lists.ask(selectFolder=True, parentId=None, pageSize=MAX_SIZE)
    if response.is_refusal:
        if response.error_kind == lists.ask(xVerify=True).error_kind:
            return "ignore"  # the server refuses every unknown field in this way
        raise response.unknown_response
    if list(response.ids) == list(lists.top_pages[0].ids):
        return "ignore"
    if all(each.get("type") == "folder" for each in response.items):
        return "honour"
    raise NotObservable("selectFolder changes the page, but not to folders only")


@probes.add("all pages; `fixture` is any order that is neither by time nor by name")
def list_order(server: Server) -> str:
    lists = server.varying_lists
    items = [item for page in lists.largest_pages for item in page.items]
    require(len(set(lists.ids)) == len(items), "a collection is listed twice")
    times = [_time(each) for each in items]
    names = [text_of(each, "name") for each in items]
    is_by_time = times == sorted(times, reverse=True)
    folded = [each.casefold() for each in names]
    is_by_name = names == sorted(names) or folded == sorted(folded)
    if is_by_time and is_by_name:
        raise NotObservable("the collections are in order by updateTime and by name")
    if is_by_time or is_by_name:
        if len(set(times if is_by_time else names)) < _MIN_ITEMS:
            raise NotObservable("the collections have too few times or names")
        return "update_time_desc" if is_by_time else "name"
    return "fixture"


def _time(item: Item) -> float:
    try:
        return datetime.fromisoformat(text_of(item, "updateTime")).timestamp()
    except (ValueError, OverflowError, OSError):
        raise NotObservable("items show no updateTime") from None


@probes.add("a list without `parentId`, where a folder is not empty")
def parent_omitted(server: Server) -> str:
    lists = server.varying_lists
    if any(item.get("parentId") for page in lists.pages for item in page.items):
        return "any"
    if not any(page.items for page in lists.folder_pages.values()):
        raise NotObservable("no folder with collections is seen")
    ids = [each for page in lists.pages for each in page.ids]
    if ids != [id_of(each) for each in lists.top_items]:
        raise NotObservable("the list is neither all collections nor the top level")
    return "root"


@probes.add('a list of `parentId` `""`, and of an unknown one')
def parent_empty_string(server: Server) -> str:
    lists = server.varying_lists
    require(lists.top_items, "the top level has no collections")
    response = lists.ask(parentId="", pageSize=MAX_SIZE)
    if response.is_success and list(response.ids) == list(lists.top_pages[0].ids):
        return "root"
    # Compare with an id that no collection has.
    unknown_page = lists.ask(parentId=lists.unknown, pageSize=MAX_SIZE)
    if response.error_kind == unknown_page.error_kind and not response.items:
        return "unknown"
    raise response.unknown_response


@probes.add("a list of an unknown `parentId`")
def parent_unknown(server: Server) -> str:
    lists = server.varying_lists
    response = lists.ask(parentId=lists.unknown)
    if response.is_refusal:
        return "not_found"
    if response.is_success and not response.items:
        return "empty"
    raise response.unknown_response


@probes.add("a search in a folder for the name of a collection outside")
def search_scope(server: Server) -> str:
    lists = server.varying_lists
    if not lists.folder_pages or not lists.top_items:
        raise NotObservable("no folder is seen")
    item = named_item(lists, is_on_top=True)
    name, folder = text_of(item, "name"), next(iter(lists.folder_pages))
    require(lists.finds(item, name), "a collection is not found by its name")
    pages = lists.walk(searchText=name, parentId=folder)
    ids = {each for page in pages for each in page.ids}
    return "dataset" if id_of(item) in ids else "folder"


@probes.add("a search for a tag that is not in the name")
def search_fields(server: Server) -> str:
    lists = server.varying_lists
    item, tag = tagged_item(lists)
    if lists.finds(item, tag):
        return "name_and_tags"
    if lists.finds(named_item(lists), text_of(named_item(lists), "name")):
        return "name"
    raise NotObservable("collections are found neither by a tag nor by a name")


@probes.add("all items that are seen")
def item_fields(server: Server) -> str:
    items = server.lists.items
    require(items, "the dataset shows no collections")
    if any("createTime" in item for item in items):
        return "extended"
    if any(item.keys() - FIELDS.keys() for item in items):
        raise NotObservable("items have further fields, but no createTime")
    return "documented"


@probes.add("all items that are seen")
def tags_empty(server: Server) -> str:
    tags = [each.get("tags") for each in server.lists.items if not each.get("tags")]
    require(tags, "no collection without tags is seen")
    if all(each == [] for each in tags):
        return "list"
    if not any("tags" in each for each in server.lists.items if not each.get("tags")):
        return "absent"
    raise NotObservable("only some collections without tags have the field `tags`")


def _accept_or_reject(lists: Lists, response: Response, reference: Response) -> str:
    """Return `reject` for a refusal; `accept` for the same page as `reference`.

    Raises NotObservable for any other response.
    """
    lists.require_refusals()
    if response.is_refusal:
        return "reject"
    if response.is_success and _ids_and_total(response) == _ids_and_total(reference):
        return "accept"
    raise response.unknown_response


def _ids_and_total(response: Response) -> tuple[Sequence[str], object]:
    return list(response.ids), response.data.get("total")


_LAST_STATUS = 599
_UNKNOWN_PATH = "/api/core/chat/history/verifyNothing"
_DETAIL = "/api/core/dataset/detail"


@probes.add("a list with a made-up key; a refusal proves nothing")
def unknown_key(server: Server) -> str:
    lists = server.lists
    response = lists.ask(key=f"verify-{server.options.unknown}")
    require(response.is_success, "the server refuses unknown keys: it may declare keys")
    require(not lists.ask(key=None).is_success, "the server requires no API key")
    return "accept"


@probes.add("a list with the login of --token-env and no key")
def credentials(server: Server) -> str:
    token = server.options.token
    if token is None:
        raise NotObservable("needs --token-env, the token of a login")
    response = server.lists.ask(key=None, token=token)
    require(not server.lists.ask(key=None).is_success, "the server requires no API key")
    if response.is_success:
        return "login_too"
    if response.is_refusal:
        return "bearer"
    raise response.unknown_response


@probes.add("a list of an unknown dataset")
def error_form(server: Server) -> str:
    server.lists.require_varying_responses()
    response = server.lists.ask(datasetId=server.options.unknown)
    code = response.fields.get("code")
    if not response.is_refusal or not isinstance(code, int):
        raise response.unknown_response
    if code > _LAST_STATUS:
        return "service"
    # If all errors share one HTTP status, `code` still has the usual status.
    if code == response.status or error_http_status(server) != "mapped":
        return "plain"
    raise response.unknown_response


@probes.add("lists without a key, without `datasetId`, of an unknown dataset")
def error_http_status(server: Server) -> str:
    responses = server.refusals
    if len({each.error_kind[1] for each in responses}) < 2:
        raise NotObservable("fewer than two kinds of errors are seen")
    statuses = {each.status for each in responses}
    for status, value in ((200, "always_200"), (500, "always_500")):
        if statuses == {status}:
            return value
    if len(statuses) > 1:
        return "mapped"
    raise NotObservable(f"all errors have HTTP status {statuses.pop()}")


@probes.add("`{}` at the older path of pins, the path of pins, and an unknown path")
def legacy_paths(server: Server) -> str:
    # Send no fields, so that the requests change nothing.
    paths = LEGACY_PATH, PIN_PATH, _UNKNOWN_PATH
    older, pin, nothing = (server.client.ask("PUT", each, {}) for each in paths)
    if older.error_kind == nothing.error_kind != pin.error_kind:
        return "off"
    if older.error_kind == pin.error_kind != nothing.error_kind:
        return "on"
    raise older.unknown_response


@probes.add("`dataset.detail`, and an unknown path")
def related_routes(server: Server) -> str:
    if server.options.dataset is None:
        raise NotObservable("needs --dataset")
    path = f"{_DETAIL}?{urlencode({'id': server.options.dataset})}"
    response = server.client.ask("GET", path)
    if response.is_success and response.data.get("_id") == server.options.dataset:
        return "on"
    if (
        response.is_refusal
        and response.error_kind == server.client.ask("GET", _UNKNOWN_PATH).error_kind
    ):
        return "off"
    raise response.unknown_response


@probes.add("a pin of an unknown chat, then `getHistories` (--write)")
def chat_unknown(server: Server) -> str:
    pins = server.pins
    pins.pin_or_stop(top=pins.last_top)
    response = pins.unpin_unknown_chat()
    if response.is_refusal:
        return "not_found"
    pins.require_refusals()
    response.require_success()
    require(pins.is_shown, "created or ignored: getHistories is not served")
    return "ignore" if pins.top_of(pins.unknown) is None else "create"


@probes.add("a pin without `top` (--write)")
def top_missing(server: Server) -> str:
    pins = server.pins
    pins.pin_or_stop(top=pins.last_top)
    response = pins.pin(top=...)
    if response.is_refusal:
        return "reject"
    pins.require_refusals()
    response.require_success()
    if pins.is_shown and pins.top is not pins.last_top:
        raise NotObservable("a pin without top changes it")
    return "ignore"


@probes.add("40 rows added to a collection of its own, by related routes (--write)")
def training(server: Server) -> str:
    return server.temporary.training()


@probes.add("that collection deleted by a related route (--write)")
def query_delete(server: Server) -> str:
    return server.temporary.query_delete()
