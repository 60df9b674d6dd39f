"""The examples of the OpenAPI documents are what a server answers over a socket."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from http.client import HTTPConnection

import msgspec
import pytest

from mock_server import MockServer
from mock_server.admin.tours import admin_tours
from mock_server.api.examples import (
    EXAMPLE_TIME,
    KEY,
    Example,
    Recorded,
    Tour,
)
from mock_server.api.tours import public_tours
from mock_server.domain.limits import LIMITS
from mock_server.domain.times import parse_time
from mock_server.fixture.files import shipped
from tests.openapi.documents import ADMIN, PUBLIC, Document, response, validate
from tests.support import fetch

DOCUMENTS = (PUBLIC, ADMIN)
TOURS = [*public_tours(), *admin_tours()]
JSON = "application/json"
DAY = 86_400_000


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    with MockServer() as server:
        return {path: fetch("GET", server.url + path).json() for path in DOCUMENTS}


def send(server: MockServer, example: Example, key: str) -> tuple[int, bytes]:
    """Send just the headers that the example has."""
    connection = HTTPConnection(server.url.removeprefix("http://"))
    headers = example.sent_headers(key) | {"content-length": str(len(example.content))}
    for n in range(1, example.times + 1):
        connection.putrequest(
            example.method,
            example.path.format(n=n),
            skip_host=True,
            skip_accept_encoding=True,
        )
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(example.content)
        response = connection.getresponse()
        status, body = response.status, response.read()
    connection.close()
    return status, body


@contextmanager
def busy(server: MockServer) -> Iterator[None]:
    """Leave no place for another large document."""
    with ExitStack() as stack:
        for _ in range(LIMITS.loads):
            stack.enter_context(server.app.state.loads.place())
        yield


def walked(server: MockServer, tour: Tour) -> Iterator[Recorded]:
    """What the server answers on a tour."""
    keys = {"": KEY}
    for example in tour.examples:
        with busy(server) if example.name == "serverBusy" else nullcontext():
            status, body = send(server, example, keys[example.sandbox])
        yield Recorded(example, status, body)
        if status == 201 and example.path == "/__admin/sandboxes":
            made = msgspec.json.decode(body)
            keys[made["name"]] = made["key"]


def shown(documents: dict[str, Document], answer: Recorded) -> object:
    """What the document shows in the place of an answer."""
    example = answer.example
    document = documents[ADMIN if example.path.startswith("/__admin") else PUBLIC]
    if example.path.startswith("/__admin") and not example.route:
        return document["components"]["examples"][example.name]["value"]
    (path,) = {example.route or example.path} & document["paths"].keys()
    methods = document["paths"][path]
    described = methods.get(example.method.lower()) or next(iter(methods.values()))
    content = response(document, described, str(answer.status))["content"][JSON]
    return content["examples"][example.name]["value"]


def blurred(value: object, now: int) -> str:
    """JSON without what differs between servers: keys, memory, times about now."""
    text = msgspec.json.encode(value, order="deterministic").decode()
    text = re.sub(r'(?<="durationMs":)[0-9.e-]+|(?<="endsIn":)[0-9.]+', "0", text)
    text = re.sub(r'(?<="memory":)\{[^}]*\}', "0", text)
    text = re.sub(r"got [\d.]+ MiB - at body \(held: [^;]*", "MEMORY", text)
    text = re.sub(r"fastgpt-sbx-\w+|fast…?[0-9a-f]{8}", "KEY", text)

    def time_of(match: re.Match[str]) -> str:
        return "NOW" if abs(parse_time(match[0]) - now) < DAY else match[0]

    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", time_of, text)


@pytest.mark.parametrize("tour", TOURS)
def test_examples_are_what_a_server_answers(
    documents: dict[str, Document], tour: Tour
) -> None:
    path = shipped(tour.fixture)
    with MockServer(path, admin_token=tour.admin_token, memory=tour.memory) as server:
        for answer in walked(server, tour):
            if answer.example.name:
                got = msgspec.json.decode(answer.body)
                expected = blurred(shown(documents, answer), EXAMPLE_TIME)
                now = time.time_ns() // 1_000_000
                assert blurred(got, now) == expected, answer.example


def parts(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Every answer in JSON: its operation, its description, its content."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for status in operation["responses"]:
                answer = response(document, operation, status)
                if JSON in answer["content"]:
                    content = answer["content"][JSON]
                    yield f"{method} {path}", answer["description"], content


@pytest.mark.parametrize("path", DOCUMENTS)
def test_every_answer_has_examples_and_every_error_its_own(
    documents: dict[str, Document], path: str
) -> None:
    for operation, description, content in parts(documents[path]):
        names = set(content["examples"])
        assert names, operation
        if content["schema"] == {"$ref": "#/components/schemas/Failure"}:
            assert names == set(description.split(", ")), operation


@pytest.mark.parametrize("path", DOCUMENTS)
def test_examples_are_as_their_schemas_say(
    documents: dict[str, Document], path: str
) -> None:
    document = documents[path]
    bodies = (
        operation["requestBody"]["content"][JSON]
        for methods in document["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    )
    for content in [*bodies, *(content for _, _, content in parts(document))]:
        schema = content["schema"] | {"components": document["components"]}
        for example in content["examples"].values():
            found = document["components"].get("examples", {})
            name = example.get("$ref", "").rpartition("/")[2]
            validate(found.get(name, example)["value"], schema)
