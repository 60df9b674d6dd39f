"""Web pages that mean harm, in a real browser: they change nothing and read nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.wire.server import running
from tests.admin.world import World
from tests.e2e.chromium import BROWSER_TEST, CHROMIUM, FLAGS, VIRTUAL_TIME
from tests.e2e.scripts import script

pytestmark = BROWSER_TEST
PATIENCE = 10_000
"""Milliseconds after which an attack that nothing ends is given up."""
ROUTES = ("reset", "state", "sandboxes", "journal", "journal/stream")
EVIL, REBOUND, PLAIN = "evil.example", "rebind.example", "mock"
"""Names that the browser is told to find on this machine."""

PAGE = script("hostile_page.html")


@dataclass
class Trap:
    """An application with a hostile page beside it; keeps what is asked of `app`.

    To a browser a rebound name is just this: page and application at one address.
    """

    app: ASGIApp
    page: str = ""
    asked: list[tuple[str, int, dict[str, str]]] = field(default_factory=list)
    report: Any = None
    reported: threading.Event = field(default_factory=threading.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/page":
            await HTMLResponse(self.page)(scope, receive, send)
        elif scope["path"] == "/report":
            self.report = json.loads(await whole(receive))
            await Response()(scope, receive, send)
            self.reported.set()
        elif scope["path"].startswith("/__admin"):
            await self._pass_on(scope, receive, send)
        else:  # such as /favicon.ico
            await Response(status_code=404)(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}

        async def sending(message: Message) -> None:
            if "status" in message:
                self.asked.append((scope["method"], message["status"], headers))
            await send(message)

        await self.app(scope, receive, sending)

    def seen(self, header: str) -> set[str]:
        """The values of a request header, without parameters."""
        found = (headers.get(header, "") for _, _, headers in self.asked)
        return {value.partition(";")[0] for value in found}


async def whole(receive: Receive) -> bytes:
    """A request's body."""
    body, message = b"", await receive()
    while message.get("more_body"):
        body, message = body + message["body"], await receive()
    return body + bytes(message.get("body", b""))


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """The application of a server that only has a page."""
    await Response(status_code=404)(scope, receive, send)


async def careless(scope: Scope, receive: Receive, send: Send) -> None:
    """An application without any guard."""
    await whole(receive)
    kind = "text/event-stream" if scope["path"].endswith("/stream") else "text/html"
    await Response("data: secret\n\n", media_type=kind)(scope, receive, send)


def command(profile: Path, url: str) -> list[str]:
    """Chromium, showing a page."""
    names = ",".join(f"MAP {name} 127.0.0.1" for name in (EVIL, REBOUND, PLAIN))
    rules = [f"--host-resolver-rules={names}", f"--user-data-dir={profile}"]
    flags = [*FLAGS, "--headless", *rules, "--disable-popup-blocking"]
    return [str(CHROMIUM), *flags, url]


@contextmanager
def browsing(profile: Path, url: str) -> Iterator[None]:
    """Chromium on a page, in real time, until the context ends."""
    with subprocess.Popen(
        [*command(profile, url), "--remote-debugging-port=0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a script may have started it, and would end alone
    ) as process:
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def attacked(
    app: ASGIApp,
    profile: Path,
    page_name: str,
    target_name: str,
    routes: Sequence[str] = ROUTES,
) -> tuple[Trap, Any]:
    """Everything that a page does to an application: what came there, what it read."""
    server, other = Trap(app), Trap(nothing)
    with running(server) as url, running(other) as other_url:
        target = url.replace("127.0.0.1", target_name)
        host, host_url = (server, url) if page_name == REBOUND else (other, other_url)
        urls = [f"{target}/__admin/{route}" for route in routes]
        host.page = PAGE % {"urls": json.dumps(urls), "patience": PATIENCE}
        page = host_url.replace("127.0.0.1", page_name) + "/page"
        with browsing(profile, page):
            assert host.reported.wait(300), "the page has not reported"
    attacks: list[str] = host.report["tried"]
    assert {attacks.count(each) for each in attacks} == {len(routes)}
    types = {"application/x-www-form-urlencoded", "text/plain", "multipart/form-data"}
    assert types <= server.seen("content-type")
    assert "text/event-stream" in server.seen("accept")
    assert "websocket" in server.seen("upgrade")
    assert len(server.asked) > 20 * len(routes)
    return server, host.report["read"]


@pytest.fixture
def world() -> World:
    """A server without a token, the worst case."""
    return World(token=None)


@pytest.mark.parametrize("page", ["127.0.0.1", EVIL])
def test_a_page_of_another_origin_changes_and_reads_nothing(
    world: World, tmp_path: Path, page: str
) -> None:
    before = world.fingerprint()
    server, read = attacked(world.app, tmp_path, page, "127.0.0.1")
    assert (read, world.fingerprint()) == ([], before)
    assert {status for _, status, _ in server.asked} == {403}
    used = {"document", "embed", "iframe", "image", "object", "script", "style"}
    assert used <= server.seen("sec-fetch-dest")


def test_a_page_can_open_the_console_but_neither_frame_nor_read_nor_steer_it(
    world: World, tmp_path: Path
) -> None:
    before = world.fingerprint()
    console = ("", "console/icon.svg")
    server, read = attacked(world.app, tmp_path, EVIL, "127.0.0.1", console)
    assert (read, world.fingerprint()) == ([], before)
    foreign = [
        (status, headers.get("sec-fetch-dest"))
        for _, status, headers in server.asked
        if headers.get("sec-fetch-site") == "cross-site"
    ]
    assert {dest for status, dest in foreign if status != 403} == {"document"}


def test_a_page_changes_and_reads_nothing_where_browsers_say_less(
    world: World, tmp_path: Path
) -> None:
    before = world.fingerprint()
    server, read = attacked(world.app, tmp_path, EVIL, PLAIN)
    assert (read, world.fingerprint()) == ([], before)
    assert server.seen("sec-fetch-site") == {""}
    writing = {status for method, status, _ in server.asked if method != "GET"}
    assert writing == {403}


def test_a_page_under_a_rebound_name_changes_and_reads_nothing(
    world: World, tmp_path: Path
) -> None:
    before = world.fingerprint()
    server, read = attacked(world.app, tmp_path, REBOUND, REBOUND)
    assert world.fingerprint() == before
    assert {status for _, status, _ in server.asked} == {421}
    texts = {text for how, text in read if not how.startswith("status")}
    assert {json.loads(text)["statusText"] for text in texts} == {"foreignHost"}


def test_a_rebound_name_shows_no_state(world: World, tmp_path: Path) -> None:
    with running(world.app) as url:
        state = url.replace("127.0.0.1", REBOUND) + "/__admin/state"
        done = subprocess.run(
            [*command(tmp_path, state), VIRTUAL_TIME, "--dump-dom"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert "foreignHost" in done.stdout
    assert "ALPHA" not in done.stdout


def test_the_page_would_read_an_application_without_a_guard(tmp_path: Path) -> None:
    _, read = attacked(careless, tmp_path, REBOUND, REBOUND)
    found = {how for how, text in read if "secret" in text}
    frames = {"form", "iframe", "object", "window"}
    assert frames | {"events", "fetch cors", "fetch no-cors", "xhr"} <= found
