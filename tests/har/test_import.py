"""`mock-server import har`: a browser's recording becomes a fixture that is served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from msgspec import convert

from mock_server.api.fixture_loading import load_fixture
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from mock_server.service.har.importing import Import
from mock_server.service.har.reading import Har
from tests.cli import commands
from tests.har.files import HOST, entry, har, write
from tests.support import DATASET, LIBRARY, LIST, PLAIN

PNG = b"\x89PNG\r\n\x1a\n\0\xff"
OTHER = "https://cdn.example"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with (
        MockServer(LIBRARY) as server,
        httpx2.Client(base_url=server.url, verify=PLAIN) as client,
    ):
        yield client


def made(tmp_path: Path, *entries: Any, more: tuple[str, ...] = ()) -> tuple[Any, str]:
    """The fixture that is made of entries, and what was told of it."""
    target = tmp_path / "made.json"
    name = write(tmp_path / "page.har", *entries)
    done = commands.run("import", "har", name, "--output", str(target), *more)
    assert (done.status, done.out) == (0, ""), done
    load_fixture(str(target))
    return json.loads(target.read_text()), done.err


def responses(tmp_path: Path, *entries: Any) -> list[Any]:
    return list(made(tmp_path, *entries)[0].get("responses", []))


BODIES: list[tuple[bytes | str, str]] = [
    ('{"a":[1,2.5,null]}', "application/json"),
    ('{ "spaced" : 1.0 }\n', "application/json; charset=utf-8"),
    ('{"same":1,"same":2,"large":12345678901234567890}', "application/json"),
    ('"' + "[" * 9 + '"', "application/json"),
    ("[" * 80 + "]" * 80, "application/json"),
    ('{"%s":1}' % ("k" * 2000), "application/json"),
    ("<!doctype html>\r\n<p>é\x00\u2028</p>", "text/html; charset=utf-8"),
    (b"body { color: red }\n", "text/css"),
    (b"caf\xe9", "text/plain; charset=iso-8859-1"),
    (PNG, "image/png"),
    ("", "text/plain"),
]


def test_bodies_are_served_byte_by_byte(client: httpx2.Client, tmp_path: Path) -> None:
    entries = [
        entry(f"/app/{n}", body, kind=kind) for n, (body, kind) in enumerate(BODIES)
    ]
    document, _ = made(tmp_path, *entries)
    client.put("/__admin/state", json=document)
    for n, (body, kind) in enumerate(BODIES):
        served = client.get(f"/app/{n}")
        assert served.content == (body.encode() if isinstance(body, str) else body)
        assert served.headers["content-type"] == kind


def test_a_text_is_served_in_the_character_set_that_it_has(tmp_path: Path) -> None:
    (part,) = responses(tmp_path, entry("/x", "é", kind="text/html; charset=GBK"))
    assert part["headers"] == {"content-type": "text/html; charset=utf-8"}


def test_operations_become_state(client: httpx2.Client, tmp_path: Path) -> None:
    client.put("/__admin/state", json=LIBRARY)
    asked = {"offset": 0, "datasetId": DATASET, "parentId": None}
    key = {"Authorization": "Bearer a-key-of-mine"}
    answer = client.post(LIST, json=asked, headers=key)
    recorded = entry(LIST, answer.text, method="POST", posted=asked, sent=key)
    document, told = made(tmp_path, recorded)
    assert "responses" not in document
    assert "imported 1 dataset, 4 collections, 0 chats, 0 responses" in told
    assert "a-key-of-mine" not in json.dumps(document)
    client.put("/__admin/state", json=document)
    assert client.post(LIST, json=asked, headers=key).content == answer.content


def test_headers_of_the_connection_and_of_the_caller_are_left_out(
    tmp_path: Path,
) -> None:
    dropped: dict[str, Any] = {
        "Content_Encoding": "br",
        "Content-Length": "5",
        "Set-Cookie": "s=secret",
        "Access-Control-Allow-Origin": "*",
        "Strict-Transport-Security": "max-age=1",
        "Transfer-Encoding": "chunked",
        ":status": "200",
        "Odd": "caf\u00e9",
    }
    kept: dict[str, Any] = {"ETag": '"1"', "Location": f"{HOST}/there"}
    (part,) = responses(tmp_path, entry("/x", "x", status=302, **dropped, **kept))
    assert part["status"] == 302
    assert part["headers"] == {
        "content-type": "application/json",
        "etag": '"1"',
        "location": "/there",
    }


def test_redirects_to_recorded_hosts_lead_to_the_mock_server(tmp_path: Path) -> None:
    targets = [
        f"{HOST}/there",
        f"{OTHER}/there",
        "https://else.example/there",
        "/there",
    ]
    entries = [
        entry(f"/{n}", status=302, Location=each) for n, each in enumerate(targets)
    ]
    parts = responses(tmp_path, *entries, entry("/x", host=OTHER))
    found = [each["headers"].get("location") for each in parts]
    assert found == ["/there", "/there", targets[2], "/there", None]


def test_what_requests_were_sent_with_is_in_no_answer(tmp_path: Path) -> None:
    sent = {"Authorization": "Bearer my-secret-key", "Cookie": "mode=compact; id=7"}
    none = {"Authorization": "Bearer undefined"}
    text = "send('my-secret-key', 'compact', undefined)"
    script = entry("/app.js", text, kind="text/javascript", sent=none)
    answer = entry("/me", '{"key":"my-secret-key"}', sent=sent)
    parts = responses(tmp_path, script, answer)
    assert parts[0]["text"] == "send('[redacted]', 'compact', undefined)"
    assert parts[1]["json"] == {"key": "[redacted]"}


def test_secrets_in_cookies_and_queries_are_in_no_answer(tmp_path: Path) -> None:
    sent = {"Cookie": "theme=lightlight; user_session=c00kie-secret"}
    text = "lightlight c00kie-secret query-secret"
    path = "/me?page=lightlight&apiKey=query-secret"
    (part,) = responses(tmp_path, entry(path, text, kind="text/plain", sent=sent))
    assert part["text"] == "lightlight [redacted] [redacted]"


def test_a_secret_is_in_no_answer_however_it_is_escaped(tmp_path: Path) -> None:
    sent = {"Authorization": "Bearer my/secret-key", "X-Api-Key": "another-key"}
    text = r'{"a":"another-key","b":"my\u002fsecret-key","c":"my%2Fsecret%2dkey"}'
    there = "/there?key=my%2Fsecret-key"
    (part,) = responses(tmp_path, entry("/x", text, sent=sent, Location=there))
    assert part["json"] == dict.fromkeys("abc", "[redacted]")
    assert part["headers"]["location"] == "/there?key=[redacted]"


def test_what_looks_like_a_token_is_one_whatever_its_name(tmp_path: Path) -> None:
    sent = ["k=3f2A504e0c4f89d41d3a", "jwt=ey.short"]
    kept = ["datasetId=65abd0ad9f3c1e22b7a1c0de", "file=/docs/v2/a-long-report.html"]
    values = [each.partition("=")[2] for each in (*sent, *kept)]
    path = f"/x?{'&'.join((*sent, *kept))}"
    (part,) = responses(tmp_path, entry(path, " ".join(values), kind="text/plain"))
    assert part["text"] == " ".join(["[redacted]"] * 2 + values[2:])


TOLD: dict[str, dict[str, Any]] = {
    "header": {"sent": {"X-Auth-Token": "s3cret-text"}},
    "basic": {"sent": {"Authorization": "Basic bWU6czNjcmV0LXRleHQ="}},
    "header of an answer": {"X-Access-Token": "s3cret-text"},
    "cookie": {"Set-Cookie": "session=s3cret-text; Domain=a.b-long-name-of.example"},
    "redirect": {"Location": "https://else.example/?token=s3cret-text"},
    "fragment of a redirect": {"Location": "/there#access_token=s3cret-text"},
}


@pytest.mark.parametrize("where", TOLD)
def test_secrets_of_answers_and_of_all_headers_are_in_no_answer(
    tmp_path: Path, where: str
) -> None:
    text = "s3cret-text of app.example, a.b-long-name-of.example"
    told = entry("/y", "", **{"sent": {":authority": "app.example"}} | TOLD[where])
    parts = responses(tmp_path, entry("/x", text, kind="text/plain"), told)
    assert parts[0]["text"] == text.replace("s3cret-text", "[redacted]")
    assert "s3cret" not in json.dumps(parts)


def test_fields_that_log_somebody_in_are_redacted_but_labels_are_not(
    tmp_path: Path,
) -> None:
    labels = {
        "password": "Your password 1",
        "authTitle": "Welcome",
        "author": "me-1234567",
    }
    text = json.dumps(labels | {"accessToken": "s3cret-text", "again": "s3cret-text"})
    (part,) = responses(tmp_path, entry("/login", text))
    hidden = dict.fromkeys(("accessToken", "again"), "[redacted]")
    assert json.loads(part["text"]) == labels | hidden


WRITTEN = {
    "escaped": r'{"accessToken":"ab1\/cd2\u002bef3"}',
    "behind a scheme": '{"Authorization":"Bearer gh1ij2kl3"}',
    "in an array": '{"accessToken":["mn1op2qr3"]}',
    "in an object": '{"token":{"value":"mn1op2qr3"}}',
    "in a text of JSON": r'{"body":"{\"accessToken\":\"st1uv2wx3\"}"}',
    "in an event": 'event: answer\ndata: {"accessToken":"sse1a2b3c4"}\n\n',
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_token_is_redacted_however_json_holds_it(tmp_path: Path, how: str) -> None:
    (part,) = responses(tmp_path, entry("/x", WRITTEN[how], kind="text/plain"))
    text = json.dumps(part)
    assert "[redacted]" in text
    assert not re.search(r"cd2|gh1|mn1|st1|sse1", text)


@pytest.mark.parametrize("scheme", ["https", "wss", "ftp"])
def test_what_is_left_out_is_told_without_secrets(tmp_path: Path, scheme: str) -> None:
    key = "fastgpt-my-key"
    host = f"{scheme}://me:s3cret-text@app.example"
    sent = {"Authorization": f"Bearer {key}"}
    path = "/" + "x" * 150 + f"/{key}/{key}#token=s3cret-text"
    _, told = made(tmp_path, entry(path, host=host, sent=sent, status=304))
    assert "[redacted]/[redacted]" in told
    assert "s3cret" not in told
    assert "fastgpt" not in told


LEFT_OUT = {
    "tell nothing": [
        entry(LIST, "<p>", method="POST"),
        entry(LIST, '{"code": 500, "data": null}', method="POST", status=500),
    ],
    "of HTTP": [
        entry("/s", host="wss://app.example"),
        entry("x", host="data:,"),
        entry("/s", status=101),
    ],
    "without an answer": [entry("/x", status=0), entry("/x", status=-1)],
    "server's own": [entry("/"), entry("/__admin/health"), entry("/openapi.json")],
    "of methods": [entry("/x", method="HEAD"), entry("/x", method="BREW")],
    "206 or 304": [entry("/x", status=304), entry("/x", status=206)],
    "with a status": [entry("/x", status=999), entry("/x", status=103)],
    "body was not recorded": [entry("/x", None)],
    "whose address": [
        entry("/{x}"),
        entry("/x/../y"),
        entry("/" + "x" * 2000),
        entry("/x", host="http://["),
    ],
    "too large": [entry("/x", "x" * (DEFAULT_LIMITS.response_bytes + 1))],
}


@pytest.mark.parametrize("why", LEFT_OUT)
def test_what_cannot_be_served_is_left_out_and_told(tmp_path: Path, why: str) -> None:
    document, told = made(tmp_path, *LEFT_OUT[why])
    assert "responses" not in document
    count = len(LEFT_OUT[why])
    noun = "request" if count == 1 else "requests"
    (line,) = (each for each in told.splitlines() if each.startswith("left out"))
    assert line.startswith(f"left out: {count} {noun} ")
    assert why in line


def test_preflights_are_passed_over(tmp_path: Path) -> None:
    document, told = made(tmp_path, entry("/x", method="OPTIONS", status=204))
    assert "responses" not in document
    assert "left out" not in told


def test_the_last_of_several_answers_wins_and_is_told(tmp_path: Path) -> None:
    entries = [entry("/x?page=1", "1"), entry("/x?page=2", "2"), entry("/y", "3")]
    document, told = made(tmp_path, *entries, entry("/y", "3"))
    assert [each["json"] for each in document["responses"]] == [2, 3]
    assert "answered in several ways, the last is kept: GET /x\n" in told


def test_hosts_are_merged_unless_one_is_chosen(tmp_path: Path) -> None:
    entries = [entry("/x", "1"), entry("/x", "2", host=OTHER), entry("/y", "3")]
    document, told = made(tmp_path, *entries)
    assert [each["json"] for each in document["responses"]] == [2, 3]
    assert f"GET /x was asked of {HOST} and {OTHER}: choose with --origin" in told
    document, told = made(tmp_path, *entries, more=("--origin", HOST))
    assert [each["json"] for each in document["responses"]] == [1, 3]
    assert "choose" not in told


def test_the_path_of_an_origin_is_no_part_of_paths(tmp_path: Path) -> None:
    entries = [entry("/base/x", "1"), entry("/based/y", "2")]
    document, _ = made(tmp_path, *entries, more=("--origin", f"{HOST}/base/"))
    assert [each["path"] for each in document["responses"]] == ["/x"]


def test_an_origin_that_was_not_asked_is_told(tmp_path: Path) -> None:
    name = write(tmp_path / "page.har", entry("/x", "1"), entry("/x", host=OTHER))
    done = commands.run("import", "har", name, "--origin", "https://none")
    expected = f"Expected requests to https://none, got those of {HOST}, {OTHER}"
    assert (done.status, done.err) == (1, f"{expected} - at --origin\n")


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(responses=2), "limit responses"),
        (Limits(responses_bytes=7), "too large"),
    ],
)
def test_responses_are_bounded_in_number_and_bytes(limits: Limits, why: str) -> None:
    made = Import(limits=limits)
    entries = [entry(f"/{n}", "abc") for n in (1, 2, 3, 4, 1)]
    made.take(convert(har(*entries), Har).log.entries)
    assert len(made.document()["responses"]) == 2
    (line,) = made.advice()
    assert line.startswith("left out: 2 requests ")
    assert why in line


def test_yaml_goes_to_stdout(tmp_path: Path) -> None:
    name = write(tmp_path / "page.har", entry("/x", "é: \x00"), entry("/y", PNG))
    done = commands.run("import", "har", name)
    assert done.status == 0
    fixture = tmp_path / "made.yaml"
    fixture.write_text(done.out)
    assert len(load_fixture(str(fixture)).answers) == 2


BAD = {
    "<!doctype html><p>": "Expected a HAR file, got HTML or XML - at {}",
    "": "Expected a HAR file, got no JSON: Expecting value - at {}:1:1",
    '{"log": {"entries": [\n': "got no JSON: Expecting value - at {}:2:1",
    "[]": "Expected `object`, got `array` - at $ of {}",
    "{}": "Object missing required field `log` - at $ of {}",
    '{"log": {"entries": {}}}': "got `object` - at $.log.entries of {}",
    json.dumps(har(entry("/x"), {"request": {}})): "field `method` - at "
    "$.log.entries[1].request of {}",
    json.dumps(har(entry("/x", status="ok"))): "Expected `int`, got `str` - at "  # type: ignore[arg-type]
    "$.log.entries[0].response.status of {}",
    '{"creator":' + "[" * 100_000: "too deep",
}


@pytest.mark.parametrize("content", BAD)
def test_what_is_no_har_file_is_told_with_its_place(
    tmp_path: Path, content: str
) -> None:
    path, target = tmp_path / "page.har", tmp_path / "made.yaml"
    path.write_text(content)
    done = commands.run("import", "har", str(path), "--output", str(target))
    assert (done.status, done.out) == (2, "")
    assert BAD[content].format(path) in done.err
    assert done.err.count("\n") == 1
    assert not target.exists()


@pytest.mark.ci
def test_files_that_cannot_be_read_or_written_are_told(tmp_path: Path) -> None:
    good = write(tmp_path / "page.har", entry("/x", "1"))
    large, odd = tmp_path / "large.har", tmp_path / "odd.har"
    with large.open("wb") as file:
        file.truncate(Published.har_bytes + 1)
    odd.write_bytes('{"log": {}}'.encode("utf-16"))
    for args, status, said in [
        ([str(tmp_path / "none.har")], 2, "cannot read"),
        ([str(tmp_path)], 2, "Is a directory"),
        ([str(large)], 2, "Expected a file of at most 100.0 MiB (limit har_bytes)"),
        ([str(odd)], 2, "Expected UTF-8, got other bytes - at"),
        ([good, "--output", str(tmp_path)], 1, "it is a directory"),
        ([good, "--output", "/dev/full"], 1, "No space left on device"),
        ([good, "--output", str(tmp_path / "no" / "x")], 1, "cannot write"),
        ([], 1, "Expected FILE, got nothing"),
    ]:
        done = commands.run("import", "har", *args)
        assert (done.status, done.out) == (status, ""), done
        assert said in done.err
        assert done.err.count("\n") == 1


def test_halves_of_surrogate_pairs_do_not_stop_it(tmp_path: Path) -> None:
    sent = {"Authorization": "Bearer cut-too-\ud83d"}
    cut = entry("/x", "cut \ud83d", kind="text/plain", sent=sent)
    (part,) = responses(tmp_path, cut)
    assert part["text"] == "cut ?"
