"""A timeline with requests of our own, in the page of a console."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.e2e.console.browsing import Console

if TYPE_CHECKING:
    from playwright.sync_api import Locator

Entry = dict[str, Any]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp() * 1000
FLOOR = 16
"""Pixels below the marks."""
SHOW = """async () => {
    const { Timeline } = await import("/__admin/console/requests/timeline.js");
    window.told = [];
    window.strip = new Timeline({
        onPick: (seq) => told.push(seq),
        onRange: (range) =>
            told.push(range && mine.filter(range.has).map(({ seq }) => seq)),
    });
    document.getElementById("stream").replaceChildren(strip.node);
}"""
DRAW = """async ([entries, faults]) => {
    window.mine = entries;
    strip.draw(entries, faults);
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
}"""
PIXELS = """
    const copy = document.createElement("canvas");
    const { width, height } = canvas;
    Object.assign(copy, { width, height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const floor = height - 17 * devicePixelRatio;
    const isFull = (x, y) => data[(y * width + x) * 4 + 3] === 255;
"""
FEET = """(canvas) => {%s
    const byte = (at) => data[at].toString(16).padStart(2, "0");
    const found = new Set();
    for (let x = 0; x < width; x += 1) {
        const at = (floor * width + x) * 4;
        if (isFull(x, floor)) found.add("#" + byte(at) + byte(at + 1) + byte(at + 2));
    }
    return [...found];
}"""
TOPS = """(canvas) => {%s
    const tops = [];
    for (let x = 0; x < width; x += 1) {
        if (!isFull(x, floor) || (x > 0 && isFull(x - 1, floor))) continue;
        let y = floor;
        while (y > 0 && isFull(x, y)) y -= 1;
        tops.push(floor - y);
    }
    return tops;
}"""
COLOURS = """(names) => names.map((name) =>
    getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim())"""


def entry(seq: int, seconds: float | None = None, **more: Any) -> Entry:
    """A request, so long after noon; by default a second after the one before."""
    at = NOON + 1000 * (seq if seconds is None else seconds)
    time = datetime.fromtimestamp(at / 1000, UTC).isoformat("T", "milliseconds")
    called = {"operation": "listV2", "method": "POST", "path": "/list", "status": 200}
    marks = {"durationMs": 3.0, "fault": None, "violations": 0, "generation": 1}
    return {"seq": seq, "at": at, "time": time} | called | marks | more


@dataclass
class Strip:
    """A timeline, and what it has told."""

    console: Console

    def __post_init__(self) -> None:
        self.page = self.console.page
        self.page.evaluate(SHOW)

    def draw(self, *entries: Entry, faults: Any = ()) -> Strip:
        """Show these requests."""
        self.page.evaluate(DRAW, [entries, list(faults)])
        return self

    @property
    def canvas(self) -> Locator:
        """What has the focus."""
        return self.page.get_by_role("slider")

    @property
    def label(self) -> Locator:
        """What is told of one request."""
        return self.page.locator(".strip .label")

    @property
    def drawn(self) -> dict[str, Any]:
        """What is drawn."""
        found: dict[str, Any] = self.page.evaluate("strip.drawn")
        return found

    @property
    def told(self) -> list[Any]:
        """Numbers of requests that were picked, and of those in ranges."""
        found: list[Any] = self.page.evaluate("told")
        return found

    def at(self, part: float) -> tuple[float, float]:
        """The place in the page at that part of the width."""
        self.canvas.scroll_into_view_if_needed()
        box = self.canvas.bounding_box()
        assert box
        return box["x"] + box["width"] * part, box["y"] + box["height"] / 2

    def drag(self, start: float, end: float) -> None:
        """Drag over a part of the width."""
        self.page.mouse.move(*self.at(start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at((start + end) / 2))
        self.page.mouse.move(*self.at(end))
        self.page.mouse.up()

    def colours(self, *names: str) -> list[str]:
        """Colours of the page by their names."""
        found: list[str] = self.page.evaluate(COLOURS, names)
        return found

    @property
    def marks(self) -> set[str]:
        """The colours at the foot of the marks."""
        return set(self.canvas.evaluate(FEET % PIXELS))

    @property
    def heights(self) -> list[int]:
        """How high the marks are, from left to right."""
        found: list[int] = self.canvas.evaluate(TOPS % PIXELS)
        return found
