"""Whatever the data says, it stays text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.hostile_names import NAMES, PAYLOADS, records
from tests.e2e.pages import Demo, Visit, expect

SHOWN = [name for name in NAMES if name.strip()]
WIDTHS = pytest.mark.parametrize("width", [1280, 320])
ODD = ("body i:not(.skeleton i)", "main a")


def hostile() -> dict[str, Any]:
    """A fixture in which everything is named badly."""
    said = [{"obj": "Human", "text": name} for name in SHOWN]
    chats = [
        {"chatId": f"c{n}", "title": name, "customTitle": name, "records": said}
        for n, name in enumerate(NAMES)
    ]
    records = [
        {"name": name, "type": name[:300], "tags": [name[:99]]} for name in SHOWN
    ]
    folder = {"name": NAMES[1], "type": "folder", "updateTime": "2099-01-01T00:00:00Z"}
    return {
        "apps": [{"id": "<i>a</i>", "name": NAMES[0], "chats": chats}],
        "datasets": [{"id": "d", "name": NAMES[1], "collections": [*records, folder]}],
    }


@WIDTHS
def test_hostile_names_are_only_text(visit: Visit, width: int) -> None:
    size = {"width": width, "height": 800}
    app = visit(hostile(), path="/demo/#apps=<i>a</i>", viewport=size)
    app.has(10)
    app.is_unharmed(*ODD)
    app.click("Next")
    app.has(len(SHOWN) + 1 - 10)
    app.is_unharmed(*ODD)
    app.click("Previous")
    app.folders(NAMES[1])
    app.is_unharmed(*ODD)
    app.types("<i>none</i>")
    app.library.says("No article or tag has “<i>none</i>”")
    app.is_unharmed(*ODD)


@WIDTHS
def test_no_name_of_many_does_anything(visit: Visit, width: int) -> None:
    size = {"width": width, "height": 800}
    one = {name: every[:1] for name, every in records().items()}
    app = visit(one, path="/demo/#apps=<i>app</i>", trap=True, viewport=size)
    seen = 0
    while True:
        expect(app.articles.first).to_be_visible()
        seen += app.articles.count()
        if app.button("Next").is_disabled():
            break
        first = app.articles.first.inner_text()
        app.click("Next")
        expect(app.articles.first).not_to_have_text(first)
        app.rest()
    assert seen == len(one["datasets"][0]["collections"])
    app.types_each("#library [type=search]", PAYLOADS)
    app.rest()
    if width == 320:
        app.find("#tabs").get_by_role("button", name="Conversations").click()
    for talk in app.talks.all():
        talk.locator(".name").click()
        app.click("All conversations")
    app.caught_nothing()


def test_hostile_chats_are_only_text(visit: Visit) -> None:
    app = visit(hostile(), path="/demo/#apps=<i>a</i>")
    app.has(talks=len(NAMES))
    app.talk(NAMES[2]).click()
    expect(app.messages).to_have_count(len(SHOWN))
    app.is_unharmed(*ODD)
    app.click("All conversations")
    app.renames(NAMES[0])
    app.click(f"Pin {NAMES[1]}", f"Delete {NAMES[1]}")
    app.dialog.says("<img")
    app.is_unharmed(*ODD)


def test_hostile_messages_are_only_text(app: Demo) -> None:
    for name in NAMES[:3]:
        app.fault("error", operation="listV2", message=name)
        app.click("Reload")
        app.fails(name)
        app.is_unharmed(*ODD)
    app.fault("error", operation="updateHistory", message=NAMES[1])
    app.find(".pin").first.click()
    app.toast.says("<img")
    app.is_unharmed(*ODD)


def test_the_policy_is_enforced_by_the_browser(visit: Visit) -> None:
    app = visit()
    app.refuses_markup()
    app.page.goto(f"{app.server.url}/openapi.json")
    other = app.server.url.replace("127.0.0.1", "localhost")
    frame = """url => {
        const it = document.createElement("iframe");
        it.src = url;
        document.body.append(it);
    }"""
    with app.page.expect_event("console", lambda it: "frame-ancestors" in it.text):
        app.run(frame, f"{other}/demo/")  # another site cannot frame it
    app.said.clear()
    app.asked = [app.server.url]
