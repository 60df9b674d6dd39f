"""Pin chats (spec 3, 4.1), continue them by completions, and find their records.

Choices decide the behaviour that the spec leaves open. The API layer has already
checked the fields. Completions call no model, but store the conversation.
"""

from collections.abc import Iterable, Sequence, Set
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import AppNotFound, Call
from mock_server.domain.choices.reading import choices_hint, remedies
from mock_server.domain.errors import refusal
from mock_server.domain.faults.definition import Match
from mock_server.domain.messages import cut, nearest, quoted
from mock_server.domain.objects.models import SPEAKERS, App, Chat, ChatRecord, Feedback
from mock_server.domain.objects.pending import select_in_steps
from mock_server.domain.replies import (
    DeclaredReply,
    Pace,
    ReplyPart,
    ReplyTurns,
    encode_parts,
    parts_of,
    text_of,
)
from mock_server.domain.sandboxes.state import State
from mock_server.domain.storage.store import Store

ChatNotFound = refusal("ChatNotFound", "404 chatNotFound", "500 504000 unAuthChat")
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

    def indexes_of(record_id: str, field: str) -> list[int]:
        # A question and its reply may share an id.
        indexes = list(_indexes_of(call, records, {record_id}))
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


def _indexes_of(
    call: Call, records: Sequence[ChatRecord], ids: Set[str]
) -> Iterable[int]:
    """Return the indexes of the records with these ids. Raises NotReady."""
    steps = select_in_steps(records, lambda each: each.id in ids)
    indexes = call.compute("records", steps)
    # The chat may have been replaced meanwhile.
    return (at for at in indexes if at < len(records) and records[at].id in ids)


def delete_records(call: Call, app: App, chat_id: str, data_ids: Set[str]) -> None:
    """Mark the records with these ids as deleted. Raises LimitReached, NotReady.

    Unknown ids are ignored; the journal gets a hint.
    """
    now, records = call.now, call.store.records(app, chat_id)
    matches = {at: records[at] for at in _indexes_of(call, records, data_ids)}
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
    for index in _indexes_of(call, records, {data_id}):
        record = records[index]
        if record.obj in speakers:
            updated = replace(record, feedback=feedback.to_json())
            call.store.change_records(app, chat_id, {index: updated})
            return
    raise RecordNotFound.of(data_id, "the dataId of a reply of the chat", "$.dataId")


class UpdateHistory(Struct, frozen=True):
    """The fields of a pin. The chat keeps its value where a field is None.

    Only with choice top_missing=ignore, `top` may be None and titles are given.
    """

    app_id: str
    chat_id: str
    top: bool | None = None
    title: str | None = None
    custom_title: str | None = None

    def apply(self, chat: Chat, now: int) -> Chat:
        """Return the chat after this pin at `now` (milliseconds)."""
        title, custom_title = self.title, self.custom_title
        # Arguments by position, because keywords are slower.
        return Chat(
            chat.app_id,
            chat.chat_id,
            chat.title if title is None else title,
            chat.custom_title if custom_title is None else custom_title,
            chat.top if self.top is None else self.top,
            now,
            chat.share_id,
            chat.out_link_uid,
        )


def update_history(call: Call, request: UpdateHistory) -> None:
    """Pin or unpin a chat (spec 4.1). A repeated pin changes only the update time.

    Raises AppNotFound, ChatNotFound (choice chat_unknown), AppForbidden, in this order;
    and LimitReached.
    """
    state, store = call.state, call.store
    unknown = state.choices.chat_unknown
    app = store.app(request.app_id)
    if app is None:
        hint = call.unknown_id_hint(request.app_id, store.apps())
        raise AppNotFound.of(request.app_id, "the id of an app", "$.appId", hint)
    chat = store.chat(app, request.chat_id)
    may_read = app.level_of(call.caller) >= Level.READ
    if chat is None and unknown == "not_found":
        expected = f"a chat session of app {quoted(app.id)}"
        hint = _how_to_pin(call, app, request) if may_read else ""
        raise ChatNotFound.of(request.chat_id, expected, "$.chatId", hint)
    if not may_read:
        call.require(app, Level.READ, "$.appId")
    if chat is None and unknown == "create":
        chat = _pinned_chat(state, app, request)
    if chat is None:
        reason = "the app has no chat session of this chatId"
        state.hint(f"{reason}: nothing was changed (choice chat_unknown=ignore)")
    else:
        store.put_chat(app, request.apply(chat, state.clock.now()))


