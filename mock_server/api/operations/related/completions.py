"""Routes that complete a chat with a scripted reply, whole or as a stream of events."""

from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from mock_server.api.envelope import Failure, error_envelope
from mock_server.api.errors import BadJson
from mock_server.api.event_stream import Chunk, EventStream
from mock_server.api.operations.contract import DECODE_ERRORS
from mock_server.api.operations.operation import DEMO_CHAT
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.completion_messages import (
    EXPECTED,
    MESSAGE,
    RequestMessage,
    check_messages,
    question_of,
)
from mock_server.api.operations.related.reply_parts import (
    error_of,
    response_data,
    value_of,
)
from mock_server.api.operations.related.reply_stream import Completion, chunks, event
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.api.response import Response
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import APP, AppNotFound
from mock_server.domain.chats import RecordTaken, Turn, complete_turn, title_of
from mock_server.domain.clock import format_time
from mock_server.domain.errors import refusal
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.messages import quoted
from mock_server.domain.objects.models import App
from mock_server.domain.replies import ReplyPart, text_of
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id


class Proxy(Struct, rename="camel", forbid_unknown_fields=True):
    """The team member for whom an API key speaks."""

    username: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    tmb_id: fields.ShortText | None = None


class KnownFields(RequestFields, kw_only=True):
    """Fields that a completion accepts but ignores; null counts as absent."""

    custom_uid: (
        Annotated[str, Meta(max_length=1_024), fields.IDLE] | UnsetType | None
    ) = UNSET
    metadata: fields.IdleSettings | None = UNSET
    auth_proxy: Annotated[Proxy, fields.IDLE] | UnsetType | None = UNSET
    out_link_auth_data: fields.LinkAuth | None = UNSET
    retain_dataset_cite: fields.IdleFlag | None = UNSET
    show_skill_references: fields.IdleFlag | None = UNSET

    def check(self) -> None:
        """Raise InvalidField if authProxy names no member, or a link is incomplete."""
        proxy = self.auth_proxy
        if proxy and not (proxy.username or proxy.tmb_id):
            raise errors.InvalidField("a username or a tmbId", "neither", "$.authProxy")
        fields.names_share(self.out_link_auth_data)


class CompletionsBody(KnownFields, kw_only=True, forbid_unknown_fields=False):
    """A conversation; the reply is to the last message of a user."""

    messages: Annotated[
        list[Annotated[RequestMessage, MESSAGE]] | None,
        Meta(extra={"expected": EXPECTED}),
    ] = None
    chat_id: fields.ShortText | UnsetType | None = UNSET
    app_id: Id | UnsetType | None = UNSET
    stream: bool | UnsetType | None = UNSET
    detail: bool | UnsetType | None = UNSET
    variables: dict[str, Any] | UnsetType | None = UNSET
    response_chat_item_id: fields.ShortText | UnsetType | None = UNSET
    stream_options: Annotated[Any, fields.IDLE] = msgspec.field(
        name="stream_options", default=UNSET
    )

    def check(self) -> None:
        """Raise InvalidField if a message or another field is wrong."""
        super().check()
        check_messages(self.messages or ())


class Message(Struct):
    """The reply: a text, or with `detail` an array of its parts if it has several."""

    role: str
    content: str | list[Any]
    reasoning_content: str | UnsetType = UNSET


class Choice(Struct):
    """The only choice of a response; it has the reply."""

    message: Message
    finish_reason: str = "stop"
    index: int = 0


class Usage(Struct, frozen=True):
    """Numbers of tokens; they are always 1, because tokens are not counted."""

    prompt_tokens: int = 1
    completion_tokens: int = 1
    total_tokens: int = 1


class CompletionView(Struct, kw_only=True):
    """A whole reply; `detail` adds `responseData` and `newVariables`.

    The first reply of a chat has its `title`.
    """

    response_data: list[Any] | UnsetType = msgspec.field(
        name="responseData", default=UNSET
    )
    new_variables: dict[str, Any] | UnsetType = msgspec.field(
        name="newVariables", default=UNSET
    )
    title: str | UnsetType = UNSET
    id: str
    model: str = ""
    usage: Usage = Usage()
    choices: list[Choice]


NoMessages = refusal("NoMessages", "400 noMessages", "500 500 error")


class WantsStream(Struct):
    """The field `stream` of a body whose other fields may be wrong."""

    stream: bool | None = None


def shape_refusal(
    response: Response, refusal: errors.Refusal, content: bytes, state: State
) -> Response:
    """Return a refusal as the event `error` of a stream, if the body wants a stream.

    Without a stream, and for some refusals, return `response` as it is.
    """
    with suppress(*DECODE_ERRORS):
        request = msgspec.json.decode(content, type=WantsStream)
        if not request.stream or isinstance(refusal, errors.LimitReached | BadJson):
            return response
        has_wrong_field = isinstance(refusal, errors.InvalidField)
        if has_wrong_field and state.facts.completion_field_errors_are_json:
            return response
        failure = msgspec.json.decode(response.body, type=Failure)
        is_plain = failure.code == 500 and failure.status_text == "error"
        data = {"message": failure.message} if is_plain else failure
        stream = EventStream.from_chunks([Chunk(event("error", data))])
        headers = (*stream.headers, *response.headers)
        return replace(stream, headers=headers, note=response.note)
    return response


