"""What has been seen becomes a fixture that serves the same."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx2
import pytest

from mock_server.app import create_app
from mock_server.server import running
from tests.recording.fronted import fronted, says, scripted
from tests.recording.requests_mix import mix
from tests.support import DATASET, LIBRARY, LIST, client_of

FOLDERS = [None, "folder", "deep"]
TREE = {
    "clock": LIBRARY["clock"],
    "datasets": [
        {
            "id": DATASET,
            "collections": [
                {"_id": "f", "name": "Folder", "children": [
                    {"repeat": 40, "name": "In {n:02}", "_id": "in-{n}"},
                    {"_id": "g", "name": "Deeper", "children": [
                        {"_id": "last", "name": "Last", "tags": ["red"]}]},
                ]},
                {"repeat": 25, "name": "Top {n:02}", "_id": "top-{n}"},
            ],
        }
    ],
}  # fmt: skip


def pages(client: httpx2.Client, parent: str | None) -> list[Any]:
    """All pages of a folder."""
    found: list[Any] = []
    for offset in range(0, 60, 7):
        body = {"offset": offset, "pageSize": 7, "datasetId": DATASET}
        headers = {"Authorization": "Bearer some-key"}
        page = client.post(LIST, json=body | {"parentId": parent}, headers=headers)
        found.append(page.json()["data"])
    return found


def test_the_fixture_serves_the_same_pages() -> None:
    folders = [None, "f", "g"]
    with (
        running(create_app(TREE)) as target,
        fronted(target, is_kept=True) as (url, own),
        client_of(url) as client,
    ):
        seen = [pages(client, each) for each in folders]
    assert own.record is not None
    assert own.record.missing == []
    with (
        running(create_app(own.record.document())) as saved,
        client_of(saved) as client,
    ):
        assert [pages(client, each) for each in folders] == seen


@pytest.mark.ci
def test_amid_errors_the_fixture_serves_the_same_pages() -> None:
    app = create_app(LIBRARY, profile="deployed")
    with (
        running(app) as target,
        fronted(target, is_kept=True) as (url, own),
        client_of(url) as client,
    ):
        for each in mix(3, 40):
            client.request(
                each.method, url + each.path, content=each.body, headers=each.headers
            )
        seen = [pages(client, each) for each in FOLDERS]
    assert own.record is not None
    again = create_app(own.record.document(), profile="deployed")
    with running(again) as saved, client_of(saved) as client:
        assert [pages(client, each) for each in FOLDERS] == seen


PAGE = {"list": [{"_id": "c", "name": "Ä", "parentId": None}], "total": 1}
BODY = json.dumps({"code": 200, "data": PAGE}).encode()
UNREAD = "1 exchange was not read"


@pytest.mark.parametrize(
    ("body", "fields", "is_read"),
    [
        (BODY, b"", True),
        (gzip.compress(BODY, mtime=0), b"Content-Encoding: gzip\r\n", True),
        (BODY, b"Content-Encoding: br\r\n", False),
        (BODY, b"Content-Encoding: gzip\r\n", False),
        (gzip.compress(BODY, mtime=0)[:-9], b"Content-Encoding: gzip\r\n", False),
        (
            gzip.compress(BODY + b" " * 10**6, mtime=0),
            b"Content-Encoding: gzip\r\n",
            False,
        ),
        (BODY + b" " * 10**6, b"", False),
    ],
)
def test_only_what_can_be_read_whole_counts(
    body: bytes, fields: bytes, is_read: bool
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%b\r\n" % (len(body), fields)
    with (
        scripted(says(head + body)) as target,
        fronted(target.url, is_kept=True, recorded_bytes=100_000) as (url, own),
    ):
        asked = {"offset": 0, "datasetId": "d", "parentId": None}
        with client_of(url) as client, client.stream("POST", LIST, json=asked) as got:
            assert b"".join(got.iter_raw()) == body
    assert own.record is not None
    document: Any = own.record.document()
    assert len(document["datasets"]) == is_read
    assert any(UNREAD in each for each in own.record.missing) != is_read
