"""A turn of a chat: a question and the reply to it, as the chat keeps them."""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, get_args

from msgspec import UNSET, Struct, field, json
from msgspec.structs import replace

from mock_server.decoding.json_values import NOT_JSON, JsonObject, kept_value
from mock_server.errors import InvalidField, InvalidImage
from mock_server.service.call import Call
from mock_server.service.reply_parts import part_value
from mock_server.store.account import App, Chat, objects_in
from mock_server.store.replies import File, FileType, Part, Record, Reply, as_text
from mock_server.text.javascript import js_trim
from mock_server.timing.signals import Signal

_IMAGE = re.compile(
    r"data:image/(?P<type>[\w.+-]+);base64,(?P<data>[A-Za-z0-9+/=\r\n]+)", re.IGNORECASE
)
UNSAVED_CHAT = "NO_RECORD_HISTORIES"
"""The id of a chat that is never kept (FastGPT 4.16, core/chat/utils/prepare.ts)."""
# The title of a chat: FastGPT 4.16, core/chat/title.ts.
UNTITLED = ("", "新对话", "历史记录")
TITLE_UNITS = 20
"""The most UTF-16 units of a title."""
ANSWER_NAMES = {"userSelect": "userSelectedVal", "userInput": "submitted"}
"""Type of a question to the user -> name of the answer in its `params`."""
A_PART = '{"type": "image_url", "image_url": {"url": "http://127.0.0.1/a.png"}}'
FILE_TYPES: tuple[FileType, ...] = get_args(FileType)


def parse_parts(
    content: Sequence[JsonObject], folder: str, where: str, *, is_checked: bool = True
) -> tuple[Part, ...]:
    """The parts of a question as a chat keeps them. Raises InvalidImage, InvalidField.

    Only a release that checks them wants a text in each part of type `text`.
    """
    parts = list[Part]()
    for index, item in enumerate(content):
        match item:
            case {"type": "text", "text": str(text)}:
                parts.append(Part(text=text))
            case {"type": "text"} if not is_checked:
                parts.append(Part(text=""))
            case {"type": "image_url", "image_url": {"url": str(url)}}:
                parts.append(Part(file=parse_image(url, folder, f"{where}[{index}].image_url.url")))
            case {"type": "file_url", "url": str()}:
                type = item.get("fileType")
                texts = {name: str(item.get(name, "")) for name in ("name", "url", "key")}
                parts.append(Part(file=File(type if type in FILE_TYPES else "file", **texts)))
            # Of these, no question keeps anything.
            case {"type": "file" | "input_audio" | "video_url"}:
                pass
            case _:
                raise InvalidField(f"a part such as {A_PART}", item, f"{where}[{index}]")
    return tuple(parts)


def parse_image(url: str, folder: str, where: str) -> File:
    """An image. An image in the URL itself gets a key, as if stored. Raises InvalidImage.

    FastGPT 4.16, core/chat/completionMessage.ts.
    """
    if url[:11].lower() != "data:image/":
        return File("image", url=url)
    image = _IMAGE.fullmatch(url)
    with suppress(binascii.Error):
        if image and b64decode(image["data"]):
            digest = sha256(url.encode()).hexdigest()
            return File("image", key=f"{folder}/image_{digest[:6]}.{image['type']}")
    suggestion = " (Invalid image base64 data URL)"
    raise InvalidImage("data:image/TYPE;base64,DATA", url, where, suggestion=suggestion)


def answer_open_question(chat: Chat, answer: str) -> Record | None:
    """The last reply of a chat, with this answer in the open choice or form at its end.

    None if the reply does not end with an open choice or form. FastGPT 4.16,
    getLastInteractiveValue of packages/global/core/workflow/runtime/utils.ts.
    """
    replies = [it for it in chat.records if it.obj == "AI" and not it.deleted]
    if not replies:
        return None
    reply = replies[-1]
    parts = [*reply.parts]
    # Parts that the chat does not show, such as a pause, may follow the question.
    visible = [index for index, part in enumerate(parts) if part_value(part)]
    if not visible:
        return None
    interactive = parts[visible[-1]].interactive or {}
    answer_name = ANSWER_NAMES.get(interactive.get("type", ""))
    params = interactive.get("params") or {}
    if answer_name is None or params.get(answer_name):
        return None
    answered = answered_interactive(interactive, answer)
    parts[visible[-1]] = replace(parts[visible[-1]], interactive=answered)
    return replace(reply, parts=tuple(parts))


def answered_interactive(interactive: JsonObject, answer: str) -> JsonObject:
    """A choice with the chosen option, or a form with its values if the answer is an object."""
    params = interactive.get("params") or {}
    if interactive["type"] == "userSelect":
        return interactive | {"params": params | {"userSelectedVal": answer}}
    try:
        values = json.decode(answer, type=dict[str, Any])
    except NOT_JSON:
        return interactive
    values = kept_value(values, "$.messages")
    form = []
    for item in params.get("inputForm", ()):
        key = item.get("key")
        if key in values:
            item = item | {"value": values[key]}
        form.append(item)
    return interactive | {"params": params | {"inputForm": form, "submitted": True}}


