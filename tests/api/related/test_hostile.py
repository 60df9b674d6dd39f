"""Hostile input to every related route: refused in the envelope, nothing changed.

What is refused has an HTTP status of its own under choice error_form=plain, so that an
accident, which is 500, can be told from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import httpx2
import pytest
from msgspec.structs import fields as fields_of
from msgspec.structs import replace

from mock_server.api.operations.operation import DEMO_APP, DEMO_DATASET, Operation
from mock_server.domain.versions import VERSIONS
from mock_server.fixture.dump import to_document
from mock_server.fixture.source.files import shipped_path
from tests.admin.hostile_values import NESTED, NOT_JSON, VALUES
from tests.api.related.world import LOCAL_FILE
from tests.conftest import MakeApi
from tests.openapi.examples import USER, examples_of
from tests.related_routes import RELATED_ROUTES, serving
from tests.said import Case, Text
from tests.support import Api

pytestmark = pytest.mark.sampled
T = TypeVar("T")
CHOICES = {"related_routes": "on", "credentials": "login_too"}
JSON = [each for each in RELATED_ROUTES if each.media_type == "application/json"]
FORMER = [
    replace(each, contract=each.former_contract.contract)
    for each in JSON
    if each.former_contract is not None
]
"""Routes that are read otherwise in the oldest version, as that reads them."""
WITHOUT_EXAMPLE: dict[str, dict[str, Any]] = {
    "fileId": {"datasetId": DEMO_DATASET, "fileId": "none"},
    "file.download": {},
    "getSpeech": {
        "appId": DEMO_APP,
        "ttsConfig": {"type": "model", "model": "tts-1", "voice": "nova"},
        "input": "Hello",
    },
    "loginByPassword": {"username": USER, "password": "0" * 64, "code": "abcdef"},
}
SOME = [
    *(b"null", b"-1", b"1e999", b"9007199254740993", b"[null]", b'[{"x": 1}]', NESTED),
    *(b'""', b'"\\u0000"', b'"\\ud800"', b'"%b"' % (b"x" * 900_000)),
]
EVERY = sorted({*SOME, *VALUES})
QUERY_VALUES = [
    *("", "%00", "%ff", "%zz", "%ed%a0%80", "..%2f..%2fetc", "x" * 5_000),
    *("x&{0}=y", "x;{0}=y", "%0d%0ax:y"),
]


def name(operation: Operation) -> str:
    return operation.name


@pytest.fixture
def demo(make_api: MakeApi) -> Api:
    return make_api(shipped_path("demo.yaml"), choices=CHOICES)


@pytest.fixture
def served(make_api: MakeApi, operation: Operation) -> Api:
    choices = serving(operation, **CHOICES)
    return make_api(shipped_path("demo.yaml"), choices=choices)


def valid(operation: Operation) -> dict[str, Any]:
    """Fields that are taken, or refused for no more than what they name."""
    if operation.name in WITHOUT_EXAMPLE:
        return WITHOUT_EXAMPLE[operation.name]
    (example,) = examples_of(operation)
    if isinstance(example.body, dict):
        return example.body
    return dict(parse_qsl(example.path.partition("?")[2]))


def with_value(operation: Operation, field: str, value: bytes) -> bytes:
    """Valid fields as JSON, but for one."""
    others = {k: each for k, each in valid(operation).items() if k != field}
    start = json.dumps(others).encode()[:-1] + (b", " if others else b"")
    return b'%b"%b": %b}' % (start, field.encode(), value)


def send(api: Api, operation: Operation, path: str, **options: Any) -> httpx2.Response:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer any"}
    headers |= {"token": api.sandbox.tokens.login_token(USER)}
    if operation.access == "login":
        del headers["Authorization"]
    return api.client.request(operation.method, path, headers=headers, **options)


def check(api: Api, before: Any, answer: httpx2.Response, about: object) -> bool:
    """Whether it was refused; that is told in the envelope and changes nothing."""
    assert answer.status_code < 500, (about, answer.text)
    if answer.status_code == 200:
        return False
    told = answer.json()
    assert list(told) == ["code", "statusText", "message", "data"], about
    assert (told["code"], told["data"]) == (answer.status_code, None), about
    assert len(answer.content) < 2_000, about
    assert to_document(api.sandbox.store) == before, about
    return True


def attack(api: Api, operation: Operation, bodies: Iterable[bytes]) -> None:
    before = to_document(api.sandbox.store)
    for body in bodies:
        answer = send(api, operation, operation.path, content=body)
        if not check(api, before, answer, body[:200]) and "write" in operation.traits:
            api.admin("POST", "/reset")


def all_of(operation: Operation, values: Iterable[T]) -> Iterator[tuple[str, T]]:
    """Each of the fields with each of the values."""
    return product(
        [each.encode_name for each in fields_of(operation.contract.fields)], values
    )


def some_of(operation: Operation, values: Sequence[T]) -> Iterator[tuple[str, T]]:
    """Each of the fields with some value, and each of the values in some field."""
    names = [each.encode_name for each in fields_of(operation.contract.fields)]
    pairs = zip(cycle(names), cycle(values), strict=False)
    return islice(pairs, max(len(names), len(values)) if names else 0)


def bodies(operation: Operation, pairs: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Valid bodies, but for a field with its value."""
    return (with_value(operation, field, value) for field, value in pairs)


