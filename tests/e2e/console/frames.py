"""A console with much in it, and how long its frames take as somebody uses it."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.e2e.scripts import script
from tests.support import LIST, PIN
from tests.wire.sockets import connect

if TYPE_CHECKING:
    from playwright.sync_api import Page

DATASET = "large"
BATCH = 50
FRAMES = 60
WATCH = script("frames.js")
SCROLL_TREE = """() => {
    document.getElementById("data").scrollTop += 320;
}"""
SCROLL_LIST = """() => {
    document.querySelector("#stream .scrolls").scrollTop += 1000;
}"""
FILTER = """(n) => {
    const input = document.querySelector("#stream input[type=search]");
    input.value = "updatehistory".slice(0, n % 12);
    input.dispatchEvent(new Event("input", { bubbles: true }));
}"""
STEPS = {
    "scroll the tree": SCROLL_TREE,
    "scroll the list": SCROLL_LIST,
    "filter by text": FILTER,
}
"""What is done in each frame."""
SWAYS = {
    "scroll the tree": """(n) => {
    document.getElementById("data").scrollTop += n % 2 ? 640 : -640;
}""",
    "scroll the list": """(n) => {
    document.querySelector("#stream .scrolls").scrollTop += n % 2 ? 1000 : -1000;
}""",
}
"""The same scrolling where a short list has no end that it stays at."""


@dataclass(frozen=True)
class Frames:
    """How long frames took, and tasks of 50 ms or more, in ms."""

    took: list[float]
    tasks: list[float]

    @property
    def median(self) -> float:
        """The time of a frame."""
        return statistics.median(self.took)

    @property
    def longest(self) -> float:
        """The time of the longest frame."""
        return max(self.took)

    def __str__(self) -> str:
        tail = statistics.quantiles(self.took, n=20)[-1]
        return (
            f"median {self.median:.1f} ms, 95 % within {tail:.1f} ms, longest "
            f"{self.longest:.1f} ms, {len(self.tasks)} long tasks"
        )


def watch(page: Page, step: str, frames: int = FRAMES) -> Frames:
    """Do something in each of some frames."""
    return Frames(**page.evaluate(WATCH.replace("STEP", step), frames))


def document(collections: int) -> dict[str, Any]:
    """A dataset with so many collections, a fifth of them in one folder."""
    inside = {"repeat": collections // 5, "name": "Inner {n:06}"}
    outside = {"repeat": collections - collections // 5 - 1, "name": "Article {n:06}"}
    folder = {"_id": f"{7:024}", "name": "Folder", "children": [inside]}
    dataset = {"id": DATASET, "name": "Large", "collections": [folder, outside]}
    return {"datasets": [dataset]}


def asked(number: int) -> bytes:
    """One of many requests: lists, some of them refused, and pins of unknown chats."""
    if number % 3 == 0:
        return message("PUT", PIN, {"appId": "a", "chatId": f"{number}"})
    size = 99 if number % 50 == 0 else 10
    return message("POST", LIST, {"datasetId": DATASET, "pageSize": size})


def message(method: str, path: str, body: object) -> bytes:
    """A request as it is sent."""
    sent = json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
    return head.encode() + sent


def fill(url: str, count: int, request: Callable[[int], bytes] = asked) -> None:
    """Send so many requests, by their numbers."""
    with connect(url) as client, client.makefile("rb") as answers:
        for start in range(0, count, BATCH):
            numbers = range(start, min(start + BATCH, count))
            client.sendall(b"".join(map(request, numbers)))
            for _ in numbers:
                _skip(answers)


def _skip(answers: Any) -> None:
    length = 0
    while (line := answers.readline().lower()) not in (b"\r\n", b""):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    answers.read(length)
