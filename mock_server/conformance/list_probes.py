"""Which values of choices a server shows by its pages (spec 4.2, 8)."""

from collections.abc import Sequence
from datetime import datetime

from mock_server.conformance.answer import Answer, NotObservable, id_of, text_of
from mock_server.conformance.item_rules import FIELDS, named, tagged
from mock_server.conformance.lists import SIZE, Item, Lists
from mock_server.conformance.subject import Subject
from mock_server.domain.choices import table

_MANY = 100
_FEW = 3


def page_size_default(subject: Subject) -> int:
    """The items of a page without `pageSize`."""
    lists = subject.lists
    lists.check_listening()
    fields, total = lists.widest
    count = len(lists.page(**fields).items)
    if count >= total:
        raise NotObservable(f"all {total} collections are on a page without pageSize")
    if count not in table()["page_size_default"].values:
        raise NotObservable(f"a page without pageSize has {count} items")
    return count


def page_size_over_limit(subject: Subject) -> str:
    """What becomes of a `pageSize` over the largest."""
    return _limit(subject.lists)[0]


def page_size_max(subject: Subject) -> int:
    """The largest page."""
    return _limit(subject.lists)[1]


def _limit(lists: Lists) -> tuple[str, int]:
    """What is done with sizes over the limit, and the limit."""
    lists.check_listening()
    total = lists.widest[1]
    over = lists.part(pageSize=SIZE + 1)
    if over.is_refusal:
        return "reject", SIZE
    if len(over.items) == SIZE < total:
        return "clamp", SIZE
    far_over = lists.part(pageSize=_MANY + 1)
    if far_over.is_refusal:
        if lists.part(pageSize=_MANY).is_success:
            return "reject", _MANY
        raise NotObservable(f"the largest page is between {SIZE} and {_MANY}")
    if len(far_over.items) == _MANY < total:
        return "clamp", _MANY
    if total > _MANY:
        raise NotObservable(f"a page of {_MANY + 1} has {len(far_over.items)} items")
    raise NotObservable(f"needs a dataset of more than {_MANY} collections")


def offset_missing(subject: Subject) -> str:
    """A page without `offset`."""
    lists = subject.lists
    plain = lists.part(pageSize=2)
    return _served(lists, lists.part(offset=..., pageSize=2), plain)


def numeric_strings(subject: Subject) -> str:
    """A page whose `offset` and `pageSize` are digits in strings."""
    lists = subject.lists
    if len(lists.ids) < _FEW:
        raise NotObservable(f"the dataset shows fewer than {_FEW} collections")
    return _served(
        lists, lists.part(offset="1", pageSize="2"), lists.part(offset=1, pageSize=2)
    )


def unknown_fields(subject: Subject) -> str:
    """A page with a field that nobody knows."""
    lists = subject.lists
    asked = lists.ask(xVerify=True)
    served = _served(lists, asked, lists.page())
    return "ignore" if served == "accept" else served


def method_mismatch(subject: Subject) -> str:
    """A list by PUT."""
    return _served(subject.lists, subject.lists.ask(method="PUT"), subject.lists.page())


def content_type_missing(subject: Subject) -> str:
    """A list without `Content-Type`."""
    lists = subject.lists
    return _served(lists, lists.ask(is_json=False), lists.page())


def list_filters(subject: Subject) -> str:
    """A list with `selectFolder` true."""
    lists = subject.lists
    lists.check_listening()
    if all(each.get("type") == "folder" for each in lists.top):
        raise NotObservable("the top level shows folders only, or nothing")
    answer = lists.ask(selectFolder=True, parentId=None, pageSize=SIZE)
    if answer.is_refusal:
        if answer.sign == lists.ask(xVerify=True).sign:
            return "ignore"  # as every field that the server does not know
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")
    if list(answer.ids) == list(lists.top_pages[0].ids):
        return "ignore"
    if all(each.get("type") == "folder" for each in answer.items):
        return "honour"
    raise NotObservable("selectFolder shows other pages, with others than folders")


def list_order(subject: Subject) -> str:
    """How the items of all pages are ordered."""
    lists = subject.lists
    lists.check_listening()
    items = [item for page in lists.wide for item in page.items]
    if len(set(lists.ids)) != len(items):
        raise NotObservable("collections come more than once")
    times = [_time(each) for each in items]
    names = [text_of(each, "name") for each in items]
    is_by_time = times == sorted(times, reverse=True)
    folded = [each.casefold() for each in names]
    is_by_name = names == sorted(names) or folded == sorted(folded)
    if is_by_time and is_by_name:
        raise NotObservable("the collections are in order by updateTime and by name")
    if is_by_time or is_by_name:
        if len(set(times if is_by_time else names)) < _FEW:
            raise NotObservable("the collections have too few times or names")
        return "update_time_desc" if is_by_time else "name"
    return "fixture"


