"""Rules about pages: their totals, their sizes, what follows what (spec 4.2, 8)."""

from collections import Counter

from mock_server.conformance.answer import Differs, NotObservable, text_of
from mock_server.conformance.lists import SIZE, Lists
from mock_server.conformance.subject import Subject


def page_shape(subject: Subject) -> None:
    """The data of a page is a list of objects with ids, and a total."""
    answer = subject.lists.pages[0]
    found, total = answer.data.get("list"), answer.data.get("total")
    if not isinstance(found, list) or len(answer.items) != len(found):
        raise Differs("an array of objects with _id as list", _kind(found), answer)
    is_count = isinstance(total, int) and not isinstance(total, bool)
    if not is_count or answer.total < len(found):
        expected = f"a number of at least {len(found)} as total"
        raise Differs(expected, repr(total), answer)


def total_before_paging(subject: Subject) -> None:
    """The total is that of all that match, whatever page is asked for."""
    lists = subject.lists
    lists.check_listening()
    small, first = lists.small, lists.wide[0]
    for answer in (small, first, lists.far):
        if answer.total < len(set(lists.ids)):
            expected = (
                f"a total of at least {len(set(lists.ids))}, which have been seen"
            )
            raise Differs(expected, str(answer.total), answer)
        if answer.total != small.total:
            raise Differs(f"the total {small.total}", str(answer.total), answer)


def page_size(subject: Subject) -> None:
    """A page holds as many items as `pageSize` says, while there are more."""
    answer = subject.lists.small
    if len(answer.items) != 2:
        raise Differs("2 items", f"{len(answer.items)}", answer)


def page_maximum(subject: Subject) -> None:
    """No page holds more than 30 items (spec 8)."""
    lists = subject.lists
    answer = lists.part(pageSize=SIZE + 1)
    if len(answer.items) > SIZE:
        raise Differs(f"{SIZE} items at most", f"{len(answer.items)}", answer)
    total = len(lists.ids)
    if answer.is_success and total <= SIZE:
        raise NotObservable(f"the dataset shows only {total} collections")


def pages_disjoint(subject: Subject) -> None:
    """No collection is on two pages."""
    lists = subject.lists
    _check_sizes(lists)
    if len(lists.wide) < 2:
        raise NotObservable(f"there is one page of {SIZE}")
    seen: set[str] = set()
    for page in lists.wide:
        if again := seen.intersection(page.ids):
            raise Differs("items of no page before", f"{sorted(again)[0]} again", page)
        seen.update(page.ids)


def pages_complete(subject: Subject) -> None:
    """All pages together hold as many collections as the total says."""
    lists = subject.lists
    _check_sizes(lists)
    if lists.is_cut:
        raise NotObservable("the dataset has more collections than are looked at")
    totals = {each.total for each in (lists.small, lists.far, *lists.wide)}
    if len(totals) > 1:
        raise NotObservable("pages do not agree on the total")
    found, last = len(set(lists.ids)), lists.wide[-1]
    if found != last.total:
        raise Differs(f"{last.total} collections in all", str(found), last)


def offset_past_end(subject: Subject) -> None:
    """Past the end there is an empty page."""
    answer = subject.lists.far
    if not subject.lists.items:
        raise NotObservable("the dataset shows no collections")
    if answer.items:
        raise Differs("an empty list", f"{len(answer.items)} items", answer)


def order_stable(subject: Subject) -> None:
    """The order is the same whatever the size of the pages."""
    lists = subject.lists
    _check_sizes(lists)
    ids, size = lists.ids[:SIZE], 7
    if len(ids) < 4:
        raise NotObservable("the dataset shows fewer than 4 collections")
    if len(set(lists.ids)) < len(lists.ids):
        raise NotObservable("collections come more than once")
    pages = [
        lists.page(**lists.widest[0], offset=at, pageSize=size)
        for at in range(0, len(ids), size)
    ]
    for page, at in zip(pages, range(0, len(ids), size), strict=True):
        wanted = ids[at : at + size]
        if list(page.ids[: len(wanted)]) != list(wanted):
            expected = f"{wanted[0]} and what follows it on a page of {SIZE}"
            raise Differs(expected, ", ".join(page.ids[:1]) or "nothing", page)


def parent_filter(subject: Subject) -> None:
    """The collections of a folder are those with its id as their `parentId`."""
    lists = subject.lists
    lists.check_listening()
    filled = {each: page for each, page in lists.inside.items() if page.items}
    for folder, page in filled.items():
        for item in page.items:
            if item.get("parentId") != folder:
                got = repr(item.get("parentId"))
                raise Differs(f"items with parentId {folder!r}", got, page)
    seen = {item["_id"]: item for page in lists.pages for item in page.items}
    parents = Counter(text_of(item, "parentId") for item in seen.values())
    for folder, page in lists.inside.items():
        if page.total < parents[folder]:
            raise Differs(f"{parents[folder]} items", f"{page.total}", page)
    if not filled:
        raise NotObservable("no folder with collections is seen")


def top_level(subject: Subject) -> None:
    """`parentId` null selects the collections whose `parentId` is null."""
    lists = subject.lists
    lists.check_listening()
    for page in lists.top_pages:
        for item in page.items:
            if item.get("parentId") is not None:
                got = repr(item.get("parentId"))
                raise Differs("items with parentId null", got, page)
    if not lists.top:
        raise NotObservable("nothing is on the top level")
    if not any(page.items for page in lists.inside.values()):
        raise NotObservable("no folder with collections is seen")


def _check_sizes(lists: Lists) -> None:
    """Raises NotObservable where pages have other sizes than were asked for."""
    lists.check_listening()
    if len(lists.small.items) != 2:
        raise NotObservable("pages have another size than was asked for")


def _kind(value: object) -> str:
    return "an array of others" if isinstance(value, list) else type(value).__name__
