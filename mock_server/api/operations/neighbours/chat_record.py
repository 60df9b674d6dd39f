"""A chat record as lists show it."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from mock_server.domain.clock import format_time
from mock_server.domain.records import ChatRecord
from mock_server.fixture.document import Time
from mock_server.views import View


class Content(Struct):
    """A text."""

    content: str


class Value(Struct, omit_defaults=True):
    """A part of a message; there are only texts, and newer lists name no type."""

    text: Content
    type: str = ""


class RecordView(View, kw_only=True):
    """A message of a chat session; what stands last is of replies only."""

    id: str = field(name="_id")
    data_id: str
    id_again: str | UnsetType = field(name="id", default=UNSET)
    obj: str
    value: list[Value]
    time: Time
    hide_in_ui: bool = field(name="hideInUI", default=False)
    total_quote_list: list[Any] | UnsetType = UNSET
    total_running_time: float | UnsetType = UNSET
    use_agent_sandbox: bool | UnsetType = UNSET


def record_view(record: ChatRecord, *, is_v2: bool = False) -> RecordView:
    """A record as it is shown, in the form of `getRecords_v2` or the older one."""
    shown = RecordView(
        id=record.id,
        data_id=record.id,
        obj=record.obj,
        value=[Value(Content(record.text), "" if is_v2 else "text")],
        time=format_time(record.time),
    )
    if is_v2:
        shown.id_again = record.id
    if record.obj == "AI":
        shown.total_quote_list = []
        shown.total_running_time = 0
        shown.use_agent_sandbox = False
    return shown
