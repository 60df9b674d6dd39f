"""The kind `alter`: items with changed fields."""

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from msgspec import Raw, field
from msgspec.structs import replace

from mock_server.api.faults.answering import value_of
from mock_server.api.faults.fault import Fault, FaultContext, wrong_field
from mock_server.api.response import Response
from mock_server.api.slices import in_slices, let_others_run
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.printable import size_text
from mock_server.domain.validation.walk import size_as_json

_MAX_ADDED_BYTES = DEFAULT_LIMITS.response_bytes
# Items stay JSON, and so do their values: only their fields are changed.
_Value = dict[str, Raw] | list[Raw] | str | int | float | bool | None
_Data = dict[str, _Value] | list[Raw] | str | int | float | bool | None
_ENVELOPE = msgspec.json.Decoder(dict[str, _Data])
_ITEM = msgspec.json.Decoder(dict[str, Raw])


class Alter(Fault, tag="alter"):
    """Fields of every item of a page are set or removed."""

    chinese = "一页中的每个条目都被设置或删除若干字段。"
    required_fields: ClassVar[Mapping[str, Any]] = {"set": {"a": 1}}
    trait = "page"
    schema: ClassVar[Mapping[str, Any]] = {
        "anyOf": [
            {"required": ["set"], "properties": {"set": {"minProperties": 1}}},
            {"required": ["remove"], "properties": {"remove": {"minItems": 1}}},
        ]
    }

    changes: dict[str, Any] = field(default_factory=dict, name="set")
    """Fields to set, with values."""
    removals: list[str] = field(default_factory=list, name="remove")
    """Fields to remove."""

    def check(self) -> None:
        """Require at least one change, and a limited size. Raises InvalidField."""
        super().check()
        if not (self.changes or self.removals):
            raise wrong_field("fields to set, or to remove", "none", "set")
        for name, value in (("set", self.changes), ("remove", self.removals)):
            size = size_as_json(value)
            if size is None:
                raise wrong_field("Unicode text", "a lone surrogate", name)
            if size > Published.altered_bytes:
                raise wrong_field(
                    f"at most {Published.altered_bytes} bytes", "more", name
                )

    async def apply(self, context: FaultContext) -> Response:
        response = await context.perform()
        if response.status != 200:
            return response
        await let_others_run()  # the operation may have taken long
        decode = _ENVELOPE.decode if context.request.answer is None else _decode_answer
        envelope = decode(response.body)
        # Errors stay, even if choice error_http_status gives them status 200.
        if envelope.get("code") != 200:
            return response
        items = items_of(envelope.get("data"))
        changes = {
            name: Raw(msgspec.json.encode(value))  # encoded once for all items
            for name, value in self.changes.items()
        }
        removed = {*self.removals}
        size, added_bytes = len(msgspec.json.encode(self.changes)), 0
        async for index, item in in_slices(enumerate(items)):
            try:
                fields = _ITEM.decode(item)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # no object, or no Unicode
            added_bytes += size
            _check_added(added_bytes)
            fields.update(changes)
            for name in fields.keys() & removed:
                del fields[name]
            items[index] = Raw(msgspec.json.encode(fields))
        return replace(response, body=msgspec.json.encode(envelope))


def _decode_answer(body: bytes) -> dict[str, Any]:
    """Return the envelope of an answer; empty if it has none. Raises LimitReached."""
    return value_of(body, _ENVELOPE) or {}


def _check_added(size: int) -> None:
    """Limit the added bytes as those of an answer. Raises LimitReached."""
    if size > _MAX_ADDED_BYTES:
        expected = (
            f"fields of at most {size_text(_MAX_ADDED_BYTES)} to set on all items"
        )
        raise LimitReached(expected, "more", "the fault", "set less, or fewer items")


def items_of(data: Any) -> list[Raw]:
    """Return the items in the data of a page, which may be a list itself."""
    items = data.get("list", data.get("data")) if isinstance(data, dict) else data
    return items if isinstance(items, list) else []
