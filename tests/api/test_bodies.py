"""Bodies that are not a JSON object, too large, or not said to be JSON."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from mock_server.api.errors import BadJson
from mock_server.api.request import check_counts
from mock_server.domain.limits import Published
from tests.conftest import MakeApi
from tests.support import LIBRARY, LIST, PIN, Api, chunks

AUTH = ("Authorization", "Bearer any")
JSON = ("Content-Type", "application/json")
MIB = 1024 * 1024


@pytest.mark.ci
@pytest.mark.parametrize("size", [MIB + 1, 20 * MIB])
@pytest.mark.direct
def test_a_larger_body_is_413_and_the_client_sees_it(api: Api, size: int) -> None:
    response = api.client.put(PIN, content=b" " * size, headers=[AUTH, JSON])
    assert response.status_code == 413
    assert response.headers["connection"] == "close"
    assert response.json()["message"] == (
        f"Expected at most {MIB} bytes, got {size} bytes - at body"
    )


@pytest.mark.direct
def test_a_larger_body_in_chunks_is_413(api: Api, face: str) -> None:
    response = api.client.put(PIN, content=chunks(3 * MIB), headers=[AUTH, JSON])
    assert response.status_code == 413
    assert face == "asgi" or response.headers["connection"] == "close"
    assert response.json()["statusText"] == "bodyTooLarge"


@pytest.mark.ci
def test_the_server_serves_on_after_an_early_answer(api: Api) -> None:
    api.client.put(PIN, content=b" " * 20 * MIB)
    assert api.pin().status_code == 200


def test_large_bodies_are_charged_while_they_are_held(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, memory=400_000)
    body = b" " * 300_000
    answer = api.client.post(LIST, content=body, headers=[AUTH, JSON])
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")
    assert "at most 390.6 KiB of memory in use" in answer.json()["message"]
    assert api.client.get("/__admin/health").json()["memory"]["requests"] == 0
    assert api.list_v2().status_code == 200


@pytest.mark.parametrize("escape", [b"\\n", b"\\\\"])
def test_more_escapes_than_others_could_wait_for_are_refused(escape: bytes) -> None:
    most = Published.json_escapes
    check_counts(b'{"x":"%b"}' % (escape * most))
    with pytest.raises(BadJson, match=f"more than {most} escapes"):
        check_counts(b'{"x":"%b"}' % (escape * (most + 1)))


@pytest.mark.parametrize("count", [25_000, 60_000])
def test_a_large_body_of_too_many_values_violates_the_spec(
    api: Api, count: int
) -> None:
    body = b'{"a":[%b0]}' % (b"0, " * count)
    answer = api.client.put(PIN, content=body, headers=[AUTH, JSON])
    is_bad = count > Published.json_values
    assert answer.json()["statusText"] == ("badJson" if is_bad else "invalidField")
    message = api.journal()[-1]["violations"][0]["message"]
    assert ("items and fields" in message) == is_bad


@pytest.fixture
def collecting() -> Iterator[None]:
    """Python code runs whenever an object is made, as when garbage is freed."""

    def runs(phase: str, info: object, calls: int = 5) -> None:
        if calls:
            runs(phase, info, calls - 1)

    thresholds = gc.get_threshold()
    gc.callbacks.append(runs)
    gc.set_threshold(1)
    yield
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(runs)


@pytest.mark.usefixtures("collecting")
@pytest.mark.parametrize("length", [0, 500_000])
def test_garbage_can_be_freed_while_a_deep_body_is_read(api: Api, length: int) -> None:
    depth = 2_000
    nested = b"[" * depth + b"]" * depth
    body = b'{"x": %b, "y": "%b"}' % (nested, b"x" * length)
    answer = api.client.put(PIN, content=body, headers=[AUTH, JSON])
    assert "nested deeper than 64 levels" in answer.json()["message"]
    assert "nested deeper" in api.journal()[-1]["violations"][0]["message"]
