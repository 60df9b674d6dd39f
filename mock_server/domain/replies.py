"""What a chat completion says: parts that are written, told, kept and streamed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from mock_server.domain.faults.definition import MATCH, Match
from mock_server.domain.limits import Published
from mock_server.domain.validation.walk import Path

Text = Annotated[str, Meta(max_length=Published.text_chars)]
Name = Annotated[str, Meta(max_length=Published.name_chars)]
Milliseconds = Annotated[float, Meta(ge=0, le=Published.fault_ms)]


class Tool(Struct, forbid_unknown_fields=True):
    """A tool that is called: its name, what it is given, and what it gives."""

    name: Name
    params: Any = {}
    response: Any = ""


class ReplyPart(
    Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True, frozen=True
):
    """A part of a reply: exactly one of these. A text may stand for itself."""

    text: Text | None = None
    """What the assistant says."""
    reasoning: Text | None = None
    """What it thinks before."""
    node: Name | None = None
    """The node of the workflow that runs from here on."""
    fast: Text | None = None
    """What a node with a fixed text says."""
    tool: Tool | None = None
    """A tool that is called."""
    quotes: list[dict[str, Any]] | None = None
    """What was found in datasets, as `searchTest` has items."""
    interactive: dict[str, Any] | None = None
    """What the user is asked for: `{type, params}`."""
    pause_ms: Milliseconds | None = None
    """Milliseconds for which nothing is said."""
    error: Text | dict[str, Any] | None = None
    """The end by an error: a message, or `{code, statusText, message}`."""
    cut: bool | None = None
    """The end by a reset of the connection."""

    @property
    def given(self) -> list[str]:
        """The names of what it is."""
        fields = msgspec.structs.asdict(self).items()
        return [name for name, value in fields if value is not None]


def _one_each() -> Mapping[str, Any]:
    """JSON Schema of items: texts, or parts of which one is given, all others null."""
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
    """How fast a reply is streamed, in real time; at once unless it says otherwise."""

    first_token_ms: Milliseconds = 0
    """Milliseconds before the first word."""
    tokens_per_second: Annotated[float, Meta(ge=0.1, le=100_000)] | None = None
    """Words in a second; of Chinese, characters."""


_PACE = (
    "the pace of a stream that a request wants, such as "
    '{"firstTokenMs": 500, "tokensPerSecond": 20}'
)
StreamPace = Annotated[Pace, Meta(extra={"expected": _PACE})]
AT_ONCE = Pace()
AS_TYPED = Pace(400, 30)
"""As people are used to see an assistant type."""
Parts = Annotated[
    list[Text | ReplyPart], Meta(extra_json_schema={"allOf": [_one_each()]})
]


class DeclaredReply(
    Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A reply of a fixture: a text or parts, and when it is said."""

    text: Text | None = None
    """What the assistant says."""
    parts: Parts | None = None
    """All that it says, in order. Give this or `text`."""
    match: Annotated[Match, MATCH] | None = None
    """The requests to which it is said; all by default."""
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] | None = None
    """How often it is said; without end by default."""
    stream: StreamPace | None = None
    """How fast it is streamed; as the app says by default."""

    @property
    def all_parts(self) -> Sequence[ReplyPart]:
        """Its parts; texts are parts, too."""
        return parts_of(self.text, self.parts)


def parts_of(text: str | None, parts: Parts | None) -> list[ReplyPart]:
    """A text, or parts of which some are texts, as parts."""
    every: Parts = [text or ""] if parts is None else parts
    return [ReplyPart(text=it) if isinstance(it, str) else it for it in every]


def text_of(parts: Sequence[ReplyPart]) -> str:
    """All that is said, as a record of texts has it."""
    texts = (each.fast if each.text is None else each.text for each in parts)
    return "\n".join(each for each in texts if each)


class RecordedTool(Tool):
    """A tool of a record; its values stay JSON: a page can have millions of them."""

    params: Raw = Raw(b"{}")
    response: Raw = Raw(b'""')


