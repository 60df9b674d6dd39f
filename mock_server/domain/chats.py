"""Chat sessions beyond the pin: who may see them, in which order, their records."""

from collections.abc import Sequence

from msgspec import Struct

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.records import App, Chat, ChatRecord
from mock_server.domain.state import State


def app_for(
    state: State, caller: Caller, app_id: str, level: Level = Level.READ
) -> App:
    """The application of that id, with which the caller may do so much.

    Raises AppNotFound, AppForbidden, in this order.
    """
    app = state.store.app(app_id)
    if app is None:
        got = errors.describe_value(app_id)
        raise errors.AppNotFound("the id of an app", got, "$.appId")
    if app.level_of(caller) < level:
        permission = f"{level.name.lower()} permission on app"
        expected = f"a key with {permission} {errors.quoted(app.id)}"
        raise errors.AppForbidden(expected, "a key without it", "$.appId")
    return app


def first_readable_app(state: State, caller: Caller) -> App:
    """The first application that a caller may read. Raises AppNotFound."""
    for app in state.store.apps():
        if app.level_of(caller) >= Level.READ:
            return app
    expected, hint = "the id of an app", "the key may read no app at all"
    raise errors.AppNotFound(expected, "nothing", "$.appId", hint)


def histories(
    state: State, app: App, since: int | None = None, until: int | None = None
) -> Sequence[Chat]:
    """The chat sessions of an application: pinned ones first, then the latest.

    Only those updated within these times, in milliseconds; None is no bound.
    """
    chats = state.store.chats_in_order(app)
    if since is None and until is None:
        return chats
    return [
        chat
        for chat in chats
        if (since is None or chat.update_time >= since)
        and (until is None or chat.update_time <= until)
    ]


class Around(Struct, frozen=True):
    """The records at which a part of them begins or ends, by id.

    One of them is looked at: the first that is given.
    """

    middle: str | None = None
    before: str | None = None
    after: str | None = None


def records_around(
    records: Sequence[ChatRecord], around: Around, size: int
) -> tuple[int, int]:
    """Where the part of `size` records begins, and where it ends.

    It is the latest, or has a record in its middle, or ends before one, or begins after
    one. Raises RecordNotFound.
    """
    end = len(records)
    if around.middle is not None:
        start = _index(records, around.middle, "initialId") - size // 2
        return max(0, start), min(max(0, start) + size, end)
    if around.before is not None:
        end = _index(records, around.before, "prevId")
    elif around.after is not None:
        start = _index(records, around.after, "nextId") + 1
        return start, min(start + size, end)
    return max(0, end - size), end


def _index(records: Sequence[ChatRecord], record_id: str, field: str) -> int:
    for index, record in enumerate(records):
        if record.id == record_id:
            return index
    expected, got = "the id of a chat record", errors.describe_value(record_id)
    raise errors.RecordNotFound(expected, got, f"$.{field}")
