"""Bodies that are not a JSON object, too large, or not said to be JSON."""

from __future__ import annotations

import pytest

from tests.api.bad_requests import GOOD, nested
from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, LIST, PIN, Api, chunks

AUTH = ("Authorization", "Bearer any")
JSON = ("Content-Type", "application/json")
MIB = 1024 * 1024


@pytest.mark.parametrize(
    "body",
    [
        nested(64),
        b" \r\n\t" + GOOD + b"\n",
        b'{"x":"' + b"[" * 100 + rb"\"" + b'",' + GOOD[1:],
        b'{"x":[' + b"{}," * 99 + b"{}]," + GOOD[1:],
        b'{"top":false,"t\\u006fp":true,' + GOOD[1:].replace(b',"top":true', b""),
    ],
    ids=["depth_64", "white_space", "brackets_in_text", "wide", "last_key_wins"],
)
def test_unusual_json_is_served(api: Api, body: bytes) -> None:
    response = api.client.put(PIN, content=body, headers=[AUTH, JSON])
    assert response.status_code == 200, response.text
    assert api.top() is True


def test_a_body_of_1_mib_is_served(api: Api) -> None:
    body = GOOD + b" " * (MIB - len(GOOD))
    assert api.client.put(PIN, content=body, headers=[AUTH, JSON]).status_code == 200


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


@pytest.mark.parametrize("item", [b"1", b'"a"', rb'"\\"', rb'"\",\""'])
def test_items_and_fields_beside_the_first_are_at_most_50_000(
    api: Api, item: bytes
) -> None:
    others = GOOD.count(b",") + 1
    for commas, status in ((50_000, 200), (50_001, 400)):
        items = b",".join([item] * (commas - others + 1))
        body = b'{"x":[%b],' % items + GOOD[1:]
        response = api.client.put(PIN, content=body, headers=[AUTH, JSON])
        assert response.status_code == status
    assert response.json()["message"] == (
        "Expected a JSON object, got more than 50000 items and fields - at $"
    )


def test_commas_in_texts_count_as_no_items(api: Api) -> None:
    body = b'{"x":"%b",' % (rb"\",\\" * 100_000) + GOOD[1:]
    assert api.client.put(PIN, content=body, headers=[AUTH, JSON]).status_code == 200


@pytest.mark.parametrize("end", ["e-40000", "E-40010", ".5e-40000"])
def test_a_fraction_of_however_many_digits_is_served(api: Api, end: str) -> None:
    digits = "7" * 40_000 + end
    body = f'{{"offset":0,"datasetId":"{DATASET}","x":[{digits},1e-{2**53}]}}'
    headers = {"Authorization": "Bearer any-key", "Content-Type": "application/json"}
    assert api.client.post(LIST, content=body, headers=headers).status_code == 200


def test_long_numbers_have_256_ki_digits_at_most_and_texts_more(api: Api) -> None:
    digits = b"1" * 256
    for count, mark, status in ((1020, b"", 200), (1030, b'"', 200), (1030, b"", 400)):
        number = mark + digits + (mark or b".5")
        body = b'{"x":[%b],' % b",".join([number] * count) + GOOD[1:]
        response = api.client.put(PIN, content=body, headers=[AUTH, JSON])
        assert response.status_code == status
    assert "got more than 262144 digits of long numbers" in response.json()["message"]


def test_an_unauthorized_caller_learns_nothing_of_the_body(api: Api) -> None:
    for content in (b"", b"[", b"x" * 10_000):
        response = api.client.put(PIN, content=content)
        assert response.status_code == 401