class RecordedQuote(Struct, rename="camel", omit_defaults=True):
    """What the service keeps of a quote: where it stands, not what it says."""

    id: Raw | UnsetType = UNSET
    chunk_index: Raw | UnsetType = UNSET
    dataset_id: Raw | UnsetType = UNSET
    collection_id: Raw | UnsetType = UNSET
    source_id: Raw | UnsetType = UNSET
    source_name: Raw | UnsetType = UNSET
    score: Raw | UnsetType = UNSET


class RecordedPart(ReplyPart, frozen=True):
    """A part as a record holds it."""

    tool: RecordedTool | None = None
    quotes: Raw = None  # type: ignore[assignment]
    interactive: Raw = None  # type: ignore[assignment]


class _WithQuotes(RecordedPart, frozen=True):
    quotes: list[RecordedQuote] | None = None  # type: ignore[assignment]


def recorded(parts: Sequence[ReplyPart]) -> bytes:
    """The parts that a record holds, as JSON; none of a reply that is one text."""
    kept = [each for each in parts if {*each.given} & _RECORDED]
    if not parts or (len(parts) == 1 and parts[0].text is not None):
        return b""
    written = msgspec.json.encode(kept)
    if any(each.quotes for each in kept):
        shorter = msgspec.json.decode(written, type=list[_WithQuotes])
        written = msgspec.json.encode(shorter)
    return written


def parts_recorded(written: bytes) -> Sequence[RecordedPart]:
    """The parts that a record holds."""
    return msgspec.json.decode(written, type=list[RecordedPart])


_RECORDED = {"text", "fast", "reasoning", "tool", "interactive", "node", "quotes"}
_RECORDED |= {"error"}


def problems(text: str | None, parts: Parts | None) -> Iterator[tuple[Path, str]]:
    """What no type can say of a reply: places and messages."""
    if (text is None) is (parts is None):
        got = "nothing" if text is None else "both"
        yield ("text",), f"Expected text or parts, got {got}"
    chars, ms = len(text or ""), 0.0
    for number, part in enumerate(parts or ()):
        at: Path = ("parts", number)
        if isinstance(part, str):
            chars += len(part)
            continue
        if len(part.given) != 1 or part.cut is False:
            kinds = ", ".join(ReplyPart.__struct_encode_fields__)
            got = " and ".join(part.given) or "nothing"
            yield at, f"Expected exactly one of {kinds}, got {got}"
        if number < len(parts or ()) - 1 and (part.cut or part.error is not None):
            yield at, "Expected nothing after this part, which ends the reply, got more"
        chars += len(msgspec.json.encode(part))
        ms += part.pause_ms or 0
    if len(parts or ()) > Published.reply_parts:
        expected = f"at most {Published.reply_parts} parts"
        yield ("parts",), f"Expected {expected}, got {len(parts or ())}"
    if chars > Published.text_chars:
        expected = f"a reply of at most {Published.text_chars} characters"
        yield ("parts",), f"Expected {expected}, got {chars}"
    if ms > Published.fault_ms:
        expected = f"pauses of at most {Published.fault_ms} ms together"
        yield ("parts",), f"Expected {expected}, got {ms:g}"


class Turns(Struct, frozen=True):
    """How often each reply was said, by its place."""

    said: Mapping[int, int] = {}

    def take(
        self, replies: Sequence[DeclaredReply], fits: Callable[[Match], bool]
    ) -> tuple[DeclaredReply | None, "Turns"]:
        """The reply whose turn it is, None if none is left; and what follows.

        The first `match` that fits decides, before all replies without one; those with
        the same match take turns.
        """
        left = [
            (self.said.get(at, 0), at)
            for at, reply in enumerate(replies)
            if reply.times is None or self.said.get(at, 0) < reply.times
        ]
        matches = (replies[at].match for _, at in left)
        match = next((each for each in matches if each and fits(each)), None)
        turns = [each for each in left if replies[each[1]].match == match]
        if not turns:
            return None, self
        count, at = min(turns)
        return replies[at], Turns({**self.said, at: count + 1})