def _time(item: Item) -> float:
    try:
        return datetime.fromisoformat(text_of(item, "updateTime")).timestamp()
    except (ValueError, OverflowError, OSError):
        raise NotObservable("items show no updateTime") from None


def parent_omitted(subject: Subject) -> str:
    """A list without `parentId`."""
    lists = subject.lists
    lists.check_listening()
    if any(item.get("parentId") for page in lists.pages for item in page.items):
        return "any"
    if not any(page.items for page in lists.inside.values()):
        raise NotObservable("no folder with collections is seen")
    ids = [each for page in lists.pages for each in page.ids]
    if ids != [id_of(each) for each in lists.top]:
        raise NotObservable("it is neither everything nor the top level")
    return "root"


def parent_empty_string(subject: Subject) -> str:
    """A list of `parentId` `""`."""
    lists = subject.lists
    lists.check_listening()
    if not lists.top:
        raise NotObservable("nothing is on the top level")
    answer = lists.ask(parentId="", pageSize=SIZE)
    if answer.is_success and list(answer.ids) == list(lists.top_pages[0].ids):
        return "root"
    # As for any other id that no collection has.
    other = lists.ask(parentId=lists.unknown, pageSize=SIZE)
    if answer.sign == other.sign and not answer.items:
        return "unknown"
    raise NotObservable(f"got {answer.summary()} - at {answer.request}")


def parent_unknown(subject: Subject) -> str:
    """A list of a folder that there is not."""
    lists = subject.lists
    lists.check_listening()
    answer = lists.ask(parentId=lists.unknown)
    if answer.is_refusal:
        return "not_found"
    if answer.is_success and not answer.items:
        return "empty"
    raise NotObservable(f"got {answer.summary()} - at {answer.request}")


def search_scope(subject: Subject) -> str:
    """A search in a folder for what is outside it."""
    lists = subject.lists
    lists.check_listening()
    if not lists.inside or not lists.top:
        raise NotObservable("no folder is seen")
    item = named_on_top(lists)
    name, folder = text_of(item, "name"), next(iter(lists.inside))
    if not lists.finds(item, name):
        raise NotObservable("a collection is not found by its name")
    pages = lists.walk(searchText=name, parentId=folder)
    found = {each for page in pages for each in page.ids}
    return "dataset" if id_of(item) in found else "folder"


def named_on_top(lists: Lists) -> Item:
    """A collection of the top level with a name. Raises NotObservable."""
    for item in lists.top:
        if text_of(item, "name").strip():
            return item
    raise NotObservable("no collection with a name is on the top level")


def search_fields(subject: Subject) -> str:
    """A search for a tag."""
    lists = subject.lists
    lists.check_listening()
    item, tag = tagged(lists)
    if lists.finds(item, tag):
        return "name_and_tags"
    if lists.finds(named(lists), text_of(named(lists), "name")):
        return "name"
    raise NotObservable("collections are found neither by a tag nor by a name")


def item_fields(subject: Subject) -> str:
    """The fields of all items that are seen."""
    items = subject.lists.items
    if not items:
        raise NotObservable("the dataset shows no collections")
    if any("createTime" in item for item in items):
        return "extended"
    if any(item.keys() - FIELDS.keys() for item in items):
        raise NotObservable("items have further fields, but no createTime")
    return "documented"


def tags_empty(subject: Subject) -> str:
    """What items without tags show."""
    shown = [each.get("tags") for each in subject.lists.items if not each.get("tags")]
    if not shown:
        raise NotObservable("no collection without tags is seen")
    if all(each == [] for each in shown):
        return "list"
    if not any("tags" in each for each in subject.lists.items if not each.get("tags")):
        return "absent"
    raise NotObservable("collections without tags differ in what they show")


def _served(lists: Lists, answer: Answer, like: Answer) -> str:
    """Whether a request was refused, or served as another one was."""
    lists.check_refusing()
    if answer.is_refusal:
        return "reject"
    if answer.is_success and _shown(answer) == _shown(like):
        return "accept"
    raise NotObservable(f"got {answer.summary()} - at {answer.request}")


def _shown(answer: Answer) -> tuple[Sequence[str], object]:
    return list(answer.ids), answer.data.get("total")
