"""Rules about items, searches and pins (spec 2.2, 3, 4)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from mock_server.service.conformance.changes import Pins
from mock_server.service.conformance.checked_server import Rules, Server
from mock_server.service.conformance.exchange import (
    Breach,
    NotObservable,
    Response,
    require,
    text_of,
)
from mock_server.service.conformance.lists import Item, Lists

rules = Rules()

_TEXT = ("a string", str)
_NUMBER = ("a number", int | float)
FIELDS: Mapping[str, tuple[str, Any]] = {
    **dict.fromkeys(("_id", "tmbId", "type", "name", "externalFileId"), _TEXT),
    **dict.fromkeys(("dataAmount", "trainingAmount"), _NUMBER),
    "parentId": ("a string or null", str | None),
    "updateTime": ("a time of ISO 8601", datetime),
    "tags": ("an array of strings", list[str]),
    "forbid": ("true or false", bool),
    "trainingType": _TEXT,
    "permission": ("an object", dict),
}
"""The documented fields of an item (spec 2.2), and the type of each."""
# An item without tags may lack `tags` (choice tags_empty); `externalFileId` is "for
# linked collections".
_OPTIONAL = frozenset(("tags", "externalFileId"))
_FLAGS = ("isOwner", "hasManagePer", "hasWritePer", "hasReadPer")
"""The flags of a permission; each includes the flags after it."""


@rules.add("2.2")
def item_fields(server: Server) -> None:
    """Items have the documented fields and types."""
    for page, item in _items(server.lists):
        for name, (expected, field_type) in FIELDS.items():
            level_text = f"{expected} as {name} of {item['_id']}"
            if name in item and not _has_type(field_type, item[name]):
                raise Breach(level_text, repr(item[name])[:60], page)
            if name not in item and name not in _OPTIONAL:
                raise Breach(level_text, "nothing", page)


@rules.add("2.2")
def permission_consistent(server: Server) -> None:
    """`permission` is a number and four flags: an owner manages, a manager writes, a
    writer reads, and a caller who sees the item may read.
    """
    for page, item in _items(server.lists):
        flags = item.get("permission")
        if not isinstance(flags, dict):
            raise NotObservable("items show no permission")
        if not _has_type(int | float, flags.get("value")):
            got = repr(flags.get("value"))
            raise Breach("a number as permission.value", got, page)
        for name in _FLAGS:
            if not _has_type(bool, flags.get(name)):
                expected = f"true or false as permission.{name}"
                raise Breach(expected, repr(flags.get(name)), page)
        levels = [flags[name] for name in _FLAGS]
        if levels != sorted(levels) or not flags["hasReadPer"]:
            set_flags = [name for name in _FLAGS if flags[name]]
            expected = "hasReadPer, and with a level all that are below it"
            raise Breach(expected, ", ".join(set_flags) or "none", page)


@rules.add("2.2")
def permission_of_caller(server: Server) -> None:
    """`permission` shows the caller's permissions."""
    key = server.options.reader
    if key is None:
        raise NotObservable("needs --reader-key-env")
    response = server.lists.ask(key=key)
    if not response.items:
        raise response.unknown_response
    for item in response.items:
        value = item.get("permission")
        flags = value if isinstance(value, dict) else {}
        reads = {name: name == "hasReadPer" for name in _FLAGS}
        if wrong := {name for name in reads if flags.get(name) != reads[name]}:
            names = ", ".join(sorted(wrong))
            raise Breach("that of a reader", f"another in {names}", response)


@rules.add("4.2")
def search_in_names(server: Server) -> None:
    """`searchText` finds a collection by its name."""
    lists = server.varying_lists
    item = named_item(lists)
    _check_found(lists, item, text_of(item, "name"))


@rules.add("4.2", "search_fields=name")
def search_in_tags(server: Server) -> None:
    """`searchText` finds a collection by a tag."""
    lists = server.varying_lists
    item, tag = tagged_item(lists)
    _check_found(lists, item, tag)


@rules.add("4.2")
def search_filters(server: Server) -> None:
    """A search finds no collection without the text in its name or a tag."""
    _check_nothing(server.lists, server.lists.unknown)


