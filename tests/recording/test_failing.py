"""Targets that do not answer, or answer what is no HTTP."""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.certificates import needs_openssl, new_certificate, serving_context
from tests.recording.fronted import Conversation, fronted, says, scripted
from tests.strangers import REDIRECTS, STRANGERS, Strange, strangers
from tests.support import LIST, fetch, wait
from tests.wire.sockets import connect

SECONDS = 0.3
NO_HTTP = {
    "garbage",
    "closed_at_once",
    "closed_in_head",
    "endless_head",
    "endless_line",
    "early_hints",
    "http_0_9",
    "http_2",
    "no_length",
}
SILENT = {"silence", "dripping_head", "storm_of_100"}
BROKEN = {"closed_in_body", "long_length", "huge_length", "huge_chunk"}
UNENDING = {"dripping_body", "dripping_chunks", "endless_body", "endless_trailer"}
PASSING = STRANGERS.keys() - NO_HTTP - SILENT - BROKEN - UNENDING


@pytest.fixture(scope="module")
def strange() -> Iterator[Strange]:
    with strangers() as running:
        yield running


def rows(names: Iterable[str]) -> list[Any]:
    """A row for each; those that are like others are for the long run."""
    quick = {"garbage", "closed_at_once", "http_2", "page_404", "gzip", "redirect_302"}
    quick |= SILENT | {"closed_in_body", "huge_chunk"}
    long = pytest.mark.ci
    return [
        pytest.param(name, marks=() if name in quick else long)
        for name in sorted(names)
    ]


def told(strange: Strange, name: str) -> tuple[int, str]:
    """The status that a client gets, and the error's name."""
    with fronted(strange.url(name), target_silence_seconds=SECONDS) as (url, _):
        response = fetch("POST", url + LIST, json={})
    return response.status_code, response.json()["statusText"]


@pytest.mark.parametrize("name", rows(NO_HTTP))
def test_what_is_no_answer_is_told(strange: Strange, name: str) -> None:
    assert told(strange, name) == (502, "targetUnreachable")


@pytest.mark.ci
@pytest.mark.parametrize("name", rows(SILENT))
def test_silence_ends(strange: Strange, name: str) -> None:
    assert told(strange, name) == (504, "targetSilent")


@pytest.mark.parametrize("name", rows(BROKEN))
def test_an_answer_that_breaks_off_breaks_off(strange: Strange, name: str) -> None:
    with fronted(strange.url(name)) as (url, own):
        with pytest.raises(httpx2.RemoteProtocolError):
            fetch("POST", url + LIST, json={})
        (entry,) = own.own.sandbox.state.journal.since(0)
    assert entry.hint_text == "the target broke its answer off"


@pytest.mark.parametrize("name", rows(PASSING | REDIRECTS.keys()))
def test_anything_else_passes(strange: Strange, name: str) -> None:
    direct = _asked(strange.url(name))
    with fronted(strange.url(name)) as (url, _):
        assert _asked(url) == direct


def _asked(url: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("POST", LIST, b"{}")
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, content


def test_a_target_that_is_not_there_is_told() -> None:
    with scripted(says(b"")) as target:
        gone = target.url
    with fronted(gone) as (url, _):
        response = fetch("PUT", f"{url}/x", content=b"x" * 100_000)
    assert (response.status_code, response.json()["code"]) == (502, 502)
    message = response.json()["message"]
    assert message.startswith("Expected an answer, got ")
    assert message.endswith(f" - at {gone}")


@needs_openssl
def test_a_target_with_an_unknown_certificate_is_told(tmp_path: Path) -> None:
    with strangers({}, serving_context(new_certificate(tmp_path))) as strange:
        target = strange.url("object").replace("http://", "https://")
        with fronted(target) as (url, _):
            response = fetch("GET", url)
    assert response.status_code == 502
    assert "certificate verify failed" in response.json()["message"]


def test_a_request_for_which_there_is_no_place_is_told() -> None:
    async def never(talk: Conversation) -> None:
        await talk.reader.read()

    with (
        scripted(never) as target,
        fronted(target.url, target_connections=1, target_connect_seconds=0.1) as (
            url,
            _,
        ),
        connect(url) as first,
    ):
        first.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        wait(lambda: target.heads)
        response = fetch("GET", url)
    assert (response.status_code, response.json()["statusText"]) == (503, "targetBusy")
