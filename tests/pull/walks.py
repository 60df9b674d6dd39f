"""A tree of collections to pull, and pulls in the process of their test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from mock_server.cli.output import log
from mock_server.cli.progress import count_logger
from mock_server.cli.pull import OutputFile, errors_end_command, write_fixture
from mock_server.domain.limits import ClientLimits
from mock_server.service.pull.lists import ServiceClient
from mock_server.service.pull.walk import Selection

KEY = "pulled-with-this-key"
APP, DATASET = "app-of-texts", "dataset-of-texts"
QUICK = ClientLimits(pull_backoff_seconds=0.001)
"""Pauses that no test has to wait for."""
EVERYTHING = Selection((DATASET,), (APP,), rows=True)
COLLECTIONS = Selection((DATASET,))


def mostly_full(first: object, *others: object) -> list[Any]:
    """Values of a parameter, of which quick runs try the first."""
    return [first, *(pytest.param(each, marks=pytest.mark.ci) for each in others)]


def document(
    below: tuple[int, ...] = (4, 2, 2, 1), leaves: int = 20, top: int = 76
) -> dict[str, Any]:
    """A fixture of `len(below) + 1` levels: of so many folders, each with leaves."""
    numbers = iter(range(10_000))

    def leaf() -> dict[str, Any]:
        n = next(numbers)
        return {
            "_id": f"leaf-{n}",
            "name": f"Secret paper {n}",
            "type": ("virtual", "link", "file")[n % 3],
            "tags": [f"topic {n % 7}"] * (n % 2),
            "updateTime": f"2024-01-{1 + n % 28:02}T00:00:00.000Z",
            "externalFileId": f"outside-{n}" if n % 5 == 0 else "",
        }

    def level(depth: int) -> list[dict[str, Any]]:
        found = [leaf() for _ in range(leaves if depth else top)]
        if depth < len(below):
            for _ in range(below[depth]):
                folder = {"_id": f"box-{next(numbers)}", "name": f"Secret box {depth}"}
                found.append(folder | {"children": level(depth + 1)})
        return found

    rows = [
        {"_id": f"row-{n}", "q": f"Question {n}?", "a": "Answer!"} for n in range(40)
    ]
    chats = [
        {"chatId": f"talk-{n}", "title": f"Talk about {n}", "top": n % 9 == 0}
        for n in range(35)
    ]
    collections = level(0)
    collections[0] |= {"data": rows, "tmbId": "member-of-team"}
    return {
        "apps": [{"id": APP, "chats": chats}],
        "datasets": [{"id": DATASET, "collections": collections}],
    }


SMALL = document((2, 1), 3, 31)
BIG = document()


def served(fixture: Any, profile: str = "documented", **more: Any) -> MockServer:
    """A server with related routes, so that all can be pulled."""
    return MockServer(
        fixture, profile=profile, choices={"related_routes": "on"}, **more
    )


def pull_of(
    url: str,
    path: Path,
    wanted: Selection = EVERYTHING,
    *,
    secret: str | None = None,
    limits: ClientLimits = QUICK,
    sleep: Callable[[float], None] = lambda _: None,
) -> bytes:
    """The file that a pull writes. Raises Stop."""
    service = ServiceClient(url, KEY, limits, report=log, sleep=sleep)
    target = OutputFile(str(path), path.suffix == ".json", secret)
    with errors_end_command("KEY_VARIABLE"):
        write_fixture(service, wanted, target, count_logger("items"))
    return path.read_bytes()


def tree_of(fixture: dict[str, Any]) -> set[tuple[str, str | None, str]]:
    """Each collection of the first dataset: id, parent, name."""
    found = set()

    def look(entries: list[dict[str, Any]], parent: str | None) -> None:
        for each in entries:
            found.add((each["_id"], each.get("parentId", parent), each["name"]))
            look(each.get("children", []), each["_id"])

    look(fixture["datasets"][0]["collections"], None)
    return found


def items_of(content: bytes) -> list[dict[str, Any]]:
    """The collections in a file of JSON."""
    found: list[dict[str, Any]] = json.loads(content)["datasets"][0]["collections"]
    return found
