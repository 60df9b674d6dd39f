"""Whatever clients send and tests set: no response is a failure of the server's own."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import httpx2
import msgspec
import pytest
from account import InProcess, LocalClient, examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mock_server.choices import choice_table
from mock_server.errors import NeedsConnection
from mock_server.faults.rule_kinds import KINDS
from mock_server.service.operations import OPERATIONS

Json = dict[str, Any]
JSON_TYPE = {"content-type": "application/json"}
lenient = settings(deadline=None, suppress_health_check=[*HealthCheck])

# Values


TIMES = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00Z")
TIMES += ("10000-01-01T00:00:00Z", "2024-02-30T00:00:00Z", "2024-01-01", "yesterday", "1e400")
TIMES += ("+275760-09-13T00:00:00.000Z", "2024-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z")
NUMBERS = (0, -1, 1, 1.5, -0.0, 1e308, 2**53, 2**63, 2**64, -(2**64), 10**30)
TEXTS = ("", " ", "a/b", "..", "%2F", "\0", "ü🙂", "\ud800", "__proto__", "0" * 24, "f" * 300, "{}")
TEXTS += ("x" * 9, "{{body.a}}", "{{count}} {{now}}", "[x](CITE)", "(a+)+$")
TEXTS += ("data:image/png;base64,=",)
EXAMPLES = [text for it in OPERATIONS for text in it.example.values() if isinstance(text, str)]

texts = st.sampled_from([*TEXTS, *TIMES, *EXAMPLES]) | st.text(max_size=8)
numbers = (
    st.sampled_from(NUMBERS) | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
names = texts | st.sampled_from(
    ("role", "content", "type", "text", "params", "list", "total", "id")
)
values: Any = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(names, values, max_size=3)


def having(needed: Json, **more: Any) -> Any:
    """Objects that have some fields, and may have more."""
    return st.fixed_dictionaries(needed, optional=more)


# What a client sends


KINDS_OF_PARTS = st.sampled_from(("text", "image_url", "file_url"))
contents = st.lists(
    values | having({"type": KINDS_OF_PARTS}, text=values, image_url=values, url=values), max_size=3
)
roles = st.sampled_from(("user", "system", "assistant")) | values
messages = st.lists(
    values | having({"role": roles}, content=texts | contents | values, dataId=values), max_size=3
)
OWN = {
    "messages": messages,
    "stream": st.booleans(),
    "detail": st.booleans(),
    "data": st.lists(objects | st.builds(lambda it: {"q": "Q"} | it, objects), max_size=2),
}
CONTENT_TYPES = (
    *("application/json; charset=gbk", "application/json; charset=zlib", "text/plain", ""),
    *("application/json; charset=idna", "application/json; charset=undefined"),
    *("application/json; charset=utf-7", "application/x-www-form-urlencoded"),
    *("multipart/form-data", "multipart/form-data; boundary=b", "a; boundary*=x'y'%FF"),
    *('application/json; charset*0=a; charset*="b"', "multipart/form-data; boundary*1=b"),
)
AUTHORIZATIONS = ("Bearer", "Basic eDp5", "Bearer a-b", "ÿ", "bearer k", "Bearer fastgpt-sbx-1")
BROKEN = (b"[" * 99, b'{"a":', b"NaN", b"\xff\xfe{", b'"\\ud800"', b"1e400", b"")
TALKS = [it for it in OPERATIONS if it.name.endswith("completions")]


RESET = ("POST", "/reset")
ENDS = [("DELETE", "/rules"), RESET, ("POST", "/snapshots/s/restore")]


class Sent(msgspec.Struct):
    """A request, the name of its operation, and what ends it if it waits, after how many s."""

    name: str
    method: str
    path: str
    headers: Json
    content: bytes
    end: tuple[str, str] = RESET
    patience: float = 0.02


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def in_form(fields: Json) -> bytes:
    """Fields as multipart/form-data with the boundary `b`."""
    parts = []
    for name, value in fields.items():
        file = '; filename="f.csv"' if name == "file" else ""
        head = f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        parts.append(f"{head}{as_text(value)}\r\n".encode(errors="replace"))
    return b"".join(parts) + b"--b--\r\n"


@st.composite
def requests(draw: Any) -> Sent:
    """A request of an operation: its example, in which something is odd."""
    operation = draw(st.sampled_from([*OPERATIONS, *TALKS * 8]))
    own = [it.encode_name for it in msgspec.structs.fields(operation.request_type)]
    fields = dict(operation.example)
    for name in draw(st.lists(st.sampled_from([*own, *own, "x"]) | names, max_size=3)):
        odd = st.sampled_from(TIMES) if name.endswith("Time") else OWN.get(name, values) | values
        fields[name] = draw(odd)
    fields.pop(draw(st.sampled_from([*fields, *"-" * 9])), None)
    path, method = draw(st.sampled_from([*operation.routes]))
    headers = {"authorization": "Bearer fastgpt-demo", "content-type": "application/json"}
    content = json.dumps(fields).encode()
    if operation.field_place in ("query", "either"):
        query = {name: as_text(value) for name, value in fields.items()}
        path += f"?{urlencode(query, errors='replace')}"
    if operation.field_place == "form":
        headers["content-type"] = "multipart/form-data; boundary=b"
        content = in_form(fields)
    match draw(st.integers(0, 11)):
        case 0:
            content = draw(st.builds(lambda it: json.dumps(it).encode(), values))
        case 1:
            content = draw(st.sampled_from(BROKEN) | st.binary(max_size=8))
        case 2:
            headers["content-type"] = draw(st.sampled_from(CONTENT_TYPES))
        case 3:
            headers["authorization"] = draw(st.sampled_from(AUTHORIZATIONS)).encode("latin-1")
        case 4:
            path = draw(st.sampled_from((f"{operation.path}/", "/api//x", "/api/x/7", "/%00%FF")))
            method = draw(st.sampled_from((method, "GET", "HEAD", "OPTIONS", "TRACE")))
    ends = draw(st.sampled_from(ENDS)), draw(st.sampled_from((0, 0.02)))
    return Sent(operation.name, method, path, headers, content, *ends)


# What a test sets


forms = having({"inputForm": values | st.lists(objects, max_size=2)})
questions = having(
    {"type": st.sampled_from(("userSelect", "userInput")) | values}, params=values | objects | forms
)
parts = st.lists(
    texts
    | having({"tool": having({"name": texts}, params=values, response=values)})
    | having({"node": texts}, error=values)
    | having({"error": values})
    | having({"quotes": st.lists(objects, max_size=2)})
    | having({"interactive": questions})
    | having({"interactive": questions})
    | having({"reasoning": texts})
    | having({"fast": texts})
    | having({"cut": st.just(True)})
    | having({"pauseMs": st.sampled_from((1, 60_000))})
    | having({"hold": st.just(True)}),
    min_size=1,
    max_size=4,
)
pages = having({"list": st.lists(objects, max_size=3) | values, "total": values})
envelopes = st.builds(lambda it: {"code": 200, "data": it}, pages | values)
statuses = st.sampled_from((200, 204, 304, 404, 599))
FIELDS: dict[str, Any] = {
    "answer": having({"data": values | pages}, status=statuses)
    | having({"json": values | envelopes}, status=statuses)
    | having({"text": texts}, headers=st.dictionaries(st.just("x-a"), texts))
    | st.just({"text": "Late", "delayMs": 60_000}),
    "reply": having({"parts": parts}),
    "hits": having({"rows": st.lists(having({"q": texts}, a=texts) | having({"row": texts}))}),
    "error": having({}, status=st.sampled_from((400, 599)), code=numbers, message=texts),
    "alter": having({"remove": st.lists(names, min_size=1, max_size=2)}, set=objects),
    "wrong_total": having({}, by=numbers),
    "page_drift": st.sampled_from(({"insert": 2}, {"remove": 3}, {"at": 5, "remove": 9})),
    "truncate": having({}, bytes=st.integers(0, 99)),
    "rate_limit": st.just({"limit": 1, "window": 1}),
    "delay": having({"ms": st.sampled_from((1, 60_000))}),
    "dribble": st.just({"ms": 0}),
}
conditions = having({}, body=objects, query=objects, headers=objects, question=texts)


@st.composite
def rules(draw: Any, meant: list[str]) -> Json:
    """A fault, an answer or a reply, maybe for one of these operations."""
    kind = draw(st.sampled_from([*KINDS, "answer", "reply", "reply"]))
    fields = draw(FIELDS.get(kind, st.just({})))
    if kind != "reply":
        fields |= {"operation": draw(st.sampled_from(["*", "POST /api/x/{id}", *meant]))}
    if draw(st.integers(0, 5)) == 0:
        fields |= {"match": draw(conditions)}
    return {"kind": kind, "times": 5, "phase": draw(st.sampled_from(("before", "after")))} | fields


profiles = {"profile": st.sampled_from(("documented", "fastgpt-4.16"))}
some = having({}, **{name: st.sampled_from(it.values) for name, it in choice_table().items()})
clocks = having({"now": st.sampled_from(TIMES), "frozen": st.booleans()})


@st.composite
def sequences(draw: Any) -> list[tuple[str, str, Any]]:
    """What a test sets, as calls of the admin API, and what its client sends then."""
    sent = draw(st.lists(requests(), min_size=1, max_size=6))
    chosen = having(profiles) | having(profiles | {"choices": some})
    calls = [("PUT", "/choices", draw(chosen)), ("PUT", "/clock", draw(clocks))]
    for rule in draw(st.lists(rules([it.name for it in sent]), max_size=3)):
        calls.append(("POST", "/rules", rule))
    return [*calls, *(("", "", it) for it in sent)]


# The server


class Log(logging.Handler):
    """Errors that were logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(self.format(record))


