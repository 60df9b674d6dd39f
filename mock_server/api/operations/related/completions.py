"""A stand-in for chatting, with or without a stream of events."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.operations.operation import DEMO_CHAT
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.api.response import EventStream, Response
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import APP, AppNotFound
from mock_server.domain.chats import complete
from mock_server.domain.limits import Published
from mock_server.domain.objects.models import App
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id

_MESSAGES = {"expected": 'an array such as [{"role": "user", "content": "Hello"}]'}


class CompletionsBody(RequestFields, kw_only=True, forbid_unknown_fields=False):
    """A conversation so far; of its messages the last question counts."""

    messages: Annotated[list[dict[str, Any]], Meta(min_length=1, extra=_MESSAGES)]
    chat_id: Annotated[str, Meta(max_length=Published.id_chars)] | UnsetType | None = (
        UNSET
    )
    app_id: Id | UnsetType | None = UNSET
    stream: bool | UnsetType | None = UNSET
    detail: bool | UnsetType | None = UNSET


class Completed(Struct):
    """A reply, and how it is asked for."""

    chat_id: str
    reply: str
    stream: bool
    detail: bool


class Message(Struct):
    """What is said, and by whom."""

    role: str
    content: str


class Choice(Struct):
    """The one reply."""

    message: Message
    finish_reason: str = "stop"
    index: int = 0


class Usage(Struct, frozen=True):
    """Tokens, which nobody counts."""

    prompt_tokens: int = 1
    completion_tokens: int = 1
    total_tokens: int = 1


class CompletionView(Struct):
    """A whole reply; what stands last is there with `detail`."""

    id: str
    choices: list[Choice]
    model: str = ""
    usage: Usage = Usage()
    response_data: list[Any] | UnsetType = msgspec.field(
        name="responseData", default=UNSET
    )
    new_variables: dict[str, Any] | UnsetType = msgspec.field(
        name="newVariables", default=UNSET
    )


def question_of(messages: list[dict[str, Any]]) -> str:
    """The text of the last message of a user. Raises InvalidField."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].get("role") == "user":
            at = f"$.messages[{index}].content"
            return _text(messages[index].get("content"), at)
    raise errors.InvalidField("a message with the role user", "none", "$.messages")


def _text(content: object, at: str) -> str:
    """The content of a message: a text, or parts of which the texts count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [each.get("text") for each in content if isinstance(each, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    raise errors.InvalidField.of(content, "a string or an array", at)


def encode(done: Completed, _state: State) -> bytes | Response:
    """The reply as a whole, without an envelope, or as a stream of events."""
    if done.stream:
        return EventStream(200, b"".join(events(done)))
    shown = CompletionView(done.chat_id, [Choice(Message("assistant", done.reply))])
    if done.detail:
        shown.response_data, shown.new_variables = [], {}
    return msgspec.json.encode(shown)


def events(done: Completed) -> list[bytes]:
    """The reply as server-sent events: its role, its words, its end."""
    head = b"event: answer\n" if done.detail else b""
    deltas: list[dict[str, str]] = [{"role": "assistant", "content": ""}]
    deltas += ({"content": piece} for piece in pieces(done.reply))
    shown = [_chunk(delta, None) for delta in deltas] + [_chunk({}, "stop"), b"[DONE]"]
    return [head + b"data: " + content + b"\n\n" for content in shown]


def pieces(reply: str, most: int = Published.stream_pieces) -> list[str]:
    """The words of a reply with the spaces after them; many words make one piece."""
    # A MiB may have as many words, each of which would take long to make.
    least = len(reply) // most if reply.count(" ") >= most else 0
    made: list[str] = []
    start = 0
    while start < len(reply):
        end = reply.find(" ", start + least) + 1 or len(reply)
        made.append(reply[start:end])
        start = end
    return made


def _chunk(delta: dict[str, str], reason: str | None) -> bytes:
    choices = [{"delta": delta, "index": 0, "finish_reason": reason}]
    empty = {"id": "", "object": "", "created": 0, "model": ""}
    return msgspec.json.encode(empty | {"choices": choices})


@route(
    "POST /api/v1/chat/completions",
    chinese="对话：不调用模型的替身",
    since="4.0",
    differs="There is no envelope. Without `appId` the first application that the key "
    "may read is meant; `responseData` and `newVariables` are empty, a stream has no "
    "further events and a length; tokens are not counted.",
    refuses=(errors.InvalidField, *APP, errors.LimitReached),
    example={
        "chatId": DEMO_CHAT,
        "messages": [{"role": "user", "content": "Where is my invoice?"}],
    },
    writes=True,
    data=CompletionView,
    encode=encode,
    answers=("application/json", "text/event-stream"),
    has_envelope=False,
)
def completions(call: Call, body: CompletionsBody) -> Completed:
    """Chat: a stand-in that asks no model.

    The fixture's replies in turn, else the question itself. The chat is created if it
    is new, with two records; each turn updates it.
    """
    question = question_of(body.messages)
    app = call.app(body.app_id) if body.app_id else _first_readable(call)
    chat_id = body.chat_id or None
    chat_id, reply = complete(call.state, app, chat_id, question)
    return Completed(chat_id, reply, body.stream is True, body.detail is True)


def _first_readable(call: Call) -> App:
    for app in call.store.apps():
        if app.level_of(call.caller) >= Level.READ:
            return app
    expected, hint = "the id of an app", "the key may read no app at all"
    raise AppNotFound(expected, "nothing", "$.appId", hint)
