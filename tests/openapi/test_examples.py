"""The examples of the OpenAPI documents are what a server answers over a socket."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from http.client import HTTPConnection

import pytest

from mock_server.api.operations.table import OPERATIONS
from mock_server.app import Application, create_app
from mock_server.domain.clock import parse_time
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.fixture.source.files import shipped_path
from mock_server.wire.uvicorn_internals import best_parser
from tests.openapi import JSON, admin, examples
from tests.openapi.committed import (
    ADMIN,
    NAMES,
    PUBLIC,
    Document,
    Name,
    read,
    response,
    validate,
)
from tests.openapi.examples import (
    EXAMPLE_TIME,
    KEY,
    LOGIN,
    USER,
    ExampleRequest,
    ExampleResponse,
    ExampleSession,
    add_key,
    run_examples,
    value_of,
)
from tests.openapi.public import TAG
from tests.support import Switch

SESSIONS: dict[Name, list[ExampleSession]] = {
    PUBLIC: examples.sessions(OPERATIONS.values()),
    ADMIN: admin.sessions(),
}
CASES = [(name, session) for name, found in SESSIONS.items() for session in found]
DAY = 86_400_000


def send(
    url: str, request: ExampleRequest, keys: Mapping[str, str]
) -> tuple[int, bytes]:
    """Send just the headers that the request has; the last status and body."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=20)
    connection.putrequest(
        request.method, request.path, skip_host=True, skip_accept_encoding=True
    )
    for name, value in request.all_headers(keys).items():
        connection.putheader(name, value)
    connection.endheaders(request.content)
    answer = connection.getresponse()
    status, body = answer.status, answer.read()
    connection.close()
    return status, body


@contextmanager
def busy(app: Application) -> Iterator[None]:
    """Leave no place for another large document."""
    with ExitStack() as stack:
        for _ in range(DEFAULT_LIMITS.loads):
            stack.enter_context(app.loader.slot())
        yield


def responses(
    app: Application, url: str, session: ExampleSession
) -> Iterator[ExampleResponse]:
    """What the server at `url` answers to the requests that have a name."""
    keys = {"default": KEY, LOGIN: app.sandbox.tokens.login_token(USER)}
    for request in session.requests:
        with busy(app) if request.name == "serverBusy" else nullcontext():
            status, body = send(url, request, keys)
        add_key(keys, request, status, body)
        if request.name:
            yield ExampleResponse(request, status, value_of(body))


def shown(document: Document, answer: ExampleResponse) -> object:
    """What the document shows in the place of a response."""
    request = answer.request
    if not request.operation_id:
        return document["components"]["examples"][request.name]["value"]
    (operation,) = (
        each
        for methods in document["paths"].values()
        for each in methods.values()
        if each["operationId"] == request.operation_id
    )
    contents = response(document, operation, str(answer.status))["content"].values()
    (content,) = (each for each in contents if request.name in each.get("examples", ()))
    return content["examples"][request.name]["value"]


def blurred(value: object, now: int) -> str:
    """JSON without what differs between servers: keys, memory, times about now."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    measured = "durationMs", "endsIn", "time", "wait"
    for each in measured:
        text = re.sub(rf'(?<="{each}":)[0-9.e-]+', "0", text)
    text = re.sub(r'(?<="http":)"\w+"', "null", text)  # examples are made in process
    text = re.sub(r'(?<="memory":)\{[^}]*\}', "0", text)
    text = re.sub(r"got [\d.]+ MiB - at body \(held: [^;]*", "MEMORY", text)
    text = re.sub(r"fastgpt-sbx-\w+|\*{6}\w{4}|fast…?[0-9a-f]{8}", "KEY", text)

    def time_of(match: re.Match[str]) -> str:
        return "NOW" if abs(parse_time(match[0]) - now) < DAY else match[0]

    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", time_of, text)


@pytest.mark.parametrize(("name", "session"), CASES)
def test_examples_are_what_a_server_answers(
    live: Callable[[str], tuple[Switch, str]], name: Name, session: ExampleSession
) -> None:
    switch, url = live(best_parser())
    switch.app = app = create_app(
        shipped_path(session.fixture),
        admin_token=session.admin_token,
        memory=session.memory,
        choices=session.choices,
    )
    document = read(name)
    for answer in responses(app, url, session):
        now = time.time_ns() // 1_000_000
        expected = blurred(shown(document, answer), EXAMPLE_TIME)
        assert blurred(answer.value, now) == expected, answer.request


def contents(
    document: Document, *, around: bool = False
) -> Iterator[tuple[str, str, Document]]:
    """Every response in JSON: its operation, its description, its content.

    Those of related routes, `around` the documented operations, only if asked for.
    """
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if not around and TAG in operation.get("tags", ()):
                continue
            for status in operation["responses"]:
                answer = response(document, operation, status)
                if JSON in answer["content"]:
                    content = answer["content"][JSON]
                    yield f"{method} {path}", answer["description"], content


SCHEMA = "get /__admin/schema"
"""Shows none: to generators of clients, the references in it led nowhere."""


@pytest.mark.parametrize("name", NAMES)
def test_every_response_has_examples_and_every_error_its_own(name: Name) -> None:
    for operation, description, content in contents(read(name)):
        examples = set(content.get("examples", ()))
        assert examples or operation == SCHEMA, operation
        if content["schema"] == {"$ref": "#/components/schemas/Failure"}:
            assert examples == set(description.split(", ")), operation


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_an_error_is_of_that_error(name: Name) -> None:
    document = read(name)
    for operation, _, content in contents(document):
        if content["schema"] == {"$ref": "#/components/schemas/Failure"}:
            for status_text, example in content["examples"].items():
                value = resolved(document, example)["value"]
                assert value["statusText"] == status_text, operation


def test_related_routes_have_an_example_where_one_is_made() -> None:
    documented = read(PUBLIC)["paths"]
    for each in OPERATIONS.values():
        if each.related is not None:
            described = documented[each.path][each.method.lower()]
            contents = described["responses"]["200"]["content"].values()
            shown = [content for content in contents if "examples" in content]
            assert len(shown) == len(examples.examples_of(each)), each.name


def test_the_example_of_a_related_route_is_a_success() -> None:
    session = examples.sessions(OPERATIONS.values())[-1]
    for answer in run_examples([session]):
        assert answer.status == 200, (answer.request.operation_id, answer.value)


def resolved(document: Document, example: Document) -> Document:
    """An example, or the one that it refers to."""
    name = example.get("$ref", "").rpartition("/")[2]
    found: Document = document["components"]["examples"][name] if name else example
    return found


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_as_their_schemas_say(name: Name) -> None:
    document = read(name)
    bodies = (
        operation["requestBody"]["content"].get(JSON, {})
        for methods in document["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    )
    answers = (content for _, _, content in contents(document, around=True))
    for content in [*bodies, *answers]:
        for example in content.get("examples", {}).values():
            schema = content["schema"] | {"components": document["components"]}
            validate(resolved(document, example)["value"], schema)
