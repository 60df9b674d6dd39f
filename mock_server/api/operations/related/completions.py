"""A stand-in for chatting, with or without a stream of events."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import Failure, error_envelope
from mock_server.api.errors import BadJson
from mock_server.api.event_stream import Chunk, EventStream
from mock_server.api.operations.contract import NOT_ON_CONTRACT
from mock_server.api.operations.operation import DEMO_CHAT
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.api.response import Response
from mock_server.domain import errors
from mock_server.domain.access import Level, Share
from mock_server.domain.call import APP, AppNotFound
from mock_server.domain.chats import (
    TITLE_CHARS,
    Completed,
    RecordTaken,
    Turn,
    complete,
)
from mock_server.domain.clock import format_time
from mock_server.domain.errors import refusal
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.messages import describe_value
from mock_server.domain.objects.models import App
from mock_server.domain.replies import Pace, ReplyPart, Tool, text_of
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import Facts
from mock_server.fixture.document import Id

_MESSAGES = {"expected": 'an array such as [{"role": "user", "content": "Hello"}]'}


class Proxy(Struct, rename="camel", forbid_unknown_fields=True):
    """For which member of the team an API key speaks."""

    username: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    tmb_id: fields.Label | None = None


class KnownFields(RequestFields, kw_only=True):
    """What a completion takes, but does not look at; null is nothing."""

    custom_uid: (
        Annotated[str, Meta(max_length=1_024), fields.IDLE] | UnsetType | None
    ) = UNSET
    metadata: fields.Settings | None = UNSET
    auth_proxy: Annotated[Proxy, fields.IDLE] | UnsetType | None = UNSET
    out_link_auth_data: (
        Annotated[fields.ShareAuth, fields.SHARE] | str | UnsetType | None
    ) = UNSET
    retain_dataset_cite: fields.Flag | None = UNSET
    show_skill_references: fields.Flag | None = UNSET

    def check(self) -> None:
        """Raise InvalidField for no member, or half of a share link."""
        proxy = self.auth_proxy
        if proxy and not (proxy.username or proxy.tmb_id):
            raise errors.InvalidField("a username or a tmbId", "neither", "$.authProxy")
        fields.share_of(self.out_link_auth_data)


class Said(Struct, rename={"data_id": "dataId", "hide_in_ui": "hideInUI"}):
    """A message; of its other fields nothing is known."""

    role: Any = UNSET
    content: Any = None
    name: Annotated[str, fields.IDLE] = ""
    reasoning_content: Annotated[str, fields.IDLE] = ""
    data_id: str = ""
    hide_in_ui: Annotated[bool, fields.IDLE] = False


class CompletionsBody(KnownFields, kw_only=True, forbid_unknown_fields=False):
    """A conversation so far; of its messages the last question counts."""

    messages: Annotated[list[Said], Meta(extra=_MESSAGES)] = field(default_factory=list)
    chat_id: Annotated[str, Meta(max_length=Published.id_chars)] | UnsetType | None = (
        UNSET
    )
    app_id: Id | UnsetType | None = UNSET
    stream: bool | UnsetType | None = UNSET
    detail: bool | UnsetType | None = UNSET
    variables: dict[str, Any] | UnsetType | None = UNSET
    response_chat_item_id: (
        Annotated[str, Meta(max_length=Published.id_chars)] | UnsetType | None
    ) = UNSET


class Completion(Struct):
    """A reply, and how it is asked for."""

    done: Completed
    stream: bool
    detail: bool
    is_v2: bool = False
    share: Share | None = None


class Message(Struct):
    """What is said, and by whom; parts if it is more than a text, with `detail`."""

    role: str
    content: str | list[Any]
    reasoning_content: str | UnsetType = UNSET


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


class CompletionView(Struct, kw_only=True):
    """A whole reply; what stands first is there with `detail`.

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


_ROLES = ("user", "system", "developer", "assistant", "tool", "function")


