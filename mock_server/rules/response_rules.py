"""Answers, replies and hits: rules by which a test sets responses, or parts of them."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from copy import copy, deepcopy
from reprlib import Repr
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field, to_builtins
from msgspec.structs import replace
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mock_server.decoding.json_values import (
    MAX_KEPT_DEPTH,
    convert_or_refuse,
    is_deeper_than,
    kept_value,
)
from mock_server.errors import InvalidField
from mock_server.http.connection import watch_client
from mock_server.http.responses import JSON_TYPE, NO_STORE
from mock_server.rules.handlers import (
    Handler,
    HandlerRequest,
    call_handler,
    error_in_words,
    handler_name,
)
from mock_server.rules.match import condition_warnings
from mock_server.rules.rule import Candidate, Rule, Times
from mock_server.store.account import Store
from mock_server.store.objects import Collection, DataRow, Dataset, derived_id
from mock_server.store.replies import MAX_PAUSE_MS, Pace, Part, Reply, as_part, as_text
from mock_server.text.wording import did_you_mean, typo_of
from mock_server.timing.clock import Clock

MAX_PLACEHOLDERS = 100
PLACEHOLDER_ROOTS = ("count", "now", "body", "query", "path")
"""The names with which placeholders begin. The last three have a name after a dot."""
PLACEHOLDER_FIELDS = {
    "answer": ("data", "json"),
    "reply": ("text", "parts", "variables"),
    "hits": ("rows",),
}
"""Kind of a rule -> the fields whose placeholders are filled."""
HANDLER_RESULTS = {
    "answer": "a JSON value or a Starlette Response",
    "reply": "a text or a list of parts",
    "hits": "a list of rows",
}
"""Kind of a rule -> what its handler may return."""
_PLACEHOLDER = re.compile(r"\{\{( *(?:count|now|(?:body|query|path)\.[^{}]{1,256}) *)\}\}")
_IN_BRACES = re.compile(r"\{\{([^{}]{1,256})\}\}")
FRAMING_HEADERS = {"connection", "content-length", "transfer-encoding"}
HeaderName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$(?!\n)",
        description="the name of a header, of letters, digits and signs such as -",
    ),
]
HeaderValue = Annotated[
    str,
    Meta(
        pattern=r"^[\x20-\x7e\xa0-\xff]*$(?!\n)",
        max_length=8192,
        description="a text in Latin-1, in one line of at most 8192 characters",
    ),
]
ScoredDataRow = tuple[float, Collection, DataRow]
"""A row that a search finds: (score, collection of the row, row)."""


class DelayedResponse(Response):
    """A response that is sent after a delay."""

    def __init__(self, content: bytes, status: int, media: str | None, delay_ms: float) -> None:
        super().__init__(content, status, NO_STORE, media)
        self._delay_ms = delay_ms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._delay_ms:
            with watch_client(receive) as client_left:
                await asyncio.wait([client_left], timeout=self._delay_ms / 1000)
                if client_left.done():
                    return
        await super().__call__(scope, receive, send)


class LastingRule(Rule, frozen=True):
    """A rule that by default fires until the next reset: an answer, a reply, hits."""

    acts_on = "requests"
    times: Times | None = None


class AnswerRule(LastingRule, tag="answer", frozen=True):
    """A response in place of an operation's, or at any other path.

    `data` is put into FastGPT's envelope; `json`, `text` and `body`, which is in base64,
    are the whole body.
    """

    data: Any = UNSET
    json: Any = UNSET
    text: str | UnsetType = UNSET
    body: bytes | UnsetType = UNSET
    status: Annotated[int, Meta(ge=200, le=599)] = 200
    headers: dict[HeaderName, HeaderValue] = field(default_factory=dict)
    delay_ms: Annotated[int, Meta(ge=0, le=MAX_PAUSE_MS)] = 0

    def __post_init__(self) -> None:
        bodies = [it for it in (self.data, self.json, self.text, self.body) if it is not UNSET]
        if len(bodies) > 1:
            raise ValueError("Expected one of data, json, text and body")
        if bodies and self.status in (204, 205, 304):
            raise ValueError(f"Expected no body with status {self.status}")
        if FRAMING_HEADERS.intersection(map(str.lower, self.headers)):
            raise ValueError(f"Expected no header of {', '.join(sorted(FRAMING_HEADERS))}")
        # The placeholders of a text are not filled.
        check_placeholders([it for it in (self.data, self.json) if it is not UNSET])

    def response(self, firing: Candidate["AnswerRule"], clock: Clock) -> Response:
        content, media_type = self.content(firing, clock)
        response = DelayedResponse(content, self.status, media_type, self.delay_ms)
        response.headers.update(self.headers)
        return response

    def content(self, firing: Candidate["AnswerRule"], clock: Clock) -> tuple[bytes, str | None]:
        """The body, and its media type."""
        if self.text is not UNSET:
            return self.text.encode(), "text/plain"
        if self.body is not UNSET:
            return self.body, "application/octet-stream"
        value = self.json
        if self.data is not UNSET:
            code = self.status if self.status >= 400 else 200
            value = {"code": code, "statusText": "", "message": "", "data": self.data}
        if value is UNSET:
            return b"", None
        filled = fill_placeholders(value, placeholder_values(firing, clock))
        return msgspec.json.encode(filled), JSON_TYPE


class ReplyRule(LastingRule, tag="reply", frozen=True):
    """The reply of an app's completions, by default of all apps: a text, or parts."""

    app: str | None = None
    text: str | None = None
    parts: tuple[str | Part, ...] = ()
    variables: dict[str, Any] = field(default_factory=dict)
    """Variables that the workflow sets; the chat keeps them."""
    stream: Pace = Pace()

    def __post_init__(self) -> None:
        has_text = self.text is not None
        if has_text == bool(self.parts):
            raise ValueError("Expected text or parts")
        for part in self.parts:
            if isinstance(part, Part):
                check_part(part)
        check_placeholders([self.text, self.parts, self.variables])
        # The values in a part are below three levels of the rule.
        if is_deeper_than(to_builtins(self), MAX_KEPT_DEPTH + 3):
            raise ValueError(f"Expected values of at most {MAX_KEPT_DEPTH} levels")

    @property
    def holds(self) -> bool:
        return any(isinstance(it, Part) and it.hold for it in self.parts)

    def missing_reference(self, store: Store) -> str | None:
        if self.app in (None, *store.apps):
            return None
        return (
            f"There is no app {self.app!r} yet{did_you_mean(self.app, store.apps)}: "
            "the reply waits for it"
        )

    def reply(self, values: Mapping[str, Any]) -> Reply:
        """The reply with its placeholders filled; parts after its end are left out.

        Raises InvalidField if the value of a placeholder has too many levels.
        """
        # A text is a reply of one part.
        written_parts = self.parts
        if self.text is not None:
            written_parts = (self.text,)
        parts: list[Part] = []
        for part in map(as_part, written_parts):
            if part.deltas is not None:
                parts += [Part(text=it, deltas=(it,)) for it in part.deltas]
            elif part.reasoning_deltas is not None:
                parts += [Part(reasoning=it, deltas=(it,)) for it in part.reasoning_deltas]
            else:
                parts.append(part)
            if parts[-1].ends_reply:
                break
        filled_parts = tuple(fill_part(it, number, values) for number, it in enumerate(parts))
        return Reply(filled_parts, self.stream, fill_placeholders(self.variables, values))


