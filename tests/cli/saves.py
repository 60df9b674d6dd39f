"""A fixture file that is saved again and again, and clients that look meanwhile.

Version N of the file is a dataset named N with N + 1 collections, all named after N.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from tests.support import LIST, PIN, SECONDS

PAGE = json.dumps({"offset": 0, "pageSize": 30, "datasetId": "d"})
PINNED = json.dumps({"appId": "app", "chatId": "chat", "top": True})
HEADERS = {"Authorization": "Bearer any", "Content-Type": "application/json"}


def version(number: int) -> str:
    """The fixture of that number; no proper beginning of it is a fixture."""
    items = [{"repeat": number + 1, "name": f"{number} of {{n}}"}]
    dataset = {"id": "d", "name": str(number), "collections": items}
    app = {"id": "app", "chats": [{"chatId": "chat"}]}
    return json.dumps({"apps": [app], "datasets": [dataset]})


def in_place(path: Path, text: str) -> None:
    """Empty the file, then write it."""
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    """Write another file, then put it in the place of this one."""
    other = path.with_suffix(".new")
    other.write_text(text)
    other.replace(path)


def anew(path: Path, text: str) -> None:
    """Remove the file, then make one of its name."""
    path.unlink(missing_ok=True)
    path.write_text(text)


def in_pieces(path: Path, text: str) -> None:
    """Write a few characters at a time."""
    with path.open("w") as file:
        for start in range(0, len(text), 10):
            file.write(text[start : start + 10])
            file.flush()
            os.sched_yield()


def half(path: Path, text: str) -> None:
    """Begin to write the file, and stop."""
    in_pieces(path, text[: len(text) * 2 // 3])


def misspelt(path: Path, text: str) -> None:
    """Write a file with an unknown field."""
    in_place(path, text.replace('"name"', '"nmae"'))


def unreadable(path: Path, text: str) -> None:
    """Write what is no text."""
    path.write_bytes(text.encode() + b"\xff")


def emptied(path: Path, text: str) -> None:
    """Leave nothing in the file."""
    del text
    path.write_text("")


def removed(path: Path, text: str) -> None:
    """Leave no file."""
    del text
    path.unlink(missing_ok=True)


GOOD = (in_place, by_rename, in_pieces, anew)
BAD = (half, misspelt, unreadable, emptied, removed)


@dataclass
class Seen:
    """What clients have got: answers, failures, the versions of each generation."""

    answers: int = 0
    failures: list[str] = field(default_factory=list)
    versions: set[tuple[int, int]] = field(default_factory=set)

    def mixed(self) -> list[tuple[int, int]]:
        """Generations with more than one version."""
        by_generation = dict(self.versions)
        return [pair for pair in self.versions if by_generation[pair[0]] != pair[1]]


def version_of(answer: dict[str, object]) -> int:
    """The version of a page. Raises ValueError if it is of several."""
    data = answer["data"]
    assert isinstance(data, dict)
    numbers = {int(item["name"].split()[0]) for item in data["list"]}
    numbers.add(data["total"] - 1)
    if len(numbers) != 1 or len(data["list"]) != min(30, data["total"]):
        raise ValueError(f"versions {numbers} in one answer")
    return numbers.pop()


def look(host: str, stop: Event) -> Seen:
    """List and pin over one connection, until asked to stop."""
    seen, newest = Seen(), 0
    client = http.client.HTTPConnection(host, timeout=SECONDS)
    while not stop.is_set():
        try:
            for method, path, body in (("POST", LIST, PAGE), ("PUT", PIN, PINNED)):
                client.request(method, path, body, HEADERS)
                answer = client.getresponse()
                content = json.loads(answer.read())
                generation = int(answer.headers["x-mock-generation"])
                if answer.status != 200 or generation < newest:
                    raise ValueError(f"{answer.status}, {generation}, {newest}")
                newest = generation
                seen.answers += 1
                if path == LIST:
                    seen.versions.add((generation, version_of(content)))
        except (OSError, ValueError, http.client.HTTPException) as error:
            seen.failures.append(repr(error))
            with suppress(OSError):
                client.close()
    client.close()
    return seen


@contextmanager
def clients(url: str, count: int) -> Iterator[Callable[[], Seen]]:
    """Clients that look; gives what ends them, and what they have seen together."""
    stop, host = Event(), url.removeprefix("http://")
    with ThreadPoolExecutor(count) as pool:
        looking: list[Future[Seen]] = [
            pool.submit(look, host, stop) for _ in range(count)
        ]

        def end() -> Seen:
            stop.set()
            together = Seen()
            for each in looking:
                seen = each.result()
                together.answers += seen.answers
                together.failures += seen.failures
                together.versions |= seen.versions
            return together

        try:
            yield end
        finally:
            stop.set()