class Turn(Struct, frozen=True):
    """A question and the reply to it. An answer to an open question continues an earlier reply."""

    call: Call
    app: App
    chat: Chat
    question: tuple[Part, ...]
    """The question as the chat keeps it."""
    data_id: str
    """The id of the reply."""
    is_v2: bool
    """Whether the route is of v2: a reply can be stopped, and stays whole if its client leaves."""
    earlier_parts: tuple[Part, ...] = ()
    """The parts that the reply had before; none if the turn is a new one."""
    stop: Signal = field(default_factory=Signal)
    """Once this signal comes, only the closing events of the reply are sent, at once."""

    def save(self, reply: Reply, variables: dict[str, Any]) -> str:
        """Save the turn. Returns the title that the question gives; empty if the old one stays."""
        call = self.call
        # An open question stays open if its answer fails.
        is_open = self.earlier_parts and reply.failure is not None
        if is_open or self.chat.chat_id == UNSAVED_CHAT:
            return ""
        chat = self.chat
        title = ""
        if not self.earlier_parts:
            chat = self.chat_with_question()
            title = self.new_title()
        parts = (*self.earlier_parts, *reply.parts)
        # Of a reply that fails, only the error is kept.
        if reply.failure is not None:
            parts = reply.parts[-1:]
            variables = chat.variables
        kept_title = title
        if call.release.keeps_titles:
            kept_title = js_trim(title) or chat.title
        chat = replace(
            replace_reply(chat, self.data_id, parts=parts),
            title=kept_title,
            # A chat without a member stays everybody's.
            tmb_id=chat.tmb_id and call.member,
            source=call.source,
            variables=variables,
            has_been_read=False,
            update_time=call.now(),
        )
        call.save(self.app.with_chats(chat))
        return title

    def chat_with_question(self) -> Chat:
        """The chat with the question at its end, and a reply that is still empty."""
        question = Record(
            data_id=self.data_id, obj="Human", parts=self.question, time=self.call.now()
        )
        messages = objects_in(self.call.request.fields.get("messages")) or [{}]
        if messages[-1].get("hideInUI") is True:
            question = replace(question, hide_in_ui=True)
        reply = replace(question, obj="AI", parts=(), hide_in_ui=UNSET)
        if self.call.release.counts_history:
            asks_with_file = any(it.file for it in self.question)
            runs_model = asks_with_file or bool(js_trim(self.call.request.question))
            length = 0
            if runs_model:
                length = len(self.chat.records) + len(self.call.request.turns) + 1
            reply = replace(reply, history_length=length)
        if not self.call.release.is_data_id_shared:
            # The database keeps any id as a text.
            data_id = as_text(messages[-1].get("dataId"))
            question = replace(question, data_id=data_id or self.call.new_id())
        return replace(self.chat, records=(*self.chat.records, question, reply))

    def new_title(self) -> str:
        """The title that the question gives to an untitled chat; empty for a chat with a title.

        It is the beginning of the question. Half a character at its end becomes U+FFFD.
        """
        text = js_trim(self.call.request.question)
        if not self.call.release.keeps_titles:
            first = next((it.text for it in self.question if it.text is not None), "")
            text = first or UNTITLED[1]
        elif self.chat.title not in UNTITLED or self.chat.custom_title:
            return ""
        units = text.encode("utf-16-le")
        return units[: 2 * TITLE_UNITS].decode("utf-16-le", "replace")

    @contextmanager
    def as_generating(self) -> Iterator[None]:
        """A block in which the chat takes no other question, since its reply is being sent."""
        generating = self.call.state.generating_chats
        chat_key = (self.app.id, self.chat.chat_id)
        stop = self.stop if self.is_v2 else None
        generating[chat_key] = stop
        try:
            yield
        finally:
            # A chat whose reply was stopped may have the next question by now.
            if generating.get(chat_key) is stop:
                generating.pop(chat_key, None)

    def end(self, sent_parts: Sequence[Part] | None = None) -> None:
        """The chat is unread again, and keeps only the sent parts of the reply, if these are given.

        Nothing changes if the sandbox was reset or restored, or if the chat has not kept the reply.
        """
        state = self.call.state
        store = state.moment.store
        app = store.apps.get(self.app.id)
        chat = app and app.chats.get(self.chat.chat_id)
        is_current = self.call.sandbox.state is state
        if not (is_current and app and chat and find_reply(chat.records, self.data_id)):
            return
        ended = replace(chat, has_been_read=False)
        if sent_parts is not None:
            ended = replace_reply(ended, self.data_id, parts=(*self.earlier_parts, *sent_parts))
        state.set_store(store.with_resource(app.with_chats(ended)))


def find_reply(records: Iterable[Record], data_id: str) -> Record | None:
    """The last reply with this id; None for an unknown one."""
    for record in reversed([*records]):
        if record.obj == "AI" and record.data_id == data_id:
            return record
    return None


def replace_reply(chat: Chat, data_id: str, **changes: Any) -> Chat:
    """The chat with changes to its last reply with this id."""
    changed = find_reply(chat.records, data_id)
    records = [replace(it, **changes) if it is changed else it for it in chat.records]
    return replace(chat, records=tuple(records))