def encode(completion: Completion, state: State) -> bytes | Response:
    """Return the reply as JSON without an envelope, or as a stream of events."""
    result, parts = completion.result, completion.result.parts
    last = parts[-1] if parts else ReplyPart()
    if completion.stream:
        events = chunks(completion, state.facts)
        return EventStream.from_chunks(events, is_cut=last.cut is True)
    if last.error is not None:
        return Response(500, error_envelope(*error_of(last.error)))
    content: str | list[Any] = text_of(parts)
    values = [*map(value_of, parts)]
    if completion.detail and len(list(filter(None, values))) > 1:
        content = [each for each in values if each]
        if completion.is_v2 and not state.facts.v2_parts_are_typed:
            for each in content:
                del each["type"]
    reasoning = "".join(each.reasoning or "" for each in parts)
    message = Message("assistant", content, reasoning or UNSET)
    view = CompletionView(id=result.chat_id, choices=[Choice(message)])
    view.title = UNSET if result.title is None else result.title
    if completion.detail:
        results = response_data(parts, state.facts, completion.share)
        view.response_data, view.new_variables = results, {}
    body = msgspec.json.encode(view)
    return EventStream.from_chunks((), is_cut=True) if last.cut else body


_DIFFERENCES = (
    "Without `appId`, the first application that the caller may read is used. "
    "`responseData` has the parts of a scripted reply, `newVariables` is empty, and "
    "tokens are not counted: `stream_options` has no effect."
)
_EXAMPLE = {
    "chatId": DEMO_CHAT,
    "messages": [{"role": "user", "content": "Where is my invoice?"}],
}
_completion_route = partial(
    route,
    differences=_DIFFERENCES,
    access="visitor",
    refusals=(errors.InvalidField, *APP, NoMessages, RecordTaken, errors.LimitReached),
    example=_EXAMPLE,
    is_write=True,
    data_type=CompletionView,
    encode=encode,
    response_types=("application/json", "text/event-stream"),
    has_envelope=False,
    is_scripted=True,
    shape_refusal=shape_refusal,
)


@_completion_route(
    "POST /api/v1/chat/completions", chinese="对话：不调用模型的替身", since="4.0"
)
def completions(call: Call, body: CompletionsBody) -> Completion:
    """Return a scripted reply to a chat, without a model.

    The reply is the next one of the test or the fixture, else the question itself. The
    response has no envelope. A new chat is created; each turn adds two records and
    updates the chat. An application of type `plugin` gets `variables` instead of a
    question, and always returns details. An API key may end with the id of an
    application: `KEY-ID`.
    """
    if body.stream is True:  # a stream is charged only after it is made
        call.store.check_room(DEFAULT_LIMITS.stream_bytes)
    app_id = _app_named(call, body)
    app = call.app(app_id) if app_id else _first_readable(call)
    is_plugin = app.type == "plugin"
    result = complete_turn(call, app, _turn(call, body, is_plugin=is_plugin))
    is_detailed = is_plugin or body.detail is True
    return Completion(result, body.stream is True, is_detailed, share=call.share)


def _app_named(call: Call, body: CompletionsBody) -> str:
    """Return the id of the app that the API key or the body names, else ""."""
    caller = call.caller
    ids = caller.app_id, caller.named_app, body.app_id
    known_ids = [each for each in ids if each]
    if len({*known_ids}) < 2:
        return known_ids[0] if known_ids else ""
    return known_ids[0] if call.facts.app_of_key_is_first else known_ids[-1]


def _turn(call: Call, body: CompletionsBody, *, is_plugin: bool) -> Turn:
    """Return the question, and the ids for its records.

    Raises InvalidField, NoMessages.
    """
    chat_id = body.chat_id if body.chat_id and body.chat_id.strip() else None
    turn = Turn("", chat_id, body.response_chat_item_id or None)
    if is_plugin:
        variables = body.variables or {}
        title = str(variables.get("cTime") or "")
        if not title and not call.facts.first_turn_titles_a_chat:
            title = format_time(call.now)
        question = msgspec.json.encode(variables).decode()
        return replace(turn, question=question, title=title_of(title))
    if not body.messages:
        raise NoMessages(EXPECTED, "no message", "$.messages")
    data_id = body.messages[-1].data_id
    is_id = 0 < len(data_id) <= Published.id_chars and data_id not in (".", "..")
    question = question_of(body.messages)
    content = body.messages[-1].content
    parts = content if isinstance(content, list) else ()
    if any(isinstance(it, dict) and it.get("type") == "input_text" for it in parts):
        call.state.hint('"input_text" is a part of another API (write "text")')
    if isinstance(body.stream_options, dict):
        call.state.hint("stream_options has no effect: FastGPT streams no usage")
    return replace(turn, question=question, question_id=data_id if is_id else None)


@_completion_route(
    "POST /api/v2/chat/completions",
    name="v2.completions",
    chinese="对话（v2）：每个节点完成时即推送其结果",
    since="4.9.4",
    matched_as="completions",
)
def completions_v2(call: Call, body: CompletionsBody) -> Completion:
    """Return a scripted reply, and the result of each node as soon as it ends.

    The replies, answers and faults of `completions` apply to this route too. A stream
    with `detail` has an event `flowNodeResponse` for each node, and no `flowResponses`.
    """
    completion: Completion = completions.handle(call, body)
    return replace(completion, is_v2=True)


def _first_readable(call: Call) -> App:
    apps = call.store.apps()
    for app in apps:
        if app.level_of(call.caller) >= Level.READ:
            if len(apps) > 1:
                first = f"{quoted(app.id)}, the first that the key may read"
                call.state.hint(f"without appId, the app is {first}")
            return app
    expected, hint = "the id of an app", "the key may read no app at all"
    raise AppNotFound(expected, "nothing", "$.appId", hint)