def question_of(messages: list[Said]) -> str:
    """The text of the last message of a user, else of all. Raises InvalidField."""
    asked = [at for at, each in enumerate(messages) if each.role == "user"]
    index = asked[-1] if asked else len(messages) - 1
    message = messages[index]
    if message.role not in _ROLES:
        got = describe_value(message.role) if message.role is not UNSET else "nothing"
        expected, at = "a message with the role user", f"$.messages[{index}].role"
        raise errors.InvalidField(expected, got, at)
    return _text(message.content, f"$.messages[{index}].content")


def _text(content: object, at: str) -> str:
    """The content of a message: a text, or parts of which the texts count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [each.get("text") for each in content if isinstance(each, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    raise errors.InvalidField.of(content, "a string or an array", at)


NoMessages = refusal("NoMessages", "400 noMessages", "500 500 error")


class WantsStream(Struct):
    """What a body says of how it is answered, whatever else is wrong with it."""

    stream: bool | None = None


def tell_refusal(
    response: Response, why: errors.Refusal, content: bytes, state: State
) -> Response:
    """A refusal as the event `error` of a stream, if the body asks for one."""
    with suppress(*NOT_ON_CONTRACT):
        wanted = msgspec.json.decode(content, type=WantsStream)
        if not wanted.stream or isinstance(why, errors.LimitReached | BadJson):
            return response
        is_of_fields = isinstance(why, errors.InvalidField)
        if is_of_fields and state.facts.wrong_fields_end_no_stream:
            return response
        failure = msgspec.json.decode(response.body, type=Failure)
        is_plain = failure.code == 500 and failure.status_text == "error"
        told = {"message": failure.message} if is_plain else failure
        event = EventStream.of([Chunk(_event("error", told))])
        own = response.headers
        return replace(event, headers=(*event.headers, *own), note=response.note)
    return response


def encode(completion: Completion, state: State) -> bytes | Response:
    """The reply as a whole, without an envelope, or as a stream of events."""
    done, parts = completion.done, completion.done.parts
    last = parts[-1] if parts else ReplyPart()
    if completion.stream:
        events = streamed(completion, state.facts)
        return EventStream.of(events, is_cut=last.cut is True)
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
    shown = CompletionView(id=done.chat_id, choices=[Choice(message)])
    shown.title = UNSET if done.title is None else done.title
    if completion.detail:
        results = response_data(parts, state.facts, completion.share)
        shown.response_data, shown.new_variables = results, {}
    body = msgspec.json.encode(shown)
    return EventStream.of((), is_cut=True) if last.cut else body


def streamed(completion: Completion, facts: Facts) -> Iterator[Chunk]:
    """The reply as server-sent events.

    At the newer path each node is told as soon as it is done, not all in the end.
    """
    done, is_detailed, share = completion.done, completion.detail, completion.share
    pace, told = done.pace, {}
    if is_detailed and completion.is_v2:
        told = _by_end(done.parts, facts, share)
    hidden = () if share is None or share.show_running_status else _RUNNING
    least = _least_length(done.parts)
    is_first = True
    waiting = 0.0
    for at, part in enumerate(done.parts):
        for result in told.get(at, ()):
            yield Chunk(_event("flowNodeResponse", result))
        waiting += part.pause_ms or 0
        for name, data, is_word in _events(part, least):
            if name in hidden or not (is_detailed or name in _PLAIN):
                continue
            pause = waiting
            if is_word:
                pause += pace.first_token_ms if is_first else _gap(pace)
                is_first = False
            waiting = 0
            yield Chunk(_event(name, data, is_detailed or name == "error"), pause)
        if part.error is not None or part.cut:
            return
    for result in told.get(len(done.parts), ()):
        yield Chunk(_event("flowNodeResponse", result))
    if is_detailed:
        yield Chunk(_event("workflowDuration", {"durationSeconds": 0}), waiting)
        if done.title is not None:
            yield Chunk(_event("chatTitle", {"title": done.title}))
    yield Chunk(_event("answer", _delta(None, "stop"), is_detailed))
    head = b"event: answer\n" if is_detailed else b""
    ends = [Chunk(head + b"data: [DONE]\n\n")]
    if is_detailed and not completion.is_v2:
        results = _event("flowResponses", response_data(done.parts, facts, share))
        ends.insert(0 if facts.streams_end_with_done else 1, Chunk(results))
    yield from ends


_RUNNING = ("flowNodeStatus", "toolCall", "toolParams", "toolResponse")
"""The events that say what runs, which a share link may hide."""
_PLAIN = ("answer", "fastAnswer", "error")
"""The events that are sent without `detail`, then without their names."""


def _events(part: ReplyPart, least: int) -> Iterator[tuple[str, Any, bool]]:
    """The names and data of a part's events, and whether they are words that come."""
    for word in pieces(part.reasoning or "", least):
        yield "answer", _delta(word, key="reasoning_content"), True
    for word in pieces(part.text or "", least):
        yield "answer", _delta(word), True
    if part.fast is not None:
        yield "fastAnswer", _delta(f"\n{part.fast}"), True
    if part.node is not None:
        yield "flowNodeStatus", {"status": "running", "name": part.node}, False
    if part.tool is not None:
        whole = _tool(part.tool)
        empty = {**whole, "params": "", "response": ""}
        unnamed = {**empty, "toolName": "", "toolAvatar": ""}
        yield "toolCall", {"tool": empty}, False
        yield "toolParams", {"tool": {**unnamed, "params": whole["params"]}}, False
        yield (
            "toolResponse",
            {"tool": {**unnamed, "response": whole["response"]}},
            False,
        )
    if part.interactive is not None:
        yield "interactive", {"interactive": part.interactive}, False
    if part.error is not None:
        code, text, message = error_of(part.error)
        failure = {"code": code, "statusText": text, "message": message, "data": None}
        is_plain = isinstance(part.error, str)
        yield "error", {"message": message} if is_plain else failure, False


