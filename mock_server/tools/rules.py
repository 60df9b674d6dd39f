"""The rules of the spec that a server keeps, whatever its choices are."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal

from msgspec import defstruct, json

from mock_server.decoding import JsonObject, convert_or_refuse
from mock_server.service.rights import Permission
from mock_server.store.objects import ValuedTag, fold_text
from mock_server.tools.probe import MAX_ITEMS, Probe, ids_of, require, require_first, tag_names

SpecPermission: Any = defstruct(
    "SpecPermission", [("value", int)], bases=(Permission,), frozen=True, kw_only=True
)
TEXT_FIELDS = ("_id", "tmbId", "type", "name", "externalFileId", "trainingType")
ITEM_FIELDS: dict[str, Any] = dict.fromkeys(TEXT_FIELDS, str) | {
    "parentId": str | None,
    "updateTime": datetime,
    "tags": list[str | ValuedTag],
    "dataAmount": float,
    "trainingAmount": float,
    "forbid": bool,
    "permission": SpecPermission,
}
SpecCollection: Any = defstruct("SpecCollection", [*ITEM_FIELDS.items()])
# FastGPT's `permission` has no `value`, and some fields are sent only if they are set.
SERVICE_FIELDS = ITEM_FIELDS | {"permission": Permission}
ServiceCollection: Any = defstruct("ServiceCollection", [*SERVICE_FIELDS.items()])
NOT_ALWAYS_SENT = {"tags": [], "forbid": False, "externalFileId": "", "trainingType": ""}
SpecPage: Any = defstruct("SpecPage", [("list", list[JsonObject]), ("total", int)])
ENVELOPE = [("code", Literal[200]), ("statusText", str), ("message", str), ("data", SpecPage)]
SpecEnvelope: Any = defstruct("SpecEnvelope", ENVELOPE, forbid_unknown_fields=True)
PIN_SUCCESS = {"code": 200, "statusText": "", "message": "", "data": None}


def expect(expected: str, got: object, is_right: bool) -> None:
    """Raises AssertionError, with both values, unless `is_right`."""
    if not is_right:
        raise AssertionError(f"Expected {expected}, got {json.encode(got).decode():.200}")


def check_envelope(server: Probe) -> None:
    """A list comes in an envelope with four fields."""
    response = server.ask_list()
    is_success = response.status == 200 and str(response.code) == "200"
    require(is_success, f"a list is refused with code {response.code}")
    convert_or_refuse(response.body, SpecEnvelope)


def check_fields(server: Probe) -> None:
    """Collections have the fields and types of the spec, or those that FastGPT sends."""
    # The first page is checked first: `items` reads folders by these fields.
    check_item_fields(server.page().items)
    check_item_fields(server.items)


def check_item_fields(items: list[JsonObject]) -> None:
    """Raises Refusal for a collection with a wrong field."""
    for item in items:
        if item.keys() <= ITEM_FIELDS.keys():
            convert_or_refuse({"tags": []} | item, SpecCollection)
        else:
            convert_or_refuse(NOT_ALWAYS_SENT | item, ServiceCollection)


def check_pages(server: Probe) -> None:
    """Pages of three sizes join without gaps and repetitions, and have the same total."""
    parent, items = server.longest_folder
    ids = ids_of(items)
    require(len(ids) < MAX_ITEMS, "too many collections")
    expect("each collection once", ids, len({*ids}) == len(ids))
    for size in (1, 7, 30):
        offsets = range(0, len(ids) + size, size)
        # Only the last pages of a long list are read, and the one past its end.
        for offset in offsets[-12:]:
            page = server.page(parentId=parent, pageSize=size, offset=offset)
            got = [page.total, ids_of(page.items)]
            is_right = got == [len(ids), ids[offset : offset + size]]
            expect(f"total {len(ids)} and its items from {offset}", got, is_right)


def check_folders(server: Probe) -> None:
    """A `parentId` lists its folder, and null lists the top level."""
    for parent, level in server.levels.items():
        parents = {it["parentId"] for it in level}
        expect(f"only the parentId {parent or 'null'}", parents, parents <= {parent})


def check_search(server: Probe) -> None:
    """A search ignores the case of letters, and takes its text literally: a dot is a dot."""
    # A name in ASCII is preferred: other letters may have no second case, or several.
    item = min(server.levels[None], key=lambda it: not it["name"].isascii())
    text = item["name"][:40].strip().swapcase()
    found_ids = ids_of(server.all_items(searchText=text))
    expect(f"{item['_id']} for {text!r}", found_ids, item["_id"] in found_ids)
    for search_text in (text, f".{text[1:]}", ".*"):
        for found in server.all_items(searchText=search_text):
            names = [found["name"], *tag_names(found)]
            is_in_one = any(fold_text(search_text) in fold_text(name) for name in names)
            expect(f"{search_text!r} in a name or a tag", names, is_in_one)


def check_pin(server: Probe) -> None:
    """`top` pins and unpins, also twice in a row, with data null. The pin is put back."""
    id, was_pinned = require_first(server.read_pins().items(), "the app has no chats")
    server.not_restored += [f"the updateTime of chat {id}", f"the pin of chat {id}"]
    try:
        for top in (not was_pinned, not was_pinned, was_pinned, was_pinned):
            response = server.set_top(id, top)
            is_right = response.status == 200 and response.body == PIN_SUCCESS
            expect("the envelope of a success, with data null", response.body, is_right)
            is_pinned = server.read_pins()[id]
            expect(f"the chat {id} as it was set", is_pinned, is_pinned == top)
    finally:
        if server.set_top(id, was_pinned).is_accepted and server.read_pins()[id] == was_pinned:
            server.not_restored.pop()


RULES: dict[str, tuple[str, Callable[[Probe], None]]] = {
    "envelope": ("2.3", check_envelope),
    "fields": ("2.2", check_fields),
    "pages": ("4.2", check_pages),
    "folders": ("4.2", check_folders),
    "search": ("4.2", check_search),
    "pin": ("4.1", check_pin),
}
"""For each rule its section of the spec, and a check that raises AssertionError or Refusal."""
