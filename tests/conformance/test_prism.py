"""Prism, a mock server of OpenAPI documents, shows little, and is not believed more."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.conformance.world import report_of, ruled
from tests.support import ROOT, SECONDS

PRISM = os.environ.get("PRISM", "")
DOCUMENT = ROOT / "mock_server" / "openapi" / "public.json"


def free_port() -> int:
    with closing(socket.socket()) as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def is_listening(port: int) -> bool:
    with closing(socket.socket()) as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def url() -> Iterator[str]:
    port = free_port()
    command = [PRISM, "mock", str(DOCUMENT), "-p", str(port), "-h", "127.0.0.1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + SECONDS
        while not is_listening(port):
            assert process.poll() is None
            assert time.monotonic() < end
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.ci
@pytest.mark.skipif(
    not PRISM, reason="needs npm: @stoplight/prism-cli, and name it in PRISM"
)
def test_of_examples_nothing_is_concluded_that_is_not_seen(url: str) -> None:
    report = report_of(url)
    assert ruled(report, "differs") == {"offset_past_end", "search_filters"}
    assert not {"pages_complete", "order_stable"} & ruled(report, "pass")
    assert (
        report.undetected["list_order"] == "every list request gets the same response"
    )
    # Prism checks bodies and paths, and takes any key.
    assert report.values == {
        "top_missing": "reject",
        "unknown_key": "accept",
        "error_http_status": "mapped",
        "legacy_paths": "off",
        "item_fields": "documented",
    }
