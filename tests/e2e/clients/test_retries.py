"""Clients that retry come through every fault that they can come through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from mock_server.control.embedding import MockServer
from tests.support import APP, CHAT, LIBRARY, PIN, SECONDS, fetch, wait

pytestmark = pytest.mark.ci
urllib3 = pytest.importorskip("urllib3")
requests = pytest.importorskip("requests")

BODY = {"appId": APP, "chatId": CHAT, "top": True}
HEADERS = {"Authorization": "Bearer any-key"}
BROKEN = ["reset", "empty", "garbage"]
RECOVERABLE: list[dict[str, Any]] = [
    *({"kind": kind} for kind in BROKEN),
    {"kind": "error"},
    {"kind": "error", "status": 502, "phase": "after"},
    {"kind": "hang"},
    {"kind": "delay", "ms": 20_000},
    {"kind": "truncate"},
    {"kind": "truncate", "bytes": 0, "phase": "after"},
]


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY) as running:
        yield running


def seconds(fault: dict[str, Any]) -> float:
    """How long a client waits: an answer that never comes is given up soon."""
    return 0.5 if fault["kind"] in ("hang", "delay") else SECONDS


def recovered(server: MockServer, fault: dict[str, Any]) -> bool:
    """Whether a fault met two calls of a client, and only the third did not fail.

    On a machine that stands still, a client that waits only briefly may call once more.
    """
    found = len(statuses(server, 3))
    met = [each for each in server.sandbox.journal.since(0) if each.firing]
    return len(met) == 2 and (found == 3 or seconds(fault) < SECONDS)


def add(server: MockServer, fault: dict[str, Any]) -> None:
    url = server.url + "/__admin/faults"
    fetch("POST", url, json={"times": 2} | fault).raise_for_status()


def is_pinned(server: MockServer) -> bool:
    chat = server.sandbox.chat(APP, CHAT)
    return chat is not None and chat.top


def statuses(server: MockServer, count: int) -> list[int]:
    """The statuses of all requests, once there are so many.

    That a client has left a request behind is noticed a little later.
    """
    wait(lambda: len(server.sandbox.journal) >= count)
    return [entry.status for entry in server.sandbox.journal.since(0)]


def retry() -> Any:
    return urllib3.Retry(
        total=4, status_forcelist=[429, 502, 503], allowed_methods=None
    )


@pytest.mark.parametrize("fault", RECOVERABLE, ids=str)
def test_urllib3_recovers(server: MockServer, fault: dict[str, Any]) -> None:
    add(server, fault)
    with urllib3.PoolManager(retries=retry(), timeout=seconds(fault)) as pool:
        answer = pool.request("PUT", server.url + PIN, json=BODY, headers=HEADERS)
    assert (answer.status, answer.json()["code"]) == (200, 200)
    assert recovered(server, fault)
    assert is_pinned(server)


@pytest.mark.parametrize(
    "fault", [each for each in RECOVERABLE if each["kind"] != "truncate"], ids=str
)
def test_requests_recovers(server: MockServer, fault: dict[str, Any]) -> None:
    add(server, fault)
    adapter = requests.adapters.HTTPAdapter(max_retries=retry())
    with requests.Session() as session:
        session.mount("http://", adapter)
        url = server.url + PIN
        answer = session.put(url, json=BODY, headers=HEADERS, timeout=seconds(fault))
    assert (answer.status_code, answer.json()["code"]) == (200, 200)
    assert recovered(server, fault)


class Retrying(httpx2.HTTPTransport):
    """A transport that tries again, as the common add-ons do."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        for _ in range(4):
            try:
                response = super().handle_request(request)
                response.read()
            except httpx2.TransportError:
                continue
            if response.status_code not in (429, 502, 503):
                return response
        raise httpx2.TransportError("too many retries")


@pytest.mark.parametrize("fault", RECOVERABLE, ids=str)
def test_a_retrying_httpx_transport_recovers(
    server: MockServer, fault: dict[str, Any]
) -> None:
    add(server, fault)
    with httpx2.Client(transport=Retrying(), timeout=seconds(fault)) as client:
        answer = client.put(server.url + PIN, json=BODY, headers=HEADERS)
    assert (answer.status_code, answer.json()["code"]) == (200, 200)
    assert recovered(server, fault)


def test_a_client_that_honours_retry_after_is_refused_only_once(
    server: MockServer,
) -> None:
    fetch("PUT", server.url + "/__admin/clock", json={"frozen": False})
    add(server, {"kind": "rate_limit", "limit": 3, "window": 5, "times": 100})
    with urllib3.PoolManager(retries=retry()) as pool:
        for _ in range(4):
            answer = pool.request("PUT", server.url + PIN, json=BODY, headers=HEADERS)
            assert answer.status == 200
    assert statuses(server, 5) == [200, 200, 200, 429, 200]
