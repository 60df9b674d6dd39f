"""Every control that stands in the console or the demo is pressed once: it does something."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from account import LIST, bearer
from look import Visit
from playwright.sync_api import Locator, Page, TimeoutError, expect

from mock_server import MockServer

CHATS = [{"chatId": f"c{number}", "title": f"Chat {number}"} for number in range(11)]
ITEMS = {"repeat": 101, "_id": "i{n}", "name": "Item {n}"}
FOLDER = {"_id": "folder", "name": "Folder", "children": [{"name": "Inner"}]}
FIXTURE: dict[str, Any] = {
    "apps": [
        {"id": "a", "name": "A", "chats": CHATS},
        {"id": "b", "name": "B", "chats": CHATS[:1]},
    ],
    "datasets": [{"id": "d", "name": "D", "collections": [FOLDER, ITEMS]}, {"id": "e"}],
}
PAGES = ["__admin/?entry=1&app=b&offset=100", "demo/"]
WIDTHS = [1280, 390]
SHARES = 4
"""The tests that share the controls of a page, so that each takes little time."""
ELEMENTS = ":is(a[href], button, input, select, textarea, summary)"
CONTROLS = f"{ELEMENTS}:not(:disabled, [aria-current=true], [aria-selected=true]):visible"
"""All but what is chosen already: to choose that again changes nothing."""
IS_AT_REST = """() => (!document.querySelector('#live') || document.querySelector('#live.on'))
  && document.querySelectorAll('section > *').length && !document.querySelector('.loading')"""
LOOK = """[
  location.href,
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll('input, select, textarea')].map((it) => it.value + it.checked),
  ...performance.getEntriesByType('resource').filter((it) => it.name.includes('/api/')),
].join()"""
"""The page, what stands in its fields, and how often it has asked the service."""
pytestmark = pytest.mark.served(fixture=FIXTURE)


@pytest.fixture
def reopen(server: MockServer, visit: Visit, baseline: Any) -> Callable[..., None]:
    """Brings the server and a page back to the start, with all that a page can show."""

    def reopen(page: Page, path: str, width: int) -> None:
        page.set_viewport_size({"width": width, "height": 900})
        server.run(lambda: server.sandboxes.restart(baseline))
        server.clock.freeze("2026-01-01T00:00:00Z")
        server.http.post(LIST, json={"offset": 0, "datasetId": "none"}, headers=bearer("any-key"))
        if path != "demo/":
            server.fault("error", operation="chat.stop")
            server.fault(preset="slow")
            server.create_sandbox(name="other")
            server.snapshot("before")
        page.goto(f"{server.url}/{path}")
        page.wait_for_function(IS_AT_REST)
        page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true")

    return reopen


def press(control: Locator, file: Path) -> None:
    """Press a control, or fill it in; fails if this has changed nothing."""
    page = control.page
    name = control.evaluate("it => it.outerHTML")
    kind = control.evaluate("it => it.matches('select, textarea, input') ? it.type : ''")
    # A button may need fields that are empty.
    if not kind:
        for field in control.locator("xpath=ancestor::form").locator("input:invalid").all():
            fill(field, file)
    before = page.evaluate(LOOK)
    if control.get_attribute("target") == "_blank":
        with page.expect_popup():
            control.press("Enter")
        return
    if kind == "select-one":
        control.select_option(index=control.evaluate("it => it.selectedIndex ? 0 : 1"))
    elif kind == "checkbox":
        control.press(" ")
    elif kind:
        fill(control, file)
    else:
        control.press("Enter")
    try:
        page.wait_for_function(f"before => {LOOK} !== before", arg=before, timeout=5000)
    except TimeoutError:
        pytest.fail(f"changes nothing: {name}")
    expect(page.locator(".said.wrong, #notice"), name).not_to_be_visible()


def open_dialog(control: Locator, inner: Locator, file: Path) -> None:
    """Press a control that opens a dialog with these controls."""
    press(control, file)
    try:
        inner.first.wait_for(timeout=3000)
    except TimeoutError:
        # News of the journal have drawn the control anew while it was pressed.
        press(control, file)


def fill(field: Locator, file: Path) -> None:
    if field.get_attribute("type") == "file":
        return field.set_input_files(file)
    is_number = field.get_attribute("type") == "number"
    field.fill("7" if is_number else field.get_attribute("placeholder") or "new")


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("path", PAGES)
def test_every_control_changes_something(server, visit, reopen, tmp_path, path, share):
    file = tmp_path / "fixture.yaml"
    file.write_text("apps: [{id: loaded}]", "utf-8")
    page = visit(f"{server.url}/{path}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    found: dict[str, tuple[int, int]] = {}
    for width in WIDTHS:
        reopen(page, path, width)
        names = page.locator(CONTROLS).evaluate_all("all => all.map((it) => it.outerHTML)")
        # A narrow page has some that a wide one has not.
        found = {name: (width, at) for at, name in enumerate(names)} | found
    for width, at in [*found.values()][share::SHARES]:
        reopen(page, path, width)
        control = page.locator(CONTROLS).nth(at)
        press(control, file)
        # Those of a dialog that it has opened are pressed, too.
        inner = page.locator(f"dialog[open] {CONTROLS}")
        for number in range(inner.count()):
            if number:
                reopen(page, path, width)
                open_dialog(control, inner, file)
            press(inner.nth(number), file)
