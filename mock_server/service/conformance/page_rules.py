"""Conformance rules for list responses (spec 1, 2.3, 4.2, 8) and for refusals (5)."""

from collections import Counter

from mock_server.service.conformance.checked_server import Rules, Server
from mock_server.service.conformance.exchange import (
    Breach,
    NotObservable,
    Response,
    require,
    text_of,
)
from mock_server.service.conformance.lists import MAX_SIZE, Lists

rules = Rules()

_FIELDS = {"code", "statusText", "message", "data"}


@rules.add("2.3")
def envelope(server: Server) -> None:
    """A page comes in an envelope with exactly `code` 200, `statusText`, `message` and
    `data`.
    """
    response = server.lists.pages[0]
    fields = response.fields
    if fields.keys() != _FIELDS:
        names = ", ".join(sorted(fields))
        raise Breach("code, statusText, message, data", names, response)
    _check_texts(response)
    if fields["code"] != 200 or isinstance(fields["code"], bool):
        raise Breach("code 200", repr(fields["code"]), response)


@rules.add("1")
def json_content_type(server: Server) -> None:
    """Responses have `Content-Type` `application/json`."""
    response = server.lists.pages[0]
    content_type = response.raw.content_type
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Breach("Content-Type application/json", repr(content_type), response)


@rules.add("2.3")
def errors_are_envelopes(server: Server) -> None:
    """Refusals have the same envelope, with a `code` other than 200."""
    server.lists.require_refusals()
    for response in server.refusals:
        missing = sorted(_FIELDS - response.fields.keys())
        if missing:
            got = f"{response.summary()} without {', '.join(missing)}"
            raise Breach("an envelope", got, response)
        _check_texts(response)
        code = response.fields["code"]
        if not isinstance(code, int) or code == 200:
            raise Breach("a code other than 200", repr(code), response)


@rules.add("5")
def authorization_required(server: Server) -> None:
    """A request without `Authorization` is refused."""
    _check_refused(server.lists.ask(key=None))


@rules.add("5")
def read_permission(server: Server) -> None:
    """A key that may not read the dataset is refused."""
    key = server.options.outsider
    if key is None:
        raise NotObservable("needs --outsider-key-env")
    _check_refused(server.lists.ask(key=key))


@rules.add("4.2", "method_mismatch=accept")
def post_only(server: Server) -> None:
    """POST is the only method that lists."""
    _check_refused(server.lists.ask(method="PUT"))


def _check_texts(response: Response) -> None:
    for name in ("statusText", "message"):
        value = response.fields[name]
        if not isinstance(value, str):
            raise Breach(f"a text as {name}", repr(value), response)


def _check_refused(response: Response) -> None:
    """Raise Breach for a page, and NotObservable if the response is no refusal."""
    if response.is_success:
        raise Breach("a refusal", "a page", response)
    if not response.is_refusal:
        raise response.unknown_response


@rules.add("4.2")
def page_shape(server: Server) -> None:
    """`data` has a `list` of objects and a `total` of at least their number."""
    response = server.lists.pages[0]
    items, total = response.data.get("list"), response.data.get("total")
    if not isinstance(items, list) or len(response.items) != len(items):
        got = "other items" if isinstance(items, list) else type(items).__name__
        raise Breach("an array of objects with _id as list", got, response)
    is_count = isinstance(total, int) and not isinstance(total, bool)
    if not is_count or response.total < len(items):
        expected = f"a number of at least {len(items)} as total"
        raise Breach(expected, repr(total), response)


@rules.add("4.2")
def total_before_paging(server: Server) -> None:
    """`total` counts all matching collections, on every page."""
    lists = server.varying_lists
    small, first = lists.page_of_two, lists.largest_pages[0]
    seen = len(set(lists.ids))
    for response in (small, first, lists.page_past_end):
        if response.total < seen:
            expected = f"a total of at least {seen}, which have been seen"
            raise Breach(expected, str(response.total), response)
        if response.total != small.total:
            raise Breach(f"the total {small.total}", str(response.total), response)


@rules.add("4.2")
def page_size(server: Server) -> None:
    """A page has `pageSize` items if there are enough."""
    response = server.lists.page_of_two
    if len(response.items) != 2:
        raise Breach("2 items", f"{len(response.items)}", response)


