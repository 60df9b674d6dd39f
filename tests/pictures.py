"""The pictures of docs/: `python tests/pictures.py` takes them again, in Chromium."""

import shutil
from base64 import b64encode
from pathlib import Path

from account import LIST, PIN, bearer
from playwright.sync_api import Browser, Page, expect, sync_playwright

from mock_server import MockServer

DOCS = Path(__file__).parent.parent / "docs" / "guides"
NOW = "2026-03-02T10:45:00Z"
SENT_LIST = {"offset": 0, "datasetId": "6593e137231a2be9c5603ba7"}
WIDTHS = (900, 540)
POINTER = '<path d="M2 2v24l6-5 4 10 4-2-4-9h8z" stroke="white" stroke-width="2"/>'
SENT_PIN = {"appId": "65d8a1f0c3b2a94e7f106a01", "chatId": "warranty", "top": True}


def main() -> None:
    with sync_playwright() as driver, MockServer(demo=True) as server:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        server.clock.freeze(NOW)
        take_console(browser, server)
        server.reset()
        server.clock.freeze(NOW)
        take_both(browser, server)


def take_console(browser: Browser, server: MockServer) -> None:
    """Some requests, one of them opened."""
    headers = bearer("any-key")
    server.http.post(LIST, json=SENT_LIST | {"searchText": "install"}, headers=headers)
    server.http.post(LIST, json=SENT_LIST | {"pageSize": 50}, headers=headers)
    server.http.put(PIN, json=SENT_PIN, headers=headers)
    server.fault("error", operation="listV2", times=2)
    server.http.post(LIST, json=SENT_LIST, headers=headers)
    opened(browser, f"{server.url}/__admin/?entry=4", 1280).screenshot(path=DOCS / "console.png")


def take_both(browser: Browser, server: MockServer) -> None:
    """A click in the console makes a list fail in the demo; a pointer shows where."""
    demo = opened(browser, f"{server.url}/demo/", WIDTHS[1])
    demo.get_by_role("tab", name="Library").click()
    server.http.delete("/__admin/journal")
    console = opened(browser, f"{server.url}/__admin/", WIDTHS[0])
    button = console.get_by_role("button", name="Fail it")
    button.click()
    expect(console.locator("#failing .said")).to_be_visible()
    demo.get_by_role("button", name="Refresh").click()
    expect(demo.get_by_role("button", name="Retry")).to_be_visible()
    expect(console.locator(".entries")).to_contain_text("503")
    both = browser.new_page(viewport={"width": sum(WIDTHS), "height": 800})
    images = [b64encode(it.screenshot()).decode() for it in (console, demo)]
    tags = "".join(f'<img src="data:image/png;base64,{it}">' for it in images)
    box = button.bounding_box() or {}
    place = f"position: absolute; left: {box['x'] + 30}px; top: {box['y'] + 12}px"
    pointer = f'<svg style="{place}" width="24" height="34" viewBox="0 0 24 34">{POINTER}</svg>'
    both.set_content(f'<body style="margin: 0; display: flex">{tags}{pointer}')
    both.screenshot(path=DOCS / "demo.png")


def opened(browser: Browser, url: str, width: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(url)
    page.wait_for_load_state("load")
    page.wait_for_function("document.querySelector('#live.on, main')")
    page.wait_for_timeout(1000)
    return page


if __name__ == "__main__":
    main()