def _gap(pace: Pace) -> float:
    """Milliseconds between two words."""
    return 1000 / pace.tokens_per_second if pace.tokens_per_second else 0


def _tool(tool: Tool) -> dict[str, str]:
    """A tool as events and records have it."""
    own_id = hashlib.sha256(tool.name.encode()).hexdigest()[:24]
    params, response = map(_as_text, (tool.params, tool.response))
    return {
        "id": own_id,
        "toolName": tool.name,
        "toolAvatar": "",
        "functionName": tool.name,
        "params": params,
        "response": response,
    }


def _as_text(value: Any) -> str:
    if isinstance(value, Raw) and bytes(value).startswith(b'"'):
        value = msgspec.json.decode(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def error_of(error: str | Mapping[str, Any]) -> tuple[int, str, str]:
    """The code, the statusText and the message of a reply that ends by an error."""
    if isinstance(error, str):
        return 500, "error", error
    code, text = error.get("code"), error.get("statusText")
    status_text = text if isinstance(text, str) else "error"
    own = code if isinstance(code, int) else 500
    return own, status_text, str(error.get("message", ""))


def value_of(part: ReplyPart) -> dict[str, Any] | None:
    """A part as a record holds it; None of what is not kept there."""
    if part.text is not None or part.fast is not None:
        text = part.text if part.text is not None else part.fast
        return {"type": "text", "text": {"content": text}}
    if part.reasoning is not None:
        return {"type": "reasoning", "reasoning": {"content": part.reasoning}}
    if part.tool is not None:
        return {"type": "tool", "tools": [_tool(part.tool)]}
    if part.interactive is not None:
        return {"type": "interactive", "interactive": part.interactive}
    return None


def response_data(
    parts: Sequence[ReplyPart], facts: Facts, share: Share | None
) -> list[dict[str, Any]]:
    """The results of the nodes that a reply names, and of what it has found.

    Visitors of a share link are shown less.
    """
    return [result for _, result in _results(parts, facts, share)]


def _results(
    parts: Sequence[ReplyPart], facts: Facts, share: Share | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The result of each node, behind the place of its part."""
    every = _all_results(parts)
    if share is None:
        yield from every
        return
    kinds = {"datasetSearchNode", "tool" if facts.shares_see_tools else ""}
    shown = {"moduleType", "runningTime", "quoteList" if share.show_cite else ""}
    for at, result in every:
        if result["moduleType"] in kinds:
            yield at, {name: it for name, it in result.items() if name in shown}


def _all_results(parts: Sequence[ReplyPart]) -> Iterator[tuple[int, dict[str, Any]]]:
    """All of them, with all that they say."""
    number = 0
    for at, part in enumerate(parts):
        more: dict[str, Any] = {}
        if part.node is not None:
            more = {"moduleName": part.node, "moduleType": "chatNode"}
        if part.quotes is not None:
            more = {"moduleName": "Dataset search", "moduleType": "datasetSearchNode"}
            more["quoteList"] = part.quotes
        if part.tool is not None:
            more = {"moduleName": part.tool.name, "moduleType": "tool"}
            more |= {"toolInput": part.tool.params, "toolRes": part.tool.response}
        if more:
            number += 1
            own_id = f"node-{number}"
            yield at, {"id": own_id, "nodeId": own_id, "runningTime": 0, **more}


def _by_end(
    parts: Sequence[ReplyPart], facts: Facts, share: Share | None
) -> dict[int, list[dict[str, Any]]]:
    """The results of nodes, by the place of the part before which each is done.

    One with a name runs until the next one that has one.
    """
    named = [at for at, part in enumerate(parts) if part.node is not None]
    ends = dict(pairwise([*named, len(parts)]))
    found: dict[int, list[dict[str, Any]]] = {}
    for at, result in _results(parts, facts, share):
        found.setdefault(ends.get(at, at + 1), []).append(result)
    return found


_END = re.compile("[ \u3000-\u9fff\uff00-\uffef]")
"""The last character of a word."""


def _least_length(parts: Sequence[ReplyPart]) -> int:
    """How long each piece of what is said must be, but one; 0 if words are few.

    The parts of a reply have at most `stream_pieces` between them.
    """
    # A MiB may have as many words, each of which would take long to make.
    texts = [text for each in parts if (text := each.reasoning or each.text)]
    most = max(1, Published.stream_pieces + 1 - len(texts))
    ends = chain.from_iterable(map(_END.finditer, texts))
    count = sum(1 for _ in islice(ends, most))
    return sum(map(len, texts)) // most if count == most else 0


def pieces(reply: str, least: int = 0) -> list[str]:
    """The words of a text, as models have them; short ones make one piece.

    A space belongs to the word before it; a Chinese character ends a word.
    """
    made: list[str] = []
    start = 0
    while start < len(reply):
        found = _END.search(reply, start + least)
        end = found.end() if found else len(reply)
        made.append(reply[start:end])
        start = end
    return made


def _delta(
    said: str | None, reason: str | None = None, key: str = "content"
) -> dict[str, Any]:
    delta = {"role": "assistant", key: said}
    choices = [{"delta": delta, "index": 0, "finish_reason": reason}]
    return {"id": "", "object": "", "created": 0, "model": "", "choices": choices}


def _event(name: str, data: Any, is_named: bool = True) -> bytes:
    head = f"event: {name}\n".encode() if is_named else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"


DIFFERS = (
    "There is no envelope. Without `appId` it uses the first application that the key "
    "may read; `responseData` holds what a scripted reply names, "
    "`newVariables` nothing; tokens are not counted."
)
_REFUSALS = (
    errors.InvalidField,
    *APP,
    NoMessages,
    RecordTaken,
    errors.LimitReached,
)
_EXAMPLE = {
    "chatId": DEMO_CHAT,
    "messages": [{"role": "user", "content": "Where is my invoice?"}],
}
_ANSWERS = ("application/json", "text/event-stream")


@route(
    "POST /api/v1/chat/completions",
    chinese="对话：不调用模型的替身",
    since="4.0",
    differs=DIFFERS,
    access="visitor",
    refuses=_REFUSALS,
    example=_EXAMPLE,
    writes=True,
    data=CompletionView,
    encode=encode,
    answers=_ANSWERS,
    has_envelope=False,
    is_scripted=True,
    tell_refusal=tell_refusal,
)
def completions(call: Call, body: CompletionsBody) -> Completion:
    """Chat: a stand-in that asks no model.

    What a test or the fixture replies, in turn, else the question itself. The chat is
    created if it is new, with two records; each turn updates it. A plugin is given its
    `variables` in place of a question, and always tells `detail`. A key may end with
    the id of an app: `KEY-ID`.
    """
    if body.stream is True:  # it is charged once it is made
        call.store.check_room(DEFAULT_LIMITS.stream_bytes)
    app_id = _app_named(call, body)
    app = call.app(app_id) if app_id else _first_readable(call)
    is_plugin = app.type == "plugin"
    done = complete(call, app, _turn(call, body, is_plugin=is_plugin))
    asked = body.stream is True, is_plugin or body.detail is True
    return Completion(done, *asked, share=call.share)


def _app_named(call: Call, body: CompletionsBody) -> str:
    """The id of the app that body or key name; empty if neither does."""
    caller = call.caller
    given = caller.app_id, caller.named_app, body.app_id
    named = [each for each in given if each]
    if len({*named}) < 2:
        return named[0] if named else ""
    return named[0] if call.facts.app_of_key_is_first else named[-1]


def _turn(call: Call, body: CompletionsBody, *, is_plugin: bool) -> Turn:
    """What is asked, and what is to be recorded. Raises InvalidField, NoMessages."""
    chat_id = body.chat_id if body.chat_id and body.chat_id.strip() else None
    turn = Turn("", chat_id, body.response_chat_item_id or None)
    if is_plugin:
        given = body.variables or {}
        title = str(given.get("cTime") or "")
        if not title and not call.facts.first_turn_titles_a_chat:
            title = format_time(call.now)
        question = msgspec.json.encode(given).decode()
        return replace(turn, question=question, title=title[:TITLE_CHARS])
    if not body.messages:
        raise NoMessages("at least one message", "none", "$.messages")
    own_id = body.messages[-1].data_id
    is_id = 0 < len(own_id) <= Published.id_chars and own_id not in (".", "..")
    question = question_of(body.messages)
    return replace(turn, question=question, question_id=own_id if is_id else None)


@route(
    "POST /api/v2/chat/completions",
    name="v2.completions",
    chinese="对话（v2）：每个节点完成时即推送其结果",
    since="4.9.4",
    differs=DIFFERS,
    access="visitor",
    refuses=_REFUSALS,
    example=_EXAMPLE,
    writes=True,
    data=CompletionView,
    encode=encode,
    answers=_ANSWERS,
    has_envelope=False,
    is_scripted=True,
    tell_refusal=tell_refusal,
    also="completions",
)
def completions_v2(call: Call, body: CompletionsBody) -> Completion:
    """Chat, and tell the result of each node as soon as it is done.

    As `completions`, whose replies, answers and faults are for it too. A stream with
    `detail` has an event `flowNodeResponse` for each node, and no `flowResponses`.
    """
    made: Completion = completions.act(call, body)
    return replace(made, is_v2=True)


def _first_readable(call: Call) -> App:
    for app in call.store.apps():
        if app.level_of(call.caller) >= Level.READ:
            return app
    expected, hint = "the id of an app", "the key may read no app at all"
    raise AppNotFound(expected, "nothing", "$.appId", hint)