# Clients remove these segments from the path of a URL (RFC 3986 5.2.4), so they could
# never request such a chat.
_UNUSABLE_IDS = (".", "..")


def _pinned_chat(state: State, app: App, request: UpdateHistory) -> Chat:
    """Return the new chat for a pin. Raises ChatNotFound if it cannot be created."""
    hint = _choices_that_help(state, request)
    if request.chat_id in _UNUSABLE_IDS:
        expected = "an id that the path of a URL can hold"
        raise ChatNotFound.of(request.chat_id, expected, "$.chatId", hint)
    if not _has_room(state):
        expected = f"at most {state.limits.created_chats} created chats"
        raise ChatNotFound(expected, "one more", "$.chatId", hint)
    return Chat(app.id, request.chat_id)


def _has_room(state: State) -> bool:
    return state.store.created_chats < state.limits.created_chats


def hint_at_app(store: Store, apps: Iterable[App], chat_id: str) -> str:
    """Return a hint at the first of these apps that has a chat of this id, else ""."""
    for app in islice(apps, _COMPARED_APPS):
        if store.chat(app, chat_id) is not None:
            return f"that is a chat of app {quoted(app.id)}"
    return ""


def _how_to_pin(call: Call, app: App, request: UpdateHistory) -> str:
    """Return a hint: where this id or title is, or a similar id; choices that help."""
    store = call.store
    # Removed chats count too, because passing over many of them takes long.
    first_chats = islice(store.chats_and_gaps(app), _COMPARED_CHATS)
    chats = [each for each in first_chats if each is not None]
    title_hints = (
        f"that is the title of chat {quoted(each.chat_id)}"
        for each in chats
        if request.chat_id in (each.title, each.custom_title)
    )
    choice_hint = _choices_that_help(call.state, request)
    apps = (each for each in store.apps() if each.level_of(call.caller) >= Level.READ)
    known_hint = next(title_hints, "") or hint_at_app(store, apps, request.chat_id)
    if known_hint:
        return "; ".join(filter(None, (known_hint, choice_hint)))
    similar = nearest(request.chat_id, [each.chat_id for each in chats])
    if similar is None:
        return choice_hint
    suggestion = f"did you mean {quoted(cut(similar))}?"
    return f"{suggestion} It is {choice_hint}" if choice_hint else suggestion


def _choices_that_help(state: State, request: UpdateHistory) -> str:
    """Return a hint with the values of chat_unknown under which the pin succeeds."""
    values = remedies(state.choices, "chat_unknown")
    if request.chat_id in _UNUSABLE_IDS or not _has_room(state):
        values = tuple(each for each in values if not each.endswith("=create"))
    return choices_hint(*values)


_COMPARED_CHATS = 1_000
"""Maximum number of chats whose titles and ids are compared with an unknown id."""
_COMPARED_APPS = 1_000
"""Maximum number of apps that are searched for the chat of an unknown id."""
_DEFAULT_TITLES = ("", "新对话", "历史记录")
"""Titles of chats that have no title of their own yet."""
TITLE_CHARS = 20
"""Number of characters of a question that become the title of its chat."""


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


def _titles(call: Call, chat: Chat, turn: Turn) -> tuple[str, str | None]:
    """Return the title of a chat after a turn, and the title for the response."""
    new_title = turn.question[:TITLE_CHARS] if turn.title is None else turn.title
    if not call.facts.first_turn_titles_a_chat:
        return new_title or _DEFAULT_TITLES[1], None
    if chat.custom_title or chat.title not in _DEFAULT_TITLES:
        return chat.title, None
    return new_title.strip(), new_title.strip() or None


def _choose_reply(
    call: Call, app: App
) -> tuple[DeclaredReply | None, str, ReplyTurns | None]:
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
        if record_id in _UNUSABLE_IDS:
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
    elif not _has_room(state):
        expected = f"at most {limits.created_chats} created chats"
        raise errors.LimitReached(expected, "one more", "$.chatId")
