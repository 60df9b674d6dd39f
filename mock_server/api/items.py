"""Collections as JSON (spec 2.2), joined to pages (spec 4.2).

What does not depend on the caller is encoded once for each collection; `permission`,
the last field, is put on per page.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from mock_server.domain.access import Level
from mock_server.domain.choices import Choices
from mock_server.domain.datasets import Collection
from mock_server.domain.limits import LIMITS
from mock_server.domain.listing import Page
from mock_server.domain.times import format_time


class PageWriter:
    """Writes pages as JSON and keeps the texts of recently listed collections."""

    def __init__(self) -> None:
        self._item = lru_cache(LIMITS.cached_items)(item_text)

    def __call__(self, page: Page, choices: Choices) -> bytes:
        """`{"list": [...], "total": N}`."""
        extended = choices.item_fields == "extended"
        tags_absent = choices.tags_empty == "absent"
        items = [self._item(item, extended, tags_absent) for item in page.items]
        end = b',"permission":%b}' % _PERMISSIONS[page.level]
        joined = (end + b",").join([*items, b""])[:-1] if items else b""
        return b'{"list":[%b],"total":%d}' % (joined, page.total)


def item_text(item: Collection, extended: bool, tags_absent: bool) -> bytes:
    """A collection as a JSON object that still lacks `permission` and its end."""
    fields: dict[str, object] = {
        "_id": item.id,
        "parentId": item.parent_id,
        "tmbId": item.tmb_id,
        "type": item.type,
        "name": item.name,
        "updateTime": format_time(item.update_time),
        "dataAmount": item.data_amount,
        "trainingAmount": item.training_amount,
        "externalFileId": item.external_file_id,
        "tags": item.tags,
        "forbid": item.forbid,
        "trainingType": item.training_type,
    }
    if tags_absent and not item.tags:
        del fields["tags"]
    if extended:
        fields |= _extended(item)
    return msgspec.json.encode(fields)[:-1]


def _extended(item: Collection) -> dict[str, object]:
    created = item.update_time if item.create_time is None else item.create_time
    optional = {"fileId": item.file_id, "rawLink": item.raw_link}
    return {
        "createTime": format_time(created),
        "hasError": item.has_error,
        **{name: value for name, value in optional.items() if value is not None},
    }


def permission(level: Level) -> dict[str, int | bool]:
    """The permission object of spec 2.2 for a caller of that level."""
    return {
        "value": level.value,
        "isOwner": level is Level.OWNER,
        "hasManagePer": level.includes(Level.MANAGE),
        "hasWritePer": level.includes(Level.WRITE),
        "hasReadPer": level.includes(Level.READ),
    }


_PERMISSIONS = {level: msgspec.json.encode(permission(level)) for level in Level}
