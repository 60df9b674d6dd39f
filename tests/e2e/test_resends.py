"""Chromium sends again, in silence, what a reset has cut off (guide on faults)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mock_server import MockServer
from mock_server.domain.limits import Limits
from tests.e2e.scripts import script
from tests.support import DATASET, LIBRARY, LIST, fetch

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# All connections that a browser may have made in advance: it would send again on one
# of these, too, which to the server looks as if it were made for the request.
USE_ALL = """url => Promise.all(
  Array.from({length: 6}, () => fetch(url).then((answer) => answer.text()))
)"""
TWICE = script("twice.js")


@pytest.mark.parametrize("kind", ["reset", "empty"])
@pytest.mark.parametrize(
    ("connections", "seen"), [("first", [200, 200]), ("all", ["failed", 200])]
)
def test_a_page_sees_a_broken_connection_only_if_all_are_broken(
    browser: Browser, kind: str, connections: str, seen: list[object]
) -> None:
    # A busy machine may take seconds to send again.
    limits = Limits(resend_seconds=60)
    with MockServer(LIBRARY, limits=limits) as server:
        with browser.new_context() as context:
            page = context.new_page()
            quiet = f"{server.url}/__admin/health"
            page.goto(quiet, wait_until="networkidle")
            page.evaluate(USE_ALL, quiet)
            fault = {"kind": kind, "connections": connections}
            added = fetch("POST", f"{server.url}/__admin/faults", json=fault)
            assert added.status_code == 201
            body = json.dumps({"offset": 0, "datasetId": DATASET})
            assert page.evaluate(TWICE, [server.url + LIST, body]) == seen
        entries = server.sandbox.journal.since(0)
        fired = [each.firing is not None for each in entries if each.operation]
    # Either way Chromium has sent the first of them again; with `all` once for each
    # connection that was open.
    assert len(fired) >= 3
    resent = set(fired[1:-1])
    assert (fired[0], resent, fired[-1]) == (True, {connections == "all"}, False)
