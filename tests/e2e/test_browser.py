"""A page of another origin, in a real browser."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from mock_server import MockServer
from tests.e2e.chromium import BROWSER_TEST, CHROMIUM, FLAGS, VIRTUAL_TIME
from tests.support import LIBRARY, LIST, PIN

pytestmark = BROWSER_TEST
PAGE = """<!doctype html><meta charset="utf-8"><pre></pre><script>
const call = async (method, path, body, key = "any") => {
  const answer = await fetch("%(url)s" + path, {
    method, body: JSON.stringify(body),
    headers: {"Authorization": "Bearer " + key, "Content-Type": "application/json"},
  });
  return [answer.status, answer.headers.get("x-mock-sandbox"), await answer.json()];
};
(async () => {
  const pre = document.querySelector("pre"), say = (...all) =>
    pre.textContent += all.join(" ") + "\\n";
  try {
    const pin = {appId: "app-1", chatId: "chat-1", top: true};
    let [status, sandbox, answer] = await call("PUT", "%(pin)s", pin);
    say("pinned", status, sandbox, answer.code, answer.data);
    const list = {offset: 0, datasetId: "dataset-1", parentId: null};
    [status, sandbox, answer] = await call("POST", "%(list)s", list);
    say("listed", status, answer.data.list.map((item) => item.name).join());
    [status, sandbox, answer] = await call("POST", "%(list)s", {}, "any");
    say("refused", status, answer.statusText);
    say("hidden", await fetch("%(url)s/__admin/health").then(() => "no", () => "yes"));
  } catch (error) { say("failed", error); }
})();
</script>"""


@pytest.fixture
def origin() -> Iterator[tuple[str, list[str]]]:
    """A web server on another port; it serves the one page put into the list."""
    pages: list[str] = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = pages[0].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            del args

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", pages
        server.shutdown()
        thread.join()


def test_a_page_of_another_origin_pins_and_lists(
    origin: tuple[str, list[str]], tmp_path: Path
) -> None:
    page_url, pages = origin
    with MockServer(LIBRARY) as server:
        pages.append(PAGE % {"url": server.url, "pin": PIN, "list": LIST})
        done = subprocess.run(
            [
                str(CHROMIUM),
                *FLAGS,
                "--headless",
                VIRTUAL_TIME,
                f"--user-data-dir={tmp_path}",
                "--dump-dom",
                page_url,
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        chat = server.sandbox.chat("app-1", "chat-1")
    said = done.stdout.split("<pre>")[1].split("</pre>")[0].splitlines()
    assert said == [
        "pinned 200 default 200 ",
        "listed 200 Folder,ALPHA,Gamma,Beta",
        "refused 400 invalidField",
        "hidden yes",
    ]
    assert chat is not None
    assert chat.top is True