@pytest.mark.ci
@pytest.mark.parametrize("operation", JSON, ids=name)
def test_hostile_fields_are_no_accident(served: Api, operation: Operation) -> None:
    attack(served, operation, bodies(operation, some_of(operation, SOME)))
    attack(served, operation, NOT_JSON.values())


@pytest.mark.full
@pytest.mark.parametrize("operation", JSON, ids=name)
def test_no_hostile_field_is_an_accident(served: Api, operation: Operation) -> None:
    attack(served, operation, bodies(operation, all_of(operation, EVERY)))


def ask(api: Api, operation: Operation, pairs: Iterable[tuple[str, str]]) -> None:
    before = to_document(api.sandbox.store)
    for field, value in pairs:
        query = f"{field}={value.format(field)}"
        answer = send(api, operation, f"{operation.path}?{query}")
        if not check(api, before, answer, query):
            api.admin("POST", "/reset")


@pytest.mark.ci
@pytest.mark.parametrize("operation", JSON, ids=name)
def test_no_hostile_query_is_an_accident(served: Api, operation: Operation) -> None:
    ask(served, operation, all_of(operation, QUERY_VALUES))


@pytest.mark.ci
@pytest.mark.parametrize("operation", FORMER, ids=name)
def test_nothing_hostile_is_an_accident_in_an_older_version(
    make_api: MakeApi, operation: Operation
) -> None:
    choices = CHOICES | {"version": VERSIONS[0]}
    api = make_api(shipped_path("demo.yaml"), choices=choices)
    attack(api, operation, bodies(operation, all_of(operation, SOME)))
    attack(api, operation, NOT_JSON.values())
    ask(api, operation, all_of(operation, QUERY_VALUES))


FORMS = Text(Path(__file__).parents[1] / "said" / "hostile_forms.txt").cases


@pytest.mark.ci
@pytest.mark.parametrize("form", FORMS)
def test_hostile_forms_are_refused(demo: Api, form: Case) -> None:
    before = to_document(demo.sandbox.store)
    headers = {
        "Content-Type": "multipart/form-data; boundary=cut",
        "Authorization": "Bearer any",
    }
    content = form.given.encode("utf-8", "surrogatepass")
    answer = demo.client.post(LOCAL_FILE, content=content, headers=headers)
    assert check(demo, before, answer, form.written)
    assert len(demo.sandbox.store.files) == 0


def test_what_is_said_is_no_event_of_a_stream(demo: Api) -> None:
    said = 'a\n\ndata: [DONE]\r\n\r\nevent: x\x00\u2028"'
    demo.admin("POST", "/faults", {"kind": "reply", "text": said})
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    answer = demo.send("POST", "/api/v1/chat/completions", body)
    *events, end = answer.text.split("\n\n")[:-1]
    assert end == "data: [DONE]"
    chunks = [json.loads(event.removeprefix("data: ")) for event in events]
    pieces = [each["choices"][0]["delta"]["content"] or "" for each in chunks]
    assert "".join(pieces) == said
