"""Collections made of texts, links and files."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    DATA,
    DATASET,
    LOCAL_FILE,
    MIB,
    OWNER,
    made,
    related_routes,
    send,
    upload,
)
from tests.conftest import MakeApi
from tests.support import Api

BOUNDARY = "edge"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def post(api: Api, body: bytes | Iterator[bytes], headers: Any = FORM) -> Any:
    """Send bytes as a form; gives the response."""
    headers = {"Authorization": f"Bearer {OWNER}", **headers}
    return api.client.post(LOCAL_FILE, content=body, headers=headers)


def part(head: str, value: str) -> str:
    """A part of a form, which its boundary begins."""
    return f"--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n"


FIELDS = part('name="data"', json.dumps({"datasetId": DATASET}))
FILE = part('name="file"; filename="a.txt"', "Some text")
END = f"--{BOUNDARY}--\r\n"


@pytest.mark.parametrize(
    ("head", "part_name"),
    [(b'name="\xff"', "name"), (b'name="file"; filename="\xff.txt"', "filename")],
)
def test_what_is_no_utf_8_is_told_with_its_place(
    make_api: MakeApi, head: bytes, part_name: str
) -> None:
    odd = b"--edge\r\nContent-Disposition: form-data; %b\r\n\r\nx\r\n" % head
    answer = post(related_routes(make_api), FIELDS.encode() + odd + END.encode())
    assert answer.status_code == 400
    assert answer.json()["message"].endswith(f"got other bytes - at part {part_name}")


def listed(api: Api, **fields: Any) -> dict[str, Any]:
    """The first collection of the list."""
    body = {"datasetId": DATASET, "offset": 0, "pageSize": 10, **fields}
    answer = send(api, "POST", "/api/core/dataset/collection/listV2", body)
    found: dict[str, Any] = answer.json()["data"]["list"][0]
    return found


def texts(api: Api, collection_id: str) -> list[str]:
    """The `q` of the rows of a collection."""
    body = {"collectionId": collection_id, "pageSize": 30}
    rows = send(api, "POST", f"{DATA}/v2/list", body).json()["data"]["list"]
    return [row["q"] for row in rows]


def test_a_file_that_is_no_text_has_no_rows(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made(upload(api, "a.pdf", b"%PDF-1.7 \xff"))
    assert listed(api)["trainingAmount"] == 1
    api.admin("POST", "/clock/advance", {"seconds": 3})
    shown = listed(api)
    assert (shown["trainingAmount"], shown["dataAmount"]) == (0, 0)


def test_a_text_is_read_up_to_a_mebibyte(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    item = made(upload(api, "a.txt", "字".encode() * MIB))
    assert listed(api)["dataAmount"] == -(-(MIB // 3) // 800)
    assert set("".join(texts(api, item))) == {"字"}


def test_a_body_over_all_limits_is_refused_unread(make_api: MakeApi) -> None:
    limits = Limits(upload_bytes=1000, body_bytes=1000)
    api = related_routes(make_api, limits=limits)
    before = to_document(api.sandbox.store)
    pieces = iter([FIELDS.encode(), FILE.encode(), b"x" * 3000])
    for answer in (upload(api, "a.pdf", b"x" * 3000), post(api, pieces)):
        assert (answer.status_code, answer.json()["code"]) == (413, 413)
        assert "2000 bytes" in answer.json()["message"]
    assert to_document(api.sandbox.store) == before


@pytest.mark.ci
def test_the_largest_file_may_come_in_small_chunks(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    start = part('name="file"; filename="a.pdf"', "x" * DEFAULT_LIMITS.upload_bytes)
    body = (FIELDS + start + END).encode()
    pieces = (body[at : at + 8192] for at in range(0, len(body), 8192))
    assert post(api, pieces).status_code == 200


@pytest.mark.parametrize("face", ["zttp", "h11"])
def test_a_client_that_goes_leaves_nothing(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    before = to_document(api.sandbox.store)
    where = urlsplit(str(api.client.base_url))
    head = (
        f"POST {LOCAL_FILE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {OWNER}\r\n"
        f"Content-Type: {FORM['Content-Type']}\r\nContent-Length: 100000\r\n\r\n"
    )
    with socket.create_connection((where.hostname, where.port or 80)) as client:
        client.sendall((head + FIELDS + FILE).encode())
    # Once its entry is there, it has been dealt with.
    made(upload(api, "b.txt"))
    after = to_document(api.sandbox.store)
    names = [each["name"] for each in after["datasets"][0]["collections"]]
    assert "a.txt" not in names
    assert len(names) == len(before["datasets"][0]["collections"]) + 1


@pytest.mark.parametrize("size", [1, 7, 64])
def test_a_form_may_come_in_pieces_of_any_size(make_api: MakeApi, size: int) -> None:
    api = related_routes(make_api, training="instant")
    body = (FIELDS + FILE + END).encode()
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    assert texts(api, made(post(api, pieces))) == ["Some text"]


def test_before_a_form_there_are_at_most_64_kib(make_api: MakeApi) -> None:
    api, form = related_routes(make_api), FIELDS + FILE + END
    few, many = "\r\n" * 1_000, "\r\n" * 2**17
    assert posted_in_pieces(api, few + form).status_code == 200
    assert posted_in_pieces(api, many + form).json()["message"] == (
        "Expected a form that begins with its boundary, got other bytes - at body"
    )


def posted_in_pieces(api: Api, text: str) -> Any:
    """Send a form of a known length in pieces of 16 KiB; gives the response."""
    body = text.encode()
    pieces = (body[at : at + 2**14] for at in range(0, len(body), 2**14))
    return post(api, pieces, FORM | {"Content-Length": str(len(body))})
