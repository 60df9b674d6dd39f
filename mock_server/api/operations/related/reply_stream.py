"""Writes a reply as server-sent events."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import msgspec
from msgspec import Struct

from mock_server.api.event_stream import Chunk
from mock_server.api.operations.related.reply_parts import (
    error_of,
    response_data,
    results_by_end,
    tool_of,
)
from mock_server.domain.access import Share
from mock_server.domain.chats import CompletionResult
from mock_server.domain.limits import Published
from mock_server.domain.replies import Pace, ReplyPart
from mock_server.domain.versions import Facts


class Completion(Struct):
    """A reply, and the form in which the request wants it."""

    result: CompletionResult
    stream: bool
    detail: bool
    is_v2: bool = False
    share: Share | None = None


def chunks(completion: Completion, facts: Facts) -> Iterator[Chunk]:
    """Yield the events of a reply, each after its pause.

    With `detail`, v2 sends the result of a node when the node ends; v1 sends all
    results after the reply.
    """
    result, is_detailed, share = completion.result, completion.detail, completion.share
    pace, results_by_index = result.pace, {}
    if is_detailed and completion.is_v2:
        results_by_index = results_by_end(result.parts, facts, share)
    hidden_events = () if share is None or share.show_running_status else _RUNNING
    min_length = _least_length(result.parts)
    is_first = True
    pause_before = 0.0
    for index, part in enumerate(result.parts):
        for node_result in results_by_index.get(index, ()):
            yield Chunk(event("flowNodeResponse", node_result))
        pause_before += part.pause_ms or 0
        for name, data, is_word in _events(part, min_length):
            if name in hidden_events or not (is_detailed or name in _PLAIN):
                continue
            pause = pause_before
            if is_word:
                pause += pace.first_token_ms if is_first else _gap(pace)
                is_first = False
            pause_before = 0
            yield Chunk(event(name, data, is_detailed or name == "error"), pause)
        if part.error is not None:
            return
        if part.cut:
            yield Chunk(b"", pause_before)
            return
    for node_result in results_by_index.get(len(result.parts), ()):
        yield Chunk(event("flowNodeResponse", node_result))
    if is_detailed:
        yield Chunk(event("workflowDuration", {"durationSeconds": 0}), pause_before)
        if result.title is not None:
            yield Chunk(event("chatTitle", {"title": result.title}))
        pause_before = 0
    yield Chunk(event("answer", _delta(None, "stop"), is_detailed), pause_before)
    head = b"event: answer\n" if is_detailed else b""
    last_chunks = [Chunk(head + b"data: [DONE]\n\n")]
    if is_detailed and not completion.is_v2:
        results = event("flowResponses", response_data(result.parts, facts, share))
        last_chunks.insert(0 if facts.streams_end_with_done else 1, Chunk(results))
    yield from last_chunks


_RUNNING = ("flowNodeStatus", "toolCall", "toolParams", "toolResponse")
"""Events about running nodes and tools, which a share link may hide."""
_PLAIN = ("answer", "fastAnswer", "error")
"""Events that are sent without `detail` too; their names are then left out."""


def _events(part: ReplyPart, min_length: int) -> Iterator[tuple[str, Any, bool]]:
    """Yield the events of a part: name, data, and True for a word of a text."""
    for word in pieces(part.reasoning or "", min_length):
        yield "answer", _delta(word, key="reasoning_content"), True
    for word in pieces(part.text or "", min_length):
        yield "answer", _delta(word), True
    if part.fast is not None:
        yield "fastAnswer", _delta(f"\n{part.fast}"), True
    if part.node is not None:
        yield "flowNodeStatus", {"status": "running", "name": part.node}, False
    if part.tool is not None:
        tool = tool_of(part.tool)
        empty_tool = {**tool, "params": "", "response": ""}
        unnamed_tool = {**empty_tool, "toolName": "", "toolAvatar": ""}
        yield "toolCall", {"tool": empty_tool}, False
        yield "toolParams", {"tool": {**unnamed_tool, "params": tool["params"]}}, False
        yield (
            "toolResponse",
            {"tool": {**unnamed_tool, "response": tool["response"]}},
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
    """Return the pause between two words, in milliseconds."""
    return 1000 / pace.tokens_per_second if pace.tokens_per_second else 0


_WORD_END = re.compile("[ \u3000-\u9fff\uff00-\uffef]")
"""The last character of a word."""


def _least_length(parts: Sequence[ReplyPart]) -> int:
    """Return the length that a piece must exceed; 0 if each word is a piece.

    All texts of a reply together have at most `stream_pieces` pieces.
    """
    # A text of a MiB may have a million words; an event for each would take long.
    texts = [text for each in parts if (text := each.reasoning or each.text)]
    max_pieces = max(1, Published.stream_pieces + 1 - len(texts))
    word_ends = chain.from_iterable(map(_WORD_END.finditer, texts))
    count = sum(1 for _ in islice(word_ends, max_pieces))
    return sum(map(len, texts)) // max_pieces if count == max_pieces else 0


def pieces(reply: str, min_length: int = 0) -> list[str]:
    """Return the words of a text; join words until a piece has over `min_length`
    characters.

    A space belongs to the word before it; a Chinese character ends a word.
    """
    pieces: list[str] = []
    start = 0
    while start < len(reply):
        match = _WORD_END.search(reply, start + min_length)
        end = match.end() if match else len(reply)
        pieces.append(reply[start:end])
        start = end
    return pieces


def _delta(
    text: str | None, reason: str | None = None, key: str = "content"
) -> dict[str, Any]:
    delta = {"role": "assistant", key: text}
    choices = [{"delta": delta, "index": 0, "finish_reason": reason}]
    return {"id": "", "object": "", "created": 0, "model": "", "choices": choices}


def event(name: str, data: Any, is_named: bool = True) -> bytes:
    """Return a server-sent event whose data is JSON."""
    head = f"event: {name}\n".encode() if is_named else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"