class InHaste(InProcess):
    """Sends requests, and ends those that wait."""

    latest = Sent("", "", "", {}, b"")

    async def _respond(self, request: httpx2.Request) -> httpx2.Response:
        call = asyncio.create_task(super()._respond(request))
        # Without its rule a hold ends, but no delay.
        for method, path in (self.latest.end, RESET):
            await asyncio.wait([call], timeout=self.latest.patience)
            if not call.done():
                url = f"http://localhost/__admin{path}"
                await super()._respond(httpx2.Request(method, url, headers=JSON_TYPE))
        return await asyncio.wait_for(call, 5)


@pytest.fixture(scope="module")
def client() -> Iterator[LocalClient]:
    with LocalClient("demo", key=None, transport=InHaste) as client:
        client.control.snapshot("s")
        yield client


def problems(client: LocalClient, calls: list[tuple[str, str, Any]]) -> list[str]:
    """What went wrong inside of the client."""
    log = Log()
    logging.getLogger().addHandler(log)
    found = []
    try:
        client.admin("POST", "/reset")
        for method, path, body in calls:
            sent = body
            if not isinstance(body, Sent):
                content = json.dumps(body).encode()
                sent = Sent("", method, f"/__admin{path}", JSON_TYPE, content)
            more = {"headers": sent.headers, "content": sent.content}
            client.sent.latest = sent
            try:
                response = client.request(sent.method, sent.path, **more)
            except (AssertionError, NeedsConnection):
                # In process, a reply that is cut is no response.
                continue
            is_admins = response.status_code == 500 and sent.path.startswith("/__admin")
            if is_admins or '"statusText":"serverError"' in response.text:
                found.append(f"{response.status_code} {response.text:.200}")
            # What was sent keeps nobody from reading.
            if sent is body:
                client.admin("GET", "/journal")
                assert client.get("/__admin/console").is_success and client.control.summary()
        for path in ("/state", "/rules", "/clock"):
            client.admin("GET", path)
        found += [f"left: {it}" for it in client.sent.remaining_tasks()]
    finally:
        logging.getLogger().removeHandler(log)
    return found + log.records


@settings(lenient, max_examples=examples(20))
@given(sequences())
def test_no_response_is_a_failure_of_the_server(client, calls):
    assert problems(client, calls) == []