@rules.add("8", "page_size_max=100")
def page_maximum(server: Server) -> None:
    """No page has more than 30 items."""
    lists = server.lists
    response = lists.ask_largest(pageSize=MAX_SIZE + 1)
    if len(response.items) > MAX_SIZE:
        raise Breach(f"{MAX_SIZE} items at most", f"{len(response.items)}", response)
    total = len(lists.ids)
    if response.is_success and total <= MAX_SIZE:
        raise NotObservable(f"the dataset shows only {total} collections")


@rules.add("4.2")
def pages_disjoint(server: Server) -> None:
    """No collection is on two pages."""
    lists = server.lists
    _check_page_sizes(lists)
    require(len(lists.largest_pages) >= 2, f"there is one page of {MAX_SIZE}")
    seen: set[str] = set()
    for page in lists.largest_pages:
        if repeated := seen.intersection(page.ids):
            raise Breach(
                "items of no earlier page", f"{sorted(repeated)[0]} again", page
            )
        seen.update(page.ids)


@rules.add("4.2")
def pages_complete(server: Server) -> None:
    """All pages together have `total` collections."""
    lists = server.lists
    _check_page_sizes(lists)
    require(
        not lists.is_at_limit, "the dataset has more collections than `verify` reads"
    )
    totals = {
        each.total
        for each in (lists.page_of_two, lists.page_past_end, *lists.largest_pages)
    }
    require(len(totals) <= 1, "pages do not agree on the total")
    count, last = len(set(lists.ids)), lists.largest_pages[-1]
    if count != last.total:
        raise Breach(f"{last.total} collections in all", str(count), last)


@rules.add("4.2")
def offset_past_end(server: Server) -> None:
    """A page past the end is empty."""
    response = server.lists.page_past_end
    require(server.lists.items, "the dataset shows no collections")
    if response.items:
        raise Breach("an empty list", f"{len(response.items)} items", response)


@rules.add("4.2")
def order_stable(server: Server) -> None:
    """Pages of another size have the same order."""
    lists = server.lists
    _check_page_sizes(lists)
    ids, size = lists.ids[:MAX_SIZE], 7
    require(len(ids) >= 4, "the dataset shows fewer than 4 collections")
    require(len(set(lists.ids)) >= len(lists.ids), "a collection is listed twice")
    pages = [
        lists.page(**lists.largest_list[0], offset=start, pageSize=size)
        for start in range(0, len(ids), size)
    ]
    for page, start in zip(pages, range(0, len(ids), size), strict=True):
        ids_here = ids[start : start + size]
        if list(page.ids[: len(ids_here)]) != list(ids_here):
            expected = f"{ids_here[0]} and the items after it on a page of {MAX_SIZE}"
            raise Breach(expected, ", ".join(page.ids[:1]) or "nothing", page)


@rules.add("4.2")
def parent_filter(server: Server) -> None:
    """`parentId` lists exactly the collections of that folder."""
    lists = server.varying_lists
    filled = {each: page for each, page in lists.folder_pages.items() if page.items}
    for folder, page in filled.items():
        for item in page.items:
            if item.get("parentId") != folder:
                got = repr(item.get("parentId"))
                raise Breach(f"items with parentId {folder!r}", got, page)
    seen = {item["_id"]: item for page in lists.pages for item in page.items}
    parents = Counter(text_of(item, "parentId") for item in seen.values())
    for folder, page in lists.folder_pages.items():
        if page.total < parents[folder]:
            raise Breach(f"{parents[folder]} items", f"{page.total}", page)
    require(filled, "no folder with collections is seen")


@rules.add("4.2")
def top_level(server: Server) -> None:
    """`parentId` null lists only the collections without a parent."""
    lists = server.varying_lists
    for page in lists.top_pages:
        for item in page.items:
            if item.get("parentId") is not None:
                got = repr(item.get("parentId"))
                raise Breach("items with parentId null", got, page)
    require(lists.top_items, "the top level has no collections")
    if not any(page.items for page in lists.folder_pages.values()):
        raise NotObservable("no folder with collections is seen")


def _check_page_sizes(lists: Lists) -> None:
    lists.require_varying_responses()
    require(len(lists.page_of_two.items) == 2, "pages do not have the requested size")
