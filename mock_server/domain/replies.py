"""Replies of completions: their parts, which are checked and recorded here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from mock_server.domain.faults.definition import MATCH, Match
from mock_server.domain.limits import Published
from mock_server.domain.validation.json_match import count_above
from mock_server.domain.validation.walk import SURROGATE, Path

Text = Annotated[str, Meta(max_length=Published.text_chars)]
Name = Annotated[str, Meta(max_length=Published.name_chars)]
Milliseconds = Annotated[float, Meta(ge=0, le=Published.fault_ms)]


class Tool(Struct, forbid_unknown_fields=True):
    """A tool call: the tool's name, its input and its output."""

    name: Name
    params: Any = {}
    response: Any = ""


class ReplyPart(
    Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True, frozen=True
):
    """A part of a reply: an object with exactly one of these fields, or only a text."""

    text: Text | None = None
    """The text."""
    reasoning: Text | None = None
    """The assistant's reasoning."""
    node: Name | None = None
    """The workflow node that runs from here on."""
    fast: Text | None = None
    """The text of a node with a fixed text."""
    tool: Tool | None = None
    """A tool call."""
    quotes: list[dict[str, Any]] | None = None
    """Quotes from datasets, as items of `searchTest`."""
    interactive: dict[str, Any] | None = None
    """A question to the user: `{type, params}`."""
    pause_ms: Milliseconds | None = None
    """A pause in milliseconds."""
    error: Text | dict[str, Any] | None = None
    """Ends the reply by an error: a message, or `{code, statusText, message}`."""
    cut: bool | None = None
    """Ends the reply by a reset of the connection."""

    @property
    def field_names(self) -> list[str]:
        """The names of the fields that are set."""
        fields = msgspec.structs.asdict(self).items()
        return [name for name, value in fields if value is not None]


def _parts_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of parts: texts, or objects with exactly one field."""
    names = ReplyPart.__struct_encode_fields__
    null = {"type": "null"}
    parts = [
        {
            "type": "object",
            "required": [name],
            "properties": dict.fromkeys(names, null) | {name: {"not": null}},
        }
        for name in names
    ]
    is_cut = {"properties": {"cut": {"enum": [True, None]}}}
    return {"items": {"anyOf": [{"type": "string"}, *parts], **is_cut}}


class Pace(Struct, rename="camel", forbid_unknown_fields=True, frozen=True):
    """The pace of a streamed reply, in real time; by default it comes at once."""

    first_token_ms: Milliseconds = 0
    """Milliseconds before the first word."""
    tokens_per_second: Annotated[float, Meta(ge=0.1, le=100_000)] | None = None
    """Words in a second; for Chinese, characters."""


_PACE = (
    "the pace of a stream that a request wants, such as "
    '{"firstTokenMs": 500, "tokensPerSecond": 20}'
)
StreamPace = Annotated[Pace, Meta(extra={"expected": _PACE})]
NO_PACE = Pace()
TYPING_PACE = Pace(400, 30)
"""The pace of an ordinary assistant."""
Parts = Annotated[
    list[Text | ReplyPart], Meta(extra_json_schema={"allOf": [_parts_schema()]})
]


class DeclaredReply(
    Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A reply in a fixture: a text or parts, and the requests that get it."""

    text: Text | None = None
    """The text."""
    parts: Parts | None = None
    """The parts in order. Give this or `text`."""
    match: Annotated[Match, MATCH] | None = None
    """The requests that get this reply; all by default."""
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] | None = None
    """Maximum number of uses of the reply; without limit by default."""
    stream: StreamPace | None = None
    """The pace of the stream; the app's by default."""


def parts_of(
    text: str | None, parts: Sequence[str | ReplyPart] | None
) -> list[ReplyPart]:
    """Return the parts of a reply: of its text, or of `parts` that may be texts."""
    items = [text or ""] if parts is None else parts
    return [ReplyPart(text=each) if isinstance(each, str) else each for each in items]


def text_of(parts: Sequence[ReplyPart]) -> str:
    """Return the texts of parts in lines, for a chat record."""
    texts = (each.fast if each.text is None else each.text for each in parts)
    return "\n".join(each for each in texts if each)


class RecordedTool(Tool):
    """A recorded tool call. Values stay JSON, because a page may have very many."""

    params: Raw = Raw(b"{}")
    response: Raw = Raw(b'""')


class RecordedQuote(Struct, rename="camel", omit_defaults=True):
    """A recorded quote. As in the service, it does not contain the quoted text."""

    id: Raw | UnsetType = UNSET
    chunk_index: Raw | UnsetType = UNSET
    dataset_id: Raw | UnsetType = UNSET
    collection_id: Raw | UnsetType = UNSET
    source_id: Raw | UnsetType = UNSET
    source_name: Raw | UnsetType = UNSET
    score: Raw | UnsetType = UNSET


class RecordedPart(ReplyPart, frozen=True):
    """A stored part of a reply. Values stay JSON: some numbers take long to read."""

    tool: RecordedTool | None = None
    quotes: Raw = None  # type: ignore[assignment]
    interactive: Raw = None  # type: ignore[assignment]
    error: str | dict[str, Raw] | None = None