class Hit(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A row of a dataset by its id, or a new one with `q` and `a`."""

    row: str | None = None
    q: str | None = None
    a: str = ""
    score: Annotated[float, Meta(ge=0, le=1)] = 1.0

    @property
    def is_row_or_text(self) -> bool:
        """Whether it has a `row` alone, or a `q` with or without `a`."""
        if self.row is not None:
            return self.q is None and not self.a
        return self.q is not None


class HitsRule(LastingRule, tag="hits", frozen=True, kw_only=True):
    """The rows that searches in datasets find, with these scores, in this order."""

    rows: Annotated[tuple[Hit, ...], Meta(max_length=1_000)]

    def __post_init__(self) -> None:
        if not all(it.is_row_or_text for it in self.rows):
            raise ValueError("Expected rows with row, or with q and a")
        check_placeholders(self.rows)

    def scored_rows_in(self, dataset: Dataset, values: Mapping[str, Any]) -> list[ScoredDataRow]:
        """The rows that a search in a dataset finds, with these values of placeholders."""
        scored_data_rows: list[ScoredDataRow] = []
        for hit in self.rows:
            if hit.row is not None:
                placed_row = dataset.find_data_row(hit.row)
            else:
                q, a = fill_placeholders((hit.q, hit.a), values, is_typed=False)
                # A new row looks as if the dataset had it in a collection `hits`.
                collection = Collection(id=derived_id(dataset.id, "hits"), name="hits")
                placed_row = (collection, DataRow(id=derived_id(dataset.id, q, a), q=q, a=a))
            # A row may be in another dataset, or may not exist.
            if placed_row is not None:
                scored_data_rows.append((hit.score, *placed_row))
        return scored_data_rows

    def missing_reference(self, store: Store) -> str | None:
        ids = [hit.row for hit in self.rows if hit.row is not None]
        for dataset in store.datasets.values():
            ids = [id for id in ids if dataset.find_data_row(id) is None]
        return f"There is no row {ids[0]!r} yet: the hits leave it out" if ids else None


async def run_handler(firing: Candidate[Any], handler: Handler) -> Candidate[Any]:
    """Run the handler of a rule that fires. Returns the candidate with its result.

    Raises an Exception for what the handler raises; for a result that does not fit TypeError.
    """
    sent = firing.exchange.request
    # The handler may change the values that it gets.
    request = HandlerRequest(
        method=sent.method,
        path=sent.path,
        path_parameters=firing.parameters,
        query={**sent.query},
        headers={**sent.headers},
        body=deepcopy(sent.body_or_text),
        key=firing.exchange.declared_key,
        question=firing.exchange.question,
        count=firing.active.fired,
    )
    result = await call_handler(handler, request)
    if isinstance(firing.rule, AnswerRule) and isinstance(result, Response):
        # The handler may return the same object again.
        response = copy(result)
        response.raw_headers = [*result.raw_headers]
        length = response.headers.get("content-length")
        is_wrong = hasattr(response, "body") and length not in (None, str(len(response.body)))
        if not 200 <= response.status_code <= 599 or (is_wrong and sent.method != "HEAD"):
            got = f"status {response.status_code} and Content-Length {length}"
            raise ValueError(f"{handler_name(handler)} returned a response with {got}")
        # Faults find no body to break in a stream.
        vars(response).setdefault("body", b"")
        return replace(firing, handler_response=response)
    try:
        filled = to_builtins(firing.rule) | fields_of_result(firing.rule, result)
        return replace(firing, rule=convert_or_refuse(filled, type(firing.rule)))
    # A value of the user's may raise anything where it is read.
    except Exception as problem:
        reason = error_in_words(problem)
        if isinstance(problem, InvalidField):
            reason = problem.message
        raise TypeError(
            f"{handler_name(handler)} returned {Repr().repr(result)}: {reason} "
            f"(it may return {HANDLER_RESULTS[firing.rule.kind]})"
        ) from None


def fields_of_result(rule: Rule, result: Any) -> dict[str, Any]:
    """The fields of a rule with what its handler has returned. Raises an Exception."""
    if isinstance(rule, AnswerRule) and isinstance(result, tuple):
        raise InvalidField("JSON, no tuple (JSONResponse(value, 404) has a status)")
    value = to_builtins(result, builtin_types=(bytes, bytearray, memoryview), str_keys=True)
    # It refuses bytes and NaN; the other encoder refuses half a character, and long integers.
    json.dumps(value, allow_nan=False)
    msgspec.json.encode(value)
    match rule:
        case AnswerRule(operation=operation):
            return {"json" if " " in operation else "data": value}
        case ReplyRule() if isinstance(value, str):
            return {"text": value}
        case ReplyRule():
            return {"text": None, "parts": value}
    return {"rows": value}


def check_part(part: Part) -> None:
    """Raises ValueError unless a part has one field, or is a node, maybe with `error`, `fields`."""
    names = {*to_builtins(part)}
    # Without a node, `error` and `fields` are parts of their own.
    if "node" in names:
        names -= {"error", "fields"}
    if len(names) != 1:
        raise ValueError("Expected parts with one field each, or node with error and fields")


def check_placeholders(value: Any) -> None:
    """Raises ValueError if a value has too many placeholders."""
    if msgspec.json.encode(value).count(b"{{") > MAX_PLACEHOLDERS:
        raise ValueError(f"Expected at most {MAX_PLACEHOLDERS} placeholders")


def rule_warnings(rule: Rule) -> Iterator[str]:
    """Yield a warning for each condition that hardly matches, and for each text in a rule that is
    nearly a placeholder, or has no value.

    Other texts in braces may be meant: FastGPT has `{{name}}` for its own variables.
    """
    yield from condition_warnings(rule.match.body)
    fields = to_builtins(rule)
    filled = [*map(fields.get, PLACEHOLDER_FIELDS.get(rule.kind, ()))]
    for text in dict.fromkeys(_IN_BRACES.findall(msgspec.json.encode(filled).decode())):
        placeholder = f"{{{{{text}}}}}"
        first, _, rest = text.strip(" ").partition(".")
        if not _PLACEHOLDER.fullmatch(placeholder):
            meant = first if first in PLACEHOLDER_ROOTS else typo_of(first, PLACEHOLDER_ROOTS)
            if meant:
                yield f"{placeholder} stays a text: it is no placeholder, but nearly {meant!r}"
        elif first == "path" and rest not in rule.path_names:
            yield (
                f"{placeholder} has no value: the rule's path has no {rest!r}"
                f"{did_you_mean(rest, rule.path_names)}"
            )


def placeholder_values(firing: Candidate[Any], clock: Clock) -> dict[str, Any]:
    """The values of all placeholders."""
    return {
        "body": firing.exchange.request.decoded_body.value,
        "query": firing.exchange.request.query,
        "path": firing.parameters,
        "count": firing.active.fired + 1,
        "now": clock.now(),
    }


def fill_part(part: Part, number: int, values: Mapping[str, Any]) -> Part:
    """A part with its placeholders filled; texts stay texts, except in `fields` and `quotes`.

    A call of a tool without an id gets one that no other part has. Raises InvalidField for values
    of too many levels.
    """
    fields = to_builtins(part)
    for name, value in fields.items():
        filled = fill_placeholders(value, values, is_typed=name in ("fields", "quotes"))
        fields[name] = kept_value(filled, f"$.{name}")
    if "tool" in fields:
        fields["tool"].setdefault("id", derived_id(fields["tool"]["name"], number))
    return msgspec.convert(fields, Part)


def fill_placeholders(value: Any, values: Mapping[str, Any], *, is_typed: bool = True) -> Any:
    """The value with its placeholders filled.

    A text that is one placeholder becomes the value with its type: "{{count}}" becomes 1, or
    null without a value. In a longer text, or if not `is_typed`, a placeholder becomes text.
    """
    match value:
        case str():
            placeholder = _PLACEHOLDER.fullmatch(value)
            if placeholder and is_typed:
                return value_at(placeholder[1], values)
            return _PLACEHOLDER.sub(lambda it: as_text(value_at(it[1], values)), value)
        case list() | tuple():
            return [fill_placeholders(item, values, is_typed=is_typed) for item in value]
        case dict():
            return {
                name: fill_placeholders(item, values, is_typed=is_typed)
                for name, item in value.items()
            }
    return value


def value_at(path: str, value: Any) -> Any:
    """The value at a path such as `body.user.name`; None if a name is missing."""
    for name in path.strip(" ").split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
