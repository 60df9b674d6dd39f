"""Rules about the items of pages, and about searches for them (spec 2.2, 4.2)."""

from collections.abc import Callable, Mapping
from datetime import datetime

from mock_server.conformance.answer import Answer, Differs, NotObservable, text_of
from mock_server.conformance.lists import Item, Lists
from mock_server.conformance.subject import Subject

Check = Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_time(value: object) -> bool:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return isinstance(value, str)


FIELDS: Mapping[str, tuple[str, Check]] = {
    "_id": ("a string", _is_text),
    "parentId": ("a string or null", lambda each: each is None or _is_text(each)),
    "tmbId": ("a string", _is_text),
    "type": ("a string", _is_text),
    "name": ("a string", _is_text),
    "updateTime": ("a time of ISO 8601", _is_time),
    "dataAmount": ("a number", _is_number),
    "trainingAmount": ("a number", _is_number),
    "externalFileId": ("a string", _is_text),
    "tags": (
        "an array of strings",
        lambda each: isinstance(each, list) and all(map(_is_text, each)),
    ),
    "forbid": ("true or false", _is_flag),
    "trainingType": ("a string", _is_text),
    "permission": ("an object", lambda each: isinstance(each, dict)),
}
"""The documented fields of an item (spec 2.2), and what each is to be."""
# An item without tags may lack them (choice tags_empty); the other one is "for linked
# collections".
_OPTIONAL = frozenset(("tags", "externalFileId"))
_FLAGS = ("isOwner", "hasManagePer", "hasWritePer", "hasReadPer")
"""Of the permission, each of which includes those that follow."""


def item_fields(subject: Subject) -> None:
    """Items have the documented fields, of the documented types."""
    for page, item in _items(subject.lists):
        for name, (expected, is_right) in FIELDS.items():
            where = f"{expected} as {name} of {item['_id']}"
            if name in item and not is_right(item[name]):
                raise Differs(where, repr(item[name])[:60], page)
            if name not in item and name not in _OPTIONAL:
                raise Differs(where, "nothing", page)


def permission_consistent(subject: Subject) -> None:
    """Permission is a number and four flags; owners manage, managers write ..."""
    for page, item in _items(subject.lists):
        found = item.get("permission")
        if not isinstance(found, dict):
            raise NotObservable("items show no permission")
        if not _is_number(found.get("value")):
            got = repr(found.get("value"))
            raise Differs("a number as permission.value", got, page)
        for name in _FLAGS:
            if not _is_flag(found.get(name)):
                expected = f"true or false as permission.{name}"
                raise Differs(expected, repr(found.get(name)), page)
        levels = [found[name] for name in _FLAGS]
        if levels != sorted(levels) or not found["hasReadPer"]:
            held = [name for name in _FLAGS if found[name]]
            expected = "hasReadPer, and with a level all that are below it"
            raise Differs(expected, ", ".join(held) or "none", page)


def search_in_names(subject: Subject) -> None:
    """`searchText` finds a collection by its name."""
    lists = subject.lists
    lists.check_listening()
    item = named(lists)
    _check_found(lists, item, text_of(item, "name"))


def search_in_tags(subject: Subject) -> None:
    """`searchText` finds a collection by one of its tags."""
    lists = subject.lists
    lists.check_listening()
    item, tag = tagged(lists)
    _check_found(lists, item, tag)


def search_filters(subject: Subject) -> None:
    """A text that no name and no tag has finds nothing."""
    _check_nothing(subject.lists, subject.lists.unknown)


def search_literal(subject: Subject) -> None:
    """The characters of patterns have no meaning in `searchText`."""
    lists = subject.lists
    lists.check_listening()
    item = named(lists)
    name = text_of(item, "name")
    pattern = f"{name[:-1]}." if name[-1] != "." else f"{name[:-1]}[.]"
    if any(
        pattern.casefold() in text_of(each, "name").casefold() for each in lists.items
    ):
        raise NotObservable("a name has the characters of the pattern")
    _check_nothing(lists, pattern)


def search_empty(subject: Subject) -> None:
    """An empty `searchText` is valid, and keeps nothing out."""
    lists = subject.lists
    lists.check_listening()
    answer, plain = lists.ask(searchText="", pageSize=30), lists.pages[0]
    if not answer.is_success:
        raise Differs("a page", answer.summary(), answer)
    if list(answer.ids) != list(plain.ids):
        expected = f"the {len(plain.ids)} items of the page without it"
        raise Differs(expected, f"{len(answer.ids)} items", answer)


def named(lists: Lists) -> Item:
    """A collection with a name. Raises NotObservable."""
    for item in lists.items:
        if text_of(item, "name").strip() and lists.unknown not in item["name"]:
            return item
    raise NotObservable("no collection with a name is seen")


def tagged(lists: Lists) -> tuple[Item, str]:
    """A collection, and a tag of it that is not in its name. Raises NotObservable."""
    for item in lists.items:
        tags = item.get("tags")
        for tag in tags if isinstance(tags, list) else ():
            name = text_of(item, "name").casefold()
            if isinstance(tag, str) and tag.strip() and tag.casefold() not in name:
                return item, tag
    raise NotObservable("no collection is seen with a tag that is not in its name")


def _check_found(lists: Lists, item: Item, text: str) -> None:
    if not lists.finds(item, text):
        parent = item.get("parentId")
        answer = lists.page(searchText=text, parentId=parent, pageSize=30)
        raise Differs(f"{item['_id']} to be found", "a list without it", answer)


def _check_nothing(lists: Lists, text: str) -> None:
    answer = lists.page(searchText=text, pageSize=30)
    if not lists.items:
        raise NotObservable("the dataset shows no collections")
    if answer.items:
        raise Differs("an empty list", f"{len(answer.items)} items", answer)


def _items(lists: Lists) -> list[tuple[Answer, Item]]:
    """The items of all pages. Raises NotObservable if there is none."""
    found = [(page, item) for page in lists.pages for item in page.items]
    if not found:
        raise NotObservable("the dataset shows no collections")
    return found
