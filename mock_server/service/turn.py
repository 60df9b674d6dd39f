"""A turn of a chat: a question and the reply to it, as the chat keeps them."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from mock_server.decoding import NOT_JSON
from mock_server.errors import InvalidImage
from mock_server.service.call import Call
from mock_server.service.reply_parts import Shown, value_of
from mock_server.store.objects import App, Chat
from mock_server.store.replies import File, FileType, Part, Record, Reply, text_of

_IMAGE = re.compile(r"data:image/([\w.+-]+);base64,([A-Za-z0-9+/=\r\n]+)", re.IGNORECASE)
UNTITLED = ("", "新对话", "历史记录")
TITLE_CHARS = 20
FILE_TYPES: tuple[FileType, ...] = ("image", "audio", "video", "file")


def question_parts(content: object, folder: str) -> tuple[Part, ...]:
    """What a chat keeps of a question. The server would keep an image's bytes in a folder."""
    if not isinstance(content, list):
        return (Part(text=text_of(content)),)
    found = list[Part]()
    for it in content:
        url = url_of(it)
        if it.get("type") == "text":
            found.append(Part(text=str(it.get("text", ""))))
        elif it.get("type") == "image_url" and (image := _IMAGE.fullmatch(url)):
            key = f"{folder}/image_{sha256(url.encode()).hexdigest()[:6]}.{image[1]}"
            found.append(Part(file=File("image", key=key)))
        elif it.get("type") == "image_url":
            found.append(Part(file=File("image", url=url)))
        elif it.get("type") == "file_url":
            name, key = str(it.get("name", "")), str(it.get("key", ""))
            kinds = (each for each in FILE_TYPES if each in ("file", it.get("fileType")))
            found.append(Part(file=File(next(kinds), name, url, key)))
    return tuple(found)


def url_of(part: dict[str, Any]) -> str:
    """The address in a part of a message, empty without one."""
    image = part.get("image_url")
    return str(image.get("url", "") if isinstance(image, dict) else part.get("url", ""))


def check_images(contents: Sequence[object]) -> None:
    """Check the images that messages bring along. Raises InvalidImage."""
    for at, content in enumerate(contents):
        for index, part in enumerate(content if isinstance(content, list) else ()):
            url = url_of(part)
            if url[:11].lower() == "data:image/" and not is_image(url):
                raise InvalidImage(
                    "data:image/TYPE;base64,DATA",
                    url,
                    f"$.messages[{at}].content[{index}].image_url.url",
                    hint=" (Invalid image base64 data URL)",
                )


def is_image(url: str) -> bool:
    try:
        found = _IMAGE.fullmatch(url)
        return found is not None and bool(b64decode(found[2]))
    except Error:
        return False


def open_question(chat: Chat) -> Record | None:
    """The last reply of a chat, if it ends with a choice or a form that is not answered yet."""
    for record in reversed(chat.records):
        if record.obj == "AI" and not record.deleted:
            *_, last = (None, *(it for it in record.parts if value_of(it)))
            asked = (last and last.interactive) or {}
            done = {"userSelect": "userSelectedVal", "userInput": "submitted"}.get(
                asked.get("type", ""), ""
            )
            return record if done and not (asked.get("params") or {}).get(done) else None
    return None


def answered(parts: Sequence[Part], answer: str) -> Iterator[Part]:
    """The parts of a reply, in which the user has chosen an option, or filled in the form."""
    *_, last = (it for it in parts if it.interactive)
    for part in parts:
        yield (
            replace(part, interactive=completed(part.interactive or {}, answer))
            if (part is last)
            else part
        )


def completed(asked: Shown, answer: str) -> Shown:
    """A choice with the option, or a form with its values if the answer is an object."""
    params = {**(asked.get("params") or {})}
    if asked["type"] == "userSelect":
        return {**asked, "params": params | {"userSelectedVal": answer}}
    try:
        values = json.decode(answer, type=dict[str, Any])
    except NOT_JSON:
        return asked
    form = [
        it | {"value": values[it["key"]]} if it.get("key") in values else it
        for it in params.get("inputForm", ())
    ]
    return {**asked, "params": params | {"inputForm": form, "submitted": True}}


class Turn(Struct, frozen=True):
    """A question and the reply to it.

    With `opened` the question answers that reply, which goes on: nothing else is new then.
    """

    call: Call
    app: App
    chat: Chat
    data_id: str
    """The id of the reply."""
    opened: Record | None

    def keep(self, content: object, reply: Reply, variables: dict[str, Any]) -> str | None:
        """Keep the turn in its chat. Returns the title that an untitled chat gets."""
        call, chat, question, title = self.call, self.chat, text_of(content), None
        if self.opened and reply.failure:
            return None
        if not self.opened:
            folder = f"chat/{self.app.id}/{call.member}/{chat.chat_id}"
            asked = Record(
                data_id=self.data_id,
                obj="Human",
                parts=question_parts(content, folder),
                time=call.now,
            )
            replied = Record(data_id=self.data_id, obj="AI", parts=(), time=call.now)
            chat = replace(chat, records=(*chat.records, asked, replied))
            if chat.title in UNTITLED and not chat.custom_title:
                title = question[:TITLE_CHARS].strip()
        said = reply.parts[-1:] if reply.failure else (*self.before(question), *reply.parts)
        chat = replace(
            with_reply(chat, self.data_id, said),
            title=title or chat.title,
            source=call.source,
            variables=chat.variables if reply.failure else variables,
            update_time=call.now,
        )
        call.save(self.app.put(chat))
        return title

    def before(self, question: str) -> tuple[Part, ...]:
        """What the reply had said before this turn."""
        return tuple(answered(self.opened.parts, question)) if self.opened else ()

    def shorten(self, question: str, parts: Sequence[Part]) -> None:
        """Leave of the reply what its client got, unless the sandbox was reset meanwhile."""
        state = self.call.state
        app = state.store.apps.get(self.app.id)
        chat = app and app.chats.get(self.chat.chat_id)
        if self.call.sandbox.state is state and app and chat:
            left = with_reply(chat, self.data_id, (*self.before(question), *parts))
            state.store = state.store.put(app.put(left))


def with_reply(chat: Chat, data_id: str, parts: tuple[Part, ...]) -> Chat:
    """A chat in which the reply with this id says these parts."""
    records = (
        replace(it, parts=parts) if (it.obj, it.data_id) == ("AI", data_id) else it
        for it in chat.records
    )
    return replace(chat, records=tuple(records))