_StoredParts = list[str | RecordedPart]


class StoredReply(Struct, omit_defaults=True, frozen=True):
    """A reply of a fixture, a fault or a caller. Its parts stay JSON: they may be many.

    `parts` is empty if the reply is a text. The rest is that of `DeclaredReply`.
    """

    text: str | None = None
    parts: bytes = b""
    match: Match | None = None
    times: int | None = None
    stream: Pace | None = None

    @classmethod
    def of(cls, reply: DeclaredReply) -> "StoredReply":
        """Return a declared reply to store."""
        parts = b"" if reply.parts is None else msgspec.json.encode(reply.parts)
        return cls(reply.text, parts, reply.match, reply.times, reply.stream)

    @property
    def all_parts(self) -> Sequence[ReplyPart]:
        """The parts of the reply; each text becomes a part."""
        if not self.parts:
            return parts_of(self.text, None)
        return parts_of(None, msgspec.json.decode(self.parts, type=_StoredParts))


class _WithQuotes(RecordedPart, frozen=True):
    quotes: list[RecordedQuote] | None = None  # type: ignore[assignment]


def encode_parts(parts: Sequence[ReplyPart]) -> bytes:
    """Return the parts to record, as JSON; b"" if the reply is a single text."""
    to_record = [each for each in parts if {*each.field_names} & _RECORDED]
    if not parts or (len(parts) == 1 and parts[0].text is not None):
        return b""
    encoded = msgspec.json.encode(to_record)
    if any(each.quotes for each in to_record):
        without_texts = msgspec.json.decode(encoded, type=list[_WithQuotes])
        encoded = msgspec.json.encode(without_texts)
    return encoded


def decode_parts(encoded: bytes) -> Sequence[RecordedPart]:
    """Return the parts that `encode_parts` has encoded."""
    return msgspec.json.decode(encoded, type=list[RecordedPart])


_RECORDED = {"text", "fast", "reasoning", "tool", "interactive", "node", "quotes"}
_RECORDED |= {"error"}


def reply_problems(text: str | None, parts: Parts | None) -> Iterator[tuple[Path, str]]:
    """Yield the path and the message of each problem that types cannot express."""
    if (text is None) is (parts is None):
        got = "nothing" if text is None else "both"
        yield ("text",), f"Expected text or parts, got {got}"
    if len(parts or ()) > Published.reply_parts:
        expected = f"at most {Published.reply_parts} parts"
        yield ("parts",), f"Expected {expected}, got {len(parts or ())}"
        return
    chars, pauses_ms, encoded = len(text or ""), 0.0, bytearray()
    for number, part in enumerate(parts or ()):
        path: Path = ("parts", number)
        if isinstance(part, str):
            chars += len(part)
            continue
        if len(part.field_names) != 1 or part.cut is False:
            names = ", ".join(ReplyPart.__struct_encode_fields__)
            got = " and ".join(part.field_names) or "nothing"
            yield path, f"Expected exactly one of {names}, got {got}"
        if number < len(parts or ()) - 1 and (part.cut or part.error is not None):
            yield (
                path,
                "Expected nothing after this part, which ends the reply, got more",
            )
        try:
            encoded += msgspec.json.encode(part)
        except UnicodeEncodeError:
            yield path, SURROGATE
        pauses_ms += part.pause_ms or 0
    chars += len(encoded)
    if chars > Published.text_chars:
        expected = f"a reply of at most {Published.text_chars} characters"
        yield ("parts",), f"Expected {expected}, got {chars}"
    elif count := count_above(Published.reply_values, parts, encoded):
        expected = f"a reply of at most {Published.reply_values} items and fields"
        yield ("parts",), f"Expected {expected}, got {count}"
    if pauses_ms > Published.fault_ms:
        expected = f"pauses of at most {Published.fault_ms} ms together"
        yield ("parts",), f"Expected {expected}, got {pauses_ms:g}"


class ReplyTurns(Struct, frozen=True):
    """The number of uses of each reply (`uses`), by its index."""

    uses: Mapping[int, int] = {}

    def next_reply(
        self, replies: Sequence[StoredReply], fits: Callable[[Match], bool]
    ) -> tuple[StoredReply | None, "ReplyTurns"]:
        """Return the next reply, or None, and the turns afterwards.

        `fits` returns True if a request meets a match. The first match that fits
        decides, before all replies without a match; replies with the same match take
        turns.
        """
        available = [
            (self.uses.get(index, 0), index)
            for index, reply in enumerate(replies)
            if reply.times is None or self.uses.get(index, 0) < reply.times
        ]
        matches = (replies[index].match for _, index in available)
        match = next((each for each in matches if each and fits(each)), None)
        turns = [each for each in available if replies[each[1]].match == match]
        if not turns:
            return None, self
        count, index = min(turns)
        return replies[index], ReplyTurns({**self.uses, index: count + 1})
