"""Collections as JSON (spec 2.2), joined to pages (spec 4.2).

What does not depend on the caller is encoded once for each collection; `permission`,
the last field, is put on per page. Pages are kept too: clients ask again and again.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from mock_server.api.response import success_envelope
from mock_server.domain.access import Level
from mock_server.domain.clock import format_time
from mock_server.domain.listing import Page
from mock_server.domain.records import Collection
from mock_server.domain.state import State


def write_page(page: Page, state: State) -> bytes:
    """The answer of which the data is `{"list": [...], "total": N}`."""
    choices = state.choices
    look = choices.item_fields, choices.tags_empty
    key = (tuple(page.items), page.total, page.level, *look)
    text = state.texts.get(key)
    return state.texts.put(key, _page_text(page, state)) if text is None else text


def _page_text(page: Page, state: State) -> bytes:
    items = [_item_text(item, state) for item in page.items]
    end = b',"permission":%b}' % _PERMISSIONS[page.level]
    joined = (end + b",").join([*items, b""])[:-1] if items else b""
    return success_envelope(b'{"list":[%b],"total":%d}' % (joined, page.total))


def _item_text(item: Collection, state: State) -> bytes:
    extended = state.choices.item_fields == "extended"
    tags_absent = state.choices.tags_empty == "absent"
    key = item, extended, tags_absent
    text = state.texts.get(key)
    if text is None:
        text = state.texts.put(key, item_text(item, extended, tags_absent))
    return text


class Item(Struct, rename="camel"):
    """A collection (spec 2.2) as every caller sees it.

    The last four fields are the deployed service's (choice item_fields=extended).
    """

    id: str = field(name="_id")
    parent_id: str | None
    tmb_id: str
    type: str
    name: str
    update_time: str
    data_amount: int
    training_amount: int
    external_file_id: str
    tags: tuple[str, ...] | UnsetType
    forbid: bool
    training_type: str
    create_time: str | UnsetType = UNSET
    has_error: bool | UnsetType = UNSET
    file_id: str | UnsetType = UNSET
    raw_link: str | UnsetType = UNSET


class Permission(Struct, rename="camel"):
    """What the caller may do with a collection (spec 2.2)."""

    value: int
    is_owner: bool
    has_manage_per: bool
    has_write_per: bool
    has_read_per: bool


class ListedCollection(Item, kw_only=True):
    """A collection as it stands in a page."""

    permission: Permission


class ListedPage(Struct):
    """A page of matching collections, and how many match (spec 4.2)."""

    items: list[ListedCollection] = field(name="list")
    total: int


def item_text(item: Collection, extended: bool, tags_absent: bool) -> bytes:
    """A collection as a JSON object that still lacks `permission` and its end."""
    shown = Item(
        id=item.id,
        parent_id=item.parent_id,
        tmb_id=item.tmb_id,
        type=item.type,
        name=item.name,
        update_time=format_time(item.update_time),
        data_amount=item.data_amount,
        training_amount=item.training_amount,
        external_file_id=item.external_file_id,
        tags=UNSET if tags_absent and not item.tags else item.tags,
        forbid=item.forbid,
        training_type=item.training_type,
    )
    if extended:
        _extend(shown, item)
    return msgspec.json.encode(shown)[:-1]


def _extend(shown: Item, item: Collection) -> None:
    created = item.update_time if item.create_time is None else item.create_time
    shown.create_time = format_time(created)
    shown.has_error = item.has_error
    shown.file_id = UNSET if item.file_id is None else item.file_id
    shown.raw_link = UNSET if item.raw_link is None else item.raw_link


def permission(level: Level) -> Permission:
    """The permission object of spec 2.2 for a caller of that level."""
    return Permission(
        value=level.value,
        is_owner=level is Level.OWNER,
        has_manage_per=level >= Level.MANAGE,
        has_write_per=level >= Level.WRITE,
        has_read_per=level >= Level.READ,
    )


_PERMISSIONS = {level: msgspec.json.encode(permission(level)) for level in Level}
