"""A front end in Chromium: what it was answered is recorded, imported, served again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from mock_server.control.embedding import MockServer
from mock_server.service.har.reading import exchange_of, read_har
from tests.cli import commands
from tests.e2e.scripts import script
from tests.e2e.sites import Silent, site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KEY = "a-key-of-a-browser"
PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="app.css">
<title>Front end</title><img src="logo.png" alt=""><pre></pre>
<script src="app.js"></script>"""
SCRIPT = script("recorded.js")
FILES = {
    "/app/": (200, "text/html; charset=utf-8", PAGE.encode()),
    "/app/app.css": (200, "text/css", b"pre { color: teal }\r\n"),
    "/app/app.js": (200, "text/javascript", SCRIPT.encode()),
    "/app/logo.png": (200, "image/png", b"\x89PNG\r\n\x1a\n\0\xff\xfe"),
    "/app/moved": (302, "text/plain", b""),
    "/app/nothing": (204, "", b""),
    "/app/missing.json": (404, "application/json", b'{ "message" : "\xc3\xa9" }\n'),
}


@pytest.fixture
def front_end(apps: list[str]) -> Iterator[str]:
    """Where the files of the front end are, compressed."""
    config = json.dumps({"apps": apps}, indent=1).encode()
    files = {**FILES, "/app/config.json": (200, "application/json", config)}

    class Site(Silent, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            path = urlsplit(self.path).path
            status, kind, content = files.get(path, (404, "text/plain", b"none"))
            self.send_response(status)
            if status == 302:
                self.send_header(
                    "Location", f"http://{self.headers['Host']}/app/app.css"
                )
            if kind:
                content = gzip.compress(content)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

    with site(Site) as url:
        yield url


@pytest.fixture
def demo() -> Iterator[MockServer]:
    with MockServer(profile="deployed") as server:
        yield server


@pytest.fixture
def apps(demo: MockServer) -> list[str]:
    return [each.id for each in demo.sandbox.store.apps()]


def visit(browser: Browser, front: str, api: str, har: Path) -> dict[Any, Any]:
    """What the front end is answered, by method, path and body of the request."""
    context = browser.new_context(record_har_path=har, record_har_content="embed")
    page = context.new_page()
    page.goto(f"{front}/app/?api={api}&key={KEY}")
    page.wait_for_function("document.title === 'Done'")
    context.close()
    answers: dict[Any, Any] = {}
    for entry in read_har(har.read_bytes(), har.name).log.entries:
        each = exchange_of(entry, ())
        assert each is not None
        method, path, _, asked, status, headers, body, *_ = each
        kind = dict(headers).get("content-type")
        if not path.endswith("favicon.ico") and method != "OPTIONS":
            answers[method, path, asked] = status, kind if status < 300 else None, body
    return answers


def test_a_front_end_is_served_as_it_was_recorded(
    browser: Browser, demo: MockServer, front_end: str, tmp_path: Path
) -> None:
    before = visit(browser, front_end, demo.url, tmp_path / "page.har")
    assert len(before) > 15
    fixture = tmp_path / "made.yaml"
    arguments = [str(tmp_path / "page.har"), "--output", str(fixture)]
    done = commands.run("import", "har", *arguments)
    assert done.status == 0, done.err
    assert KEY not in fixture.read_text()
    with MockServer(fixture, profile="deployed") as again:
        after = visit(browser, again.url, again.url, tmp_path / "again.har")
    assert after == before, done.err
