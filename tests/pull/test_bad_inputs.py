"""What can be wrong with a pull: one line each, an exit code, nothing half-written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from mock_server.cli.output import UNFIT, UNREACHABLE, USAGE, Stop
from mock_server.service.pull.walk import Selection
from tests.cli.commands import Ended, run
from tests.pull.walks import APP, DATASET, KEY, QUICK, SMALL, pull_of, served
from tests.strangers import REDIRECTS, STRANGERS, Strange, answer, says, strangers

COLLECTION: dict[str, Any] = {
    "_id": "a",
    "type": "link",
    "name": "A",
    "updateTime": "2024-01-01T00:00:00Z",
}


def page(*items: object, total: object = 1) -> bytes:
    """A page of collections, whatever they are."""
    data = {"list": items, "total": total}
    body = {"code": 200, "statusText": "", "message": "", "data": data}
    return answer(body=json.dumps(body).encode())


def error(status: str, code: int, text: str = "") -> bytes:
    body = {"code": code, "statusText": text, "message": f"not {KEY}", "data": None}
    return answer(status, json.dumps(body).encode())


ESCAPED = error("200 OK", 501_002).partition(b"\r\n\r\n")[2].replace(b"-", b"\\u002d")
"""A body that shows the key with its hyphens escaped."""
MORE = {
    "no_data": (says(error("200 OK", 200)), UNFIT, "Expected `object`, got `null`"),
    "no_total": (says(page(total=None)), UNFIT, "got `null` - at `$.data.total`"),
    "odd_total": (says(page(COLLECTION, total=1.5)), UNFIT, "$.data.total"),
    "too_many": (says(page(*[COLLECTION] * 31)), UNFIT, "at most 30 items, got 31"),
    "twice": (says(page(*[COLLECTION] * 2, total=2)), UNFIT, '"a" is in it'),
    "no_name": (
        says(page(COLLECTION | {"name": None})),
        UNFIT,
        "$.data.list[0].name",
    ),
    "no_time": (
        says(page(COLLECTION | {"updateTime": "today"})),
        UNFIT,
        'Expected a date-time, got the string "today"',
    ),
    "other_folder": (
        says(page(COLLECTION | {"parentId": "b"})),
        UNFIT,
        'Expected items of parentId null, got one of the string "b"',
    ),
    "cycle": (says(page(COLLECTION | {"type": "folder"})), UNFIT, '"a" is in'),
    "never_ends": (says(page(total=5)), UNFIT, "0 items, and a total of 5"),
    "bad_id": (
        says(page(COLLECTION | {"_id": "."})),
        UNFIT,
        "that a URL path can hold",
    ),
    "unauthorized": (says(error("401 No", 401, "no")), USAGE, "that in KEY_VARIABLE)"),
    "forbidden": (says(error("403 No", 403)), USAGE, "refused with 403"),
    "bad_key": (says(error("500 No", 514, "unAuth")), USAGE, "that in KEY_VARIABLE)"),
    "always_200": (
        says(error("200 OK", 501_002)),
        USAGE,
        "refused with 501002 not [redacted]",
    ),
    "escaped_key": (
        says(answer(body=ESCAPED)),
        USAGE,
        "refused with 501002 not [redacted]",
    ),
    "cut_in_the_key": (
        says(answer(body=b"x" * 45 + KEY.encode())),
        UNFIT,
        "x[redacted]'",
    ),
    "no_post": (says(answer("501 No", b"<p>", kind="text/html")), UNFIT, "got 501 t"),
    "bad_request": (says(error("400 No", 400, "error")), UNFIT, "refused with 400"),
    "busy": (says(error("503 Busy", 503)), UNREACHABLE, "got 503"),
    "limited": (says(error("429 Slow", 429)), UNREACHABLE, "got 429"),
}
UNANSWERED = {
    "garbage": "the response is not HTTP",
    "silence": "no full response in 0.2 s",
    "dripping_body": "no full response in 0.2 s",
    "endless_head": "got more than 100 headers",
    "page_500": "got 500 text/html",
    "page_503": "got 503 text/html",
    "gzip": "a response encoded as 'gzip'",
    "closed_in_body": "the response ended early",
}
UNFITTING = {
    "page": "got 200 text/html '<!doctype html>",
    "page_404": "got 404 text/html",
    "redirect_302": "got a redirect (302) to 'http://localhost:",
    "array": "Expected `object`, got `array`",
    "object": "missing required field `code`",
    "nested": "got 200 application/json '[[[[",
    "not_utf8": "got 200 application/json",
    "no_content": "got 204 without a body",
    "terminal": r"got 418 application/json '\x1b[2J",
}


@pytest.fixture(scope="module")
def strange() -> Iterator[Strange]:
    with strangers({name: row[0] for name, row in MORE.items()}) as running:
        yield running


def ends(strange: Strange, name: str, folder: Path) -> tuple[int, str]:
    """How a pull ends that writes nothing."""
    endless = name.startswith(("dripping", "endless", "silence"))
    wanted, limits = Selection((DATASET,)), QUICK
    if endless:
        limits = replace(QUICK, pull_seconds=0.2)
    with pytest.raises(Stop) as stop:
        pull_of(strange.url(name), folder / "a.yaml", wanted, limits=limits)
    assert strange.elsewhere == []
    assert KEY not in stop.value.message
    assert stop.value.message.isprintable()
    assert (
        f"POST {strange.url(name)}/api/core/" in stop.value.message or name == "bad_id"
    )
    assert not (folder / "a.yaml").exists()
    return stop.value.status, stop.value.message


@pytest.mark.parametrize("name", MORE)
def test_a_service_that_is_wrong_is_told(
    strange: Strange, tmp_path: Path, name: str
) -> None:
    _, status, said = MORE[name]
    ended = ends(strange, name, tmp_path)
    assert ended[0] == status
    assert said in ended[1]


@pytest.mark.ci
@pytest.mark.parametrize("name", [*UNANSWERED, *UNFITTING])
def test_what_is_no_service_is_told(
    strange: Strange, tmp_path: Path, name: str
) -> None:
    status = UNREACHABLE if name in UNANSWERED else UNFIT
    ended = ends(strange, name, tmp_path)
    assert ended[0] == status
    assert (UNANSWERED | UNFITTING)[name] in ended[1]
    assert os.listdir(tmp_path) == []


@pytest.mark.ci
@pytest.mark.parametrize("name", [*STRANGERS, *REDIRECTS])
def test_no_stranger_is_pulled(strange: Strange, tmp_path: Path, name: str) -> None:
    assert ends(strange, name, tmp_path)[0] in (UNREACHABLE, UNFIT)
    assert os.listdir(tmp_path) == []


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with served(SMALL) as running:
        yield running


def pulled(url: str, *args: str, **variables: str) -> Ended:
    given = ["--base-url", url, "--dataset", DATASET, *args]
    return run("pull", *given, **{"MOCK_SERVER_PULL_KEY": KEY, **variables})


def test_texts_that_no_fixture_can_have_are_cut(tmp_path: Path) -> None:
    long = COLLECTION | {"name": "n" * 9_000, "tags": ["t" * 300]}
    with strangers({"long": says(page(long))}) as strange:
        made = pull_of(strange.url("long"), tmp_path / "a.json", Selection((DATASET,)))
    (found,) = json.loads(made)["datasets"][0]["collections"]
    assert (found["name"], found["tags"]) == ("n" * 8_192, ["t" * 256])


def test_a_row_that_no_fixture_can_have_is_cut(tmp_path: Path) -> None:
    both = COLLECTION | {
        "dataAmount": 1,
        "q": "\u554f" * 999_999,
        "a": "\u7b54" * 999_999,
    }
    with strangers({"large": says(page(both))}) as strange:
        selection = Selection((DATASET,), rows=True)
        made = pull_of(strange.url("large"), tmp_path / "a.json", selection)
    (found,) = json.loads(made)["datasets"][0]["collections"]
    assert {len(found["data"][0][each]) for each in "qa"} == {699_049}


@pytest.mark.ci
def test_nobody_there_is_told() -> None:
    ended = pulled("http://127.0.0.1:1")
    *retries, last = ended.err.splitlines()
    assert (ended.status, ended.out, len(retries)) == (UNREACHABLE, "", 2)
    assert all(", retrying in 0." in line for line in retries)
    assert "Connection refused - at POST http://127.0.0.1:1/api/core" in last


@pytest.mark.parametrize("output", [[], ["--output", "-"]])
def test_a_pull_goes_to_stdout(server: MockServer, output: list[str]) -> None:
    given = ("--app", APP, "--format", "json", "--anonymize")
    ended = pulled(server.url, *given, *output)
    assert (ended.status, ended.err) == (0, "")
    assert list(json.loads(ended.out)) == [
        *("keys", "users", "replies", "apps", "datasets", "training")
    ]


def test_a_file_that_was_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "seen.yaml"
    with MockServer(profile="deployed") as server:
        given = ("--base-url", server.url, "--dataset", "6593e137231a2be9c5603ba7")
        key = {"MOCK_SERVER_PULL_KEY": KEY}
        ended = run("pull", *given, "--output", str(path), **key)
        bare = run("pull", *given, **key)
    assert (ended.status, ended.out) == (0, f"wrote {path}\n")
    assert bare.out.encode() == path.read_bytes()
