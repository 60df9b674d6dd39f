"""Continue chats by completions, and find, rate and delete their records.

The API layer has already checked the fields. Completions call no model, but store the
conversation.
"""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain import errors
from mock_server.domain.call import Call
from mock_server.domain.errors import refusal
from mock_server.domain.faults.definition import Match
from mock_server.domain.objects.chat_records import all_records, indexes_among
from mock_server.domain.objects.models import SPEAKERS, App, Chat, ChatRecord, Feedback
from mock_server.domain.objects.pending import Steps, pieces, select_in_steps
from mock_server.domain.pinning import UNUSABLE_IDS
from mock_server.domain.replies import (
    Pace,
    ReplyPart,
    ReplyTurns,
    StoredReply,
    encode_parts,
    parts_of,
    text_of,
)
from mock_server.domain.storage.store import Store

RecordNotFound = refusal("RecordNotFound", "404 recordNotFound", "500 500 error")


def records_around(
    call: Call,
    records: Sequence[ChatRecord],
    size: int,
    middle: str | None = None,
    before: str | None = None,
    after: str | None = None,
) -> tuple[int, int]:
    """Return the start index and the end index of the `size` requested records.

    `middle`, `before` and `after` are ids of records; the first one that is given
    decides which records are returned. Without an id, the latest records are returned.
    Raises RecordNotFound, NotReady.
    """

    def indexes_of(record_id: str, field: str) -> Sequence[int]:
        # A question and its reply may share an id.
        # Deleted records are searched too: a deletion meanwhile moves none of them.
        found = _find_records(call, all_records(records), {record_id})
        indexes = indexes_among(records, [*found])
        if not indexes:
            raise RecordNotFound.of(record_id, "the id of a chat record", f"$.{field}")
        return indexes

    end = len(records)
    if middle:
        start = max(0, indexes_of(middle, "initialId")[0] - size // 2)
        return start, min(start + size, end)
    if before:
        end = indexes_of(before, "prevId")[0]
    elif after:
        start = indexes_of(after, "nextId")[-1] + 1
        return start, min(start + size, end)
    return max(0, end - size), end


def _find_records(
    call: Call, records: Sequence[ChatRecord], ids: Set[str]
) -> dict[int, ChatRecord]:
    """Return the records with these ids by index; `records` are all of a chat.

    Raises NotReady.
    """
    steps = select_in_steps(records, lambda each: each.id in ids)
    indexes = call.compute("records", steps)
    # The chat may have been replaced meanwhile.
    found = {at: records[at] for at in indexes if at < len(records)}
    return {at: each for at, each in found.items() if each.id in ids}


def find_reply(call: Call, app: App, chat_id: str, data_id: str) -> ChatRecord | None:
    """Return the first reply with this `data_id`, or None. Raises NotReady."""
    records = call.store.records(app, chat_id)
    found = _find_records(call, records, {data_id}).values()
    return next((each for each in found if each.obj == "AI"), None)


def delete_records(call: Call, app: App, chat_id: str, data_ids: Set[str]) -> None:
    """Mark the records with these ids as deleted. Raises LimitReached, NotReady.

    Unknown ids are ignored; the journal gets a hint.
    """
    now, records = call.now, call.store.records(app, chat_id)
    matches = _find_records(call, records, data_ids)
    if data_ids - {each.id for each in matches.values()}:
        call.state.hint("the chat has no record for some of these dataIds")
    deleted = {
        index: replace(each, delete_time=now)
        for index, each in matches.items()
        if each.delete_time is None
    }
    if deleted:
        call.store.change_records(app, chat_id, deleted)


def give_feedback(
    call: Call, app: App, chat_id: str, data_id: str, feedback: Feedback
) -> None:
    """Replace the feedback on a reply. Raises RecordNotFound, LimitReached, NotReady.

    Up to version 4.14, the first record with this `data_id` gets the feedback.
    """
    speakers = ("AI",) if call.facts.feedback_needs_a_reply else SPEAKERS
    records = call.store.records(app, chat_id)
    for index, record in _find_records(call, records, {data_id}).items():
        if record.obj in speakers:
            updated = replace(record, feedback=feedback.to_json())
            call.store.change_records(app, chat_id, {index: updated})
            return
    raise RecordNotFound.of(data_id, "the dataId of a reply of the chat", "$.dataId")


_DEFAULT_TITLES = ("", "新对话", "历史记录")
"""Titles of chats that have no title of their own yet."""
TITLE_CHARS = 20
"""Number of characters of a question that become the title of its chat."""
_CUT_KEY = re.compile(r"(?:fastgpt|sk)-[\w-]*$", re.IGNORECASE)


NOT_RECORDED = "NO_RECORD_HISTORIES"
"""Id of a chat that is never recorded."""
RecordTaken = refusal("RecordTaken", "409 recordTaken", "500 500 error")


class Turn(Struct, frozen=True):
    """A question to a chat, and the ids of the new records.

    `reply_id` and `question_id` are the dataIds of reply and question. `title`
    replaces the title that the chat would get from the question.
    """

    question: str
    chat_id: str | None = None
    reply_id: str | None = None
    question_id: str | None = None
    title: str | None = None


class CompletionResult(Struct, frozen=True):
    """The result of a completion: the parts of the reply, and the pace of its stream.

    `chat_id` is the id that the response shows, which may be empty; `title` is the
    title that the turn gave to the chat, or None.
    """

    chat_id: str
    parts: Sequence[ReplyPart]
    pace: Pace
    title: str | None


def complete_turn(call: Call, app: App, turn: Turn) -> CompletionResult:
    """Reply to a question, and record both; create the chat if it is unknown.

    The reply is `call.reply`, else the next reply of the app that fits, or of the
    fixture if the app declares none, else the question itself. Raises InvalidField,
    RecordTaken, LimitReached.
    """
    state, store = call.state, call.store
    _check_turn(call, app, turn)
    chat_id = turn.chat_id or _new_chat_id(store, app)
    reply, owner, turns = _choose_reply(call, app)
    if reply is None and (app.replies or store.fixture.replies or state.faults.all()):
        state.hint("no reply fits, or none is left: the question is repeated")
    parts = parts_of(turn.question, None) if reply is None else reply.all_parts
    own_pace = reply.stream if reply else None
    pace = own_pace or app.pace or state.pace
    title = None
    has_failed = bool(parts) and parts[-1].error is not None
    is_recorded = not has_failed or call.facts.failed_turns_are_recorded
    if is_recorded and chat_id != NOT_RECORDED:
        title = _record(call, app, chat_id, turn, parts[-1:] if has_failed else parts)
    if turns is not None:
        store.turns[owner] = turns
    if turn.chat_id is None and not call.facts.new_chats_are_named:
        chat_id = ""
    return CompletionResult(chat_id, parts, pace, title)


def _record(
    call: Call, app: App, chat_id: str, turn: Turn, parts: Sequence[ReplyPart]
) -> str | None:
    """Record a turn; return the title for the response, or None.

    If LimitReached or NotReady is raised, nothing is stored.
    """
    store, now = call.store, call.now
    store.changeable_records(app, chat_id)  # raises NotReady before any change
    old = store.chat(app, chat_id)
    chat = _new_chat(call, app, chat_id) if old is None else old
    title, response_title = _titles(call, chat, turn)
    reply_id = turn.reply_id or store.new_id()
    question_id = reply_id
    if not call.facts.turns_share_an_id:
        question_id = turn.question_id or store.new_id()
    records = (
        ChatRecord(question_id, "Human", turn.question, now),
        ChatRecord(reply_id, "AI", text_of(parts), now, encode_parts(parts)),
    )
    store.put_chat(app, replace(chat, title=title, update_time=now))
    try:
        store.add_records(app, chat_id, records)
    except errors.LimitReached:
        if old is None:
            store.remove_chats(app, chat_id)
        else:
            store.put_chat(app, old)
        raise
    return response_title


def title_of(question: str) -> str:
    """Return the beginning of a question, without the beginning of an API key.

    An unknown key that is cut could not be redacted.
    """
    title = question[:TITLE_CHARS]
    return title if title == question else _CUT_KEY.sub("", title)


def _titles(call: Call, chat: Chat, turn: Turn) -> tuple[str, str | None]:
    """Return the title of a chat after a turn, and the title for the response."""
    new_title = title_of(turn.question) if turn.title is None else turn.title
    if not call.facts.first_turn_titles_a_chat:
        return new_title or _DEFAULT_TITLES[1], None
    if chat.custom_title or chat.title not in _DEFAULT_TITLES:
        return chat.title, None
    return new_title.strip(), new_title.strip() or None


def _choose_reply(
    call: Call, app: App
) -> tuple[StoredReply | None, str, ReplyTurns | None]:
    """Return the declared reply, its key in `store.turns`, and the turns to store.

    The reply is None if no declared reply fits. The turns are None for `call.reply`.
    """
    if call.reply is not None:
        return call.reply, "", None
    replies, owner = app.replies, app.id
    if not replies:
        replies, owner = call.store.fixture.replies, ""
    turns, request = call.store.turns.get(owner, ReplyTurns()), call.request

    def fits(match: Match) -> bool:
        return request is not None and request.matches_conditions(match, "completions")

    reply, turns = turns.next_reply(replies, fits)
    return reply, owner, turns


def _new_chat(call: Call, app: App, chat_id: str) -> Chat:
    """Return a new chat; if the caller is a visitor, the chat is the visitor's."""
    chat, visitor = Chat(app.id, chat_id), call.caller.visitor
    if visitor is None or visitor.share is None:
        return chat
    return replace(chat, share_id=visitor.share.id, out_link_uid=visitor.uid)


_MONTH_MS = 30 * 24 * 3_600_000


def is_listed(call: Call, chat: Chat) -> bool:
    """Return True if lists show a chat to the caller.

    A visitor sees only their own chats of the last 30 days.
    """
    if call.caller.visitor is None:
        return True
    return chat.update_time >= call.now - _MONTH_MS and call.may_see(chat)


def remove_listed_chats(call: Call, app: App) -> Steps[int]:
    """Remove the chats of an app that lists show to the caller; count them."""
    chats = call.store.chats_and_gaps(app)
    ids = (None if each is None else each.chat_id for each in chats)
    return remove_chats(call, app, ids, partial(is_listed, call))


def remove_chats(
    call: Call, app: App, ids: Iterable[str | None], is_removed: Callable[[Chat], bool]
) -> Steps[int]:
    """Remove those chats with these ids for which `is_removed` is true; count them.

    Between two steps, other requests see the chats that are left, and may change them.
    A chat counts as it is when its step begins. An id may be None.
    """
    store, loaded, count = call.store, app.chats, 0
    for _, chunk in pieces(ids):
        current = store.app(app.id)
        if current is None or current.chats is not loaded:
            break  # another request has removed or replaced all these chats
        chats = [store.chat(current, each) for each in chunk if each]
        removed = [each.chat_id for each in chats if each and is_removed(each)]
        store.remove_chats(current, *removed)
        count += len(removed)
        yield
    return count


def _new_chat_id(store: Store, app: App) -> str:
    while True:
        new_id = store.new_id()
        if store.chat(app, new_id) is None:
            return new_id


def _check_turn(call: Call, app: App, turn: Turn) -> None:
    """Raise InvalidField, RecordTaken or LimitReached if a turn cannot be recorded."""
    state, store, limits = call.state, call.store, call.state.limits
    chat_id, reply_id = turn.chat_id, turn.reply_id
    for name, record_id in (("chatId", chat_id), ("responseChatItemId", reply_id)):
        if record_id in UNUSABLE_IDS:
            expected = "an id that the path of a URL can hold"
            raise errors.InvalidField(expected, repr(record_id), f"$.{name}")
    if chat_id == NOT_RECORDED:
        return
    if chat_id and store.chat(app, chat_id) is not None:
        records = store.records(app, chat_id)
        if len(records) + 2 > limits.chat_records:
            expected = f"at most {limits.chat_records} records of a chat"
            raise errors.LimitReached(expected, "two more", "$.chatId")
        is_taken = any(each.obj == "AI" and each.id == reply_id for each in records)
        if reply_id and is_taken and call.facts.turns_share_an_id:
            expected, at = "the dataId of no reply of the chat", "$.responseChatItemId"
            raise RecordTaken.of(reply_id, expected, at)
    elif state.store.created_chats >= limits.created_chats:
        expected = f"at most {limits.created_chats} created chats"
        raise errors.LimitReached(expected, "one more", "$.chatId")