@rules.add("4.2")
def search_literal(server: Server) -> None:
    """A search takes pattern characters literally."""
    lists = server.varying_lists
    item = named_item(lists)
    name = text_of(item, "name")
    pattern = f"{name[:-1]}." if name[-1] != "." else f"{name[:-1]}[.]"
    if any(
        pattern.casefold() in text_of(each, "name").casefold() for each in lists.items
    ):
        raise NotObservable("a name has the characters of the pattern")
    _check_nothing(lists, pattern)


@rules.add("4.2")
def search_empty(server: Server) -> None:
    """An empty `searchText` filters nothing."""
    lists = server.varying_lists
    response, plain = lists.ask(searchText="", pageSize=30), lists.pages[0]
    if not response.is_success:
        raise Breach("a page", response.summary(), response)
    if list(response.ids) != list(plain.ids):
        expected = f"the {len(plain.ids)} items of the page without it"
        raise Breach(expected, f"{len(response.ids)} items", response)


def _has_type(field_type: Any, value: Any) -> bool:
    try:
        if field_type is datetime:  # of more forms than msgspec knows
            datetime.fromisoformat(value)
        else:
            msgspec.convert(value, field_type)
    except (msgspec.ValidationError, TypeError, ValueError):
        return False
    return True


def named_item(lists: Lists, *, is_on_top: bool = False) -> Item:
    """Return a collection with a name. Raises NotObservable."""
    for item in lists.top_items if is_on_top else lists.items:
        if text_of(item, "name").strip() and lists.unknown not in item["name"]:
            return item
    level_text = "on the top level" if is_on_top else "seen"
    raise NotObservable(f"no collection with a name is {level_text}")


def tagged_item(lists: Lists) -> tuple[Item, str]:
    """Return a collection and a tag that is not in its name. Raises NotObservable."""
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
        response = lists.page(searchText=text, parentId=parent, pageSize=30)
        raise Breach(f"{item['_id']} to be found", "a list without it", response)


def _check_nothing(lists: Lists, text: str) -> None:
    response = lists.page(searchText=text, pageSize=30)
    require(lists.items, "the dataset shows no collections")
    if response.items:
        raise Breach("an empty list", f"{len(response.items)} items", response)


def _items(lists: Lists) -> list[tuple[Response, Item]]:
    pairs = [(page, item) for page in lists.pages for item in page.items]
    require(pairs, "the dataset shows no collections")
    return pairs


_PIN_RESPONSE = {"code": 200, "statusText": "", "message": "", "data": None}


@rules.add("4.1")
def pin_answer(server: Server) -> None:
    """The response to a pin has `code` 200, empty texts and `data` null."""
    response = server.pins.pin(top=_tops_that_change(server.pins)[0])
    if response.status != 200 or response.document != _PIN_RESPONSE:
        raise Breach(
            "HTTP 200 and the documented response", response.summary(), response
        )


@rules.add("3")
def pin_states(server: Server) -> None:
    """`top` true pins the chat; `top` false unpins it."""
    pins = server.pins
    pins.check()
    start = pins.top
    for top in (not start, start):
        response = pins.pin_or_stop(top=top)
        if pins.top is not top:
            raise Breach(f"the chat with top {top}", f"top {not top}", response)


@rules.add("3")
def pin_idempotent(server: Server) -> None:
    """A repeated pin or unpin changes nothing."""
    pins = server.pins
    for top in _tops_that_change(pins):
        first, second = pins.pin_or_stop(top=top), pins.pin(top=top)
        if second.error_kind != first.error_kind or second.document != first.document:
            raise Breach("the same response again", second.summary(), second)
    for top in (True, False):
        pins.pin_or_stop(top=top)
        once = pins.top
        second = pins.pin(top=top)
        if pins.top is not once:
            raise Breach(f"the chat with top {once} still", f"top {not once}", second)


def _tops_that_change(pins: Pins) -> tuple[bool, bool]:
    """Return two values of `top`, each of which should change the chat."""
    pins.check()
    now = pins.top if pins.is_shown else pins.last_top
    return not now, now
