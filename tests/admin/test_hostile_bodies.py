"""Bodies, queries and paths that mean harm: refused by the admin API, without effect,
and at no price for others.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest
from msgspec import inspect, structs

from mock_server.fixture.document import Document
from tests.admin.hostile_values import NOT_JSON, PATH_PARTS, STATES, VALUES
from tests.admin.world import (
    BODIED,
    HOST,
    PARTS,
    ROWS,
    TOKEN,
    Answer,
    Row,
    World,
    ask,
    filled,
)
from tests.support import DATASET, Api, chunks

MIB = 1024 * 1024
STATE, JSON, YAML = "/__admin/state", "application/json", "application/yaml"


@pytest.fixture
def quiet(logged: list[logging.LogRecord]) -> Iterator[None]:
    """Nothing unexpected was logged by the end."""
    yield
    assert [each for each in logged if each.levelno >= logging.ERROR] == []


def put_state(api: Api, content: Any, content_type: str = JSON) -> Any:
    """Put a state; the answer as JSON, its HTTP status in `http`."""
    headers = {"Content-Type": content_type}
    response = api.client.put(STATE, content=content, headers=headers)
    return response.json() | {"http": response.status_code}


def get_state(api: Api) -> Any:
    """The state as it is shown."""
    response = api.client.get(STATE)
    assert response.status_code == 200
    return response.json()


LONG = pytest.mark.ci


@pytest.mark.ci
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    "path",
    ["/__admin/state", pytest.param("/__admin/sandboxes/team/state", marks=LONG)],
)
@pytest.mark.parametrize("content_type", [JSON, YAML])
@pytest.mark.parametrize("case", STATES)
def test_a_hostile_state_is_refused_and_the_old_one_stays(
    world: World, case: str, content_type: str, path: str
) -> None:
    before = world.fingerprint()
    [row] = [row for row in writing() if row.path == path]
    answer = send(world, row, STATES[case], content_type)
    assert (answer.status, answer.status_text) == (400, "badFixture")
    assert b"got one with problems - at body (state:" in answer.body
    assert len(answer.body) < 10_000
    assert world.fingerprint() == before


SOCKETS = pytest.mark.parametrize("face", ["zttp", pytest.param("h11", marks=LONG)])


@pytest.mark.ci
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("face", "content_type", "cases"),
    [
        ("zttp", JSON, list(STATES)[::5]),
        ("h11", YAML, list(STATES)[1::5]),
        *(
            pytest.param(face, content_type, STATES, marks=LONG)
            for face in ("zttp", "h11")
            for content_type in (JSON, YAML)
        ),
    ],
)
def test_hostile_states_are_refused_over_a_socket_too(
    api: Api, content_type: str, cases: Iterable[str]
) -> None:
    before = get_state(api)
    for case in cases:
        content = STATES[case]
        answer = put_state(api, content, content_type)
        assert (answer["http"], answer["statusText"]) == (400, "badFixture"), case
    assert (get_state(api), api.sandbox.state.generation) == (before, 1)


@pytest.mark.ci
@pytest.mark.usefixtures("quiet")
@pytest.mark.direct
def test_a_state_of_more_than_32_mib_is_413(api: Api) -> None:
    before = get_state(api)
    for content_type in (JSON, YAML):
        for content in (b" " * 33 * MIB, chunks(33 * MIB)):
            answer = put_state(api, content, content_type)
            assert (answer["http"], answer["statusText"]) == (413, "bodyTooLarge")
            assert answer["message"].startswith(f"Expected at most {32 * MIB} bytes")
    assert (get_state(api), api.sandbox.state.generation) == (before, 1)


@LONG
@SOCKETS
@pytest.mark.usefixtures("quiet")
@pytest.mark.direct
def test_a_state_of_32_mib_may_come_in_chunks_of_8_kib(api: Api) -> None:
    content = b'{"apps": [{"id": "big"}]}'
    pieces = [content + b" " * (8_192 - len(content)), *[b" " * 8_192] * 4_095]
    assert put_state(api, iter(pieces))["http"] == 200
    assert [each["id"] for each in get_state(api)["apps"]] == ["big"]


@pytest.mark.usefixtures("quiet")
def test_a_body_of_more_than_1_mib_is_413_everywhere_else(world: World) -> None:
    before = world.fingerprint()
    for row in others():
        answer = send(world, row, b" " * (MIB + 1))
        assert (answer.status, answer.status_text) == (413, "bodyTooLarge"), row
    assert world.fingerprint() == before
    assert send(world, others()[0], b" " * MIB).status == 200


@pytest.fixture
def world() -> World:
    return World()


def writing() -> list[Row]:
    """The routes that take a body."""
    return [row for row in ROWS if row.method in BODIED]


def others() -> list[Row]:
    """The routes that take a body, but not a whole state."""
    return [row for row in writing() if row.route.path != "/state"]


def routes(of: list[Row]) -> list[Row]:
    """Of rows with the same route the first."""
    return list({id(row.route): row for row in reversed(of)}.values())[::-1]


def send(world: World, row: Row, content: bytes, content_type: str = JSON) -> Answer:
    """Call a route with another body."""
    headers = row.headers | {"content-type": content_type}
    return ask(world.app, row.method, row.path, headers, content)


@pytest.mark.ci
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("row", others(), ids=str)
def test_what_is_no_json_object_is_refused(world: World, row: Row) -> None:
    before = world.fingerprint()
    found = {case: send(world, row, body).status for case, body in NOT_JSON.items()}
    assert found == dict.fromkeys(NOT_JSON, 400)
    assert world.fingerprint() == before


def good_bodies(row: Row) -> Iterator[tuple[dict[str, Any], set[str]]]:
    """Bodies that a route takes, each with names of its fields and of another."""
    body = row.route.body or Document
    known: set[str] = set()
    for kind in body if isinstance(body, tuple) else (body,):
        info = inspect.type_info(kind)
        assert isinstance(info, inspect.StructType)
        names = {each.encode_name for each in info.fields} | {"x"}
        good = {"kind": info.tag} if info.tag else json.loads(row.content)
        yield good, names - known
        known = known & names if known else names  # what all kinds have, once


def with_field(body: dict[str, Any], name: str, value: bytes) -> bytes:
    """A body with another value in one field."""
    rest = {known: each for known, each in body.items() if known != name}
    start = json.dumps(rest).encode()[:-1] + (b", " if rest else b"")
    return b"%b%b: %b}" % (start, json.dumps(name).encode(), value)


@pytest.mark.ci
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("row", routes(writing()), ids=str)
@pytest.mark.parametrize(
    "values",
    [sorted(VALUES)[::6], pytest.param(sorted(VALUES), marks=LONG)],
    ids=["some", "all"],
)
def test_no_value_of_a_field_breaks_a_route_or_what_is_read_later(
    row: Row, values: list[bytes]
) -> None:
    for body, names in good_bodies(row):
        world = World()
        for name in names:
            for value in values:
                answer = send(world, row, with_field(body, name, value))
                assert answer.status < 500, (body, name, value, answer.body)
                if answer.status < 300 and row.method == "PUT":
                    assert is_stable(world, "/__admin/state"), (name, value)
        check_reads(world)


@LONG
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("row", routes(ROWS), ids=str)
def test_no_query_breaks_a_route(world: World, row: Row) -> None:
    values = [quote(value) for value in VALUES] + ["%ff", "%ed%a0%80", "abc", "1e9"]
    names = ["x"]
    if row.route.query is not None:
        names += [f.encode_name for f in structs.fields(row.route.query)]
    for name in names:
        for value in values:
            target = f"{row.path}?{name}={value}"
            answer = ask(world.app, row.method, target, row.headers, row.content)
            assert answer.status < 500, (name, value[:80], answer.body)


@LONG
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_a_path_breaks_a_route_or_what_is_read_later(
    world: World, part: str
) -> None:
    for row in [row for row in ROWS if "{%s}" % part in row.template]:
        for value in PATH_PARTS:
            path = filled(row.template, **{part: value})
            answer = ask(world.app, row.method, path, row.headers, row.content)
            assert answer.status < 500, (path, answer.body)
            if answer.status < 300 and row.method == "PUT":
                assert is_stable(world, "/__admin/state"), path
    check_reads(world)


def check_reads(world: World) -> None:
    """Whatever is read is answered, in every sandbox."""
    for row in ROWS:
        if row.method == "GET":
            answer = ask(world.app, "GET", row.path, row.headers)
            assert answer.status in (200, 404), (row, answer.body)


def is_stable(world: World, path: str) -> bool:
    """Whether a state can be put back as it is shown, in both notations."""
    headers, stable = {"host": HOST, "authorization": f"Bearer {TOKEN}"}, True
    for notation in (JSON, YAML):
        shown = ask(world.app, "GET", path, headers | {"accept": notation})
        assert shown.status == 200, shown.body
        typed = headers | {"content-type": notation}
        done = ask(world.app, "PUT", path, typed, shown.body)
        again = ask(world.app, "GET", path, headers | {"accept": notation})
        stable &= done.status == 200 and again == shown
    return stable


def large(count: int, chars: int) -> dict[str, Any]:
    """A state of that many collections, each with that much text."""
    rest = '\u6587 \u00e9\\n"' * (chars // 7)
    collections = [
        {"_id": f"c{n}", "name": f"{n} {rest}", "tags": [f"tag {n}"]}
        for n in range(count)
    ]
    return {"datasets": [{"id": DATASET, "collections": collections}]}


@LONG
@SOCKETS
@pytest.mark.usefixtures("quiet")
def test_a_state_of_10_000_collections_is_put_shown_and_reset_to(api: Api) -> None:
    document = large(10_000, 700)
    wanted = [each["name"] for each in document["datasets"][0]["collections"]]
    content = json.dumps(document, ensure_ascii=False).encode()
    api.client.timeout = 60
    assert 8 * MIB < len(content) < 12 * MIB
    assert put_state(api, content)["http"] == 200
    shown = get_state(api)
    assert [each["name"] for each in shown["datasets"][0]["collections"]] == wanted
    path = f"/__admin/datasets/{DATASET}/collections/c7"
    assert api.client.delete(path).status_code == 200
    assert get_state(api) != shown
    assert api.client.post("/__admin/reset", json={}).status_code == 200
    assert get_state(api) == shown


@LONG
@SOCKETS
@pytest.mark.usefixtures("quiet")
def test_others_are_served_while_a_large_state_is_loaded(api: Api) -> None:
    content = json.dumps(large(30_000, 400)).encode()
    assert 20 * MIB < len(content) < 32 * MIB
    api.client.timeout = 60
    sent, answered = threading.Event(), 0
    with ThreadPoolExecutor(1) as thread:
        put = thread.submit(put_state, api, in_pieces(content, sent))
        while not put.done():
            is_loading = sent.is_set()
            answer = api.list_v2()
            assert answer.status_code == 200
            answered += is_loading and answer.headers["x-mock-generation"] == "1"
    assert put.result() == {"sandbox": "default", "generation": 2, "http": 200}
    assert answered >= 25
    assert api.list_v2(pageSize=1).json()["data"]["total"] == 30_000


def in_pieces(content: bytes, sent: threading.Event) -> Iterator[bytes]:
    """A body that says when all of it has been sent."""
    for start in range(0, len(content), 65_536):
        yield content[start : start + 65_536]
    sent.set()
