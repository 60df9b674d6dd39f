"""The requests that the service's public documentation shows, for what is served here.

They are those of its pages on chats, datasets and applications, with ids of a fixture
of ours, and the names that the documented answers hold. What an answer here lacks of
them is written below each in `published.txt`; the documentation's table is made of
that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mock_server.domain.versions import VERSIONS
from tests.docs.cells import code, listed
from tests.docs.pages import Table
from tests.support import Api

APP, CHAT, DATASET, COLLECTION = "a" * 24, "my-chat", "d" * 24, "c" * 24
ANSWERED = "{dataId}"
"""Stands for the reply that a first question has had."""
_FILM = {"q": "Who directed it?", "a": "Nobody."}
_CITED = {"id": "e" * 24, **_FILM, "datasetId": DATASET, "collectionId": COLLECTION}
_PARTS = [{"node": "AI chat"}, {"quotes": [_CITED]}, "Nobody did."]
_RECORDS = [
    {"obj": "Human", "text": "Hello"},
    {"obj": "AI", "text": "Yes?", "dataId": "reply"},
]
_CHATS = [{"chatId": CHAT, "records": _RECORDS}]
_FILMS = {
    "_id": COLLECTION,
    "name": "Films",
    "externalFileId": "1111",
    "fileId": "file",
    "tags": ["red"],
    "data": [
        {"_id": "e" * 24, **_FILM},
        {"_id": "f" * 24, "q": "Who wrote it?", "indexes": ["author"]},
    ],
}
WORLD: dict[str, Any] = {
    "apps": [
        {"id": APP, "replies": [{"parts": _PARTS}], "chats": _CHATS},
        {"id": "b" * 24, "type": "plugin"},
    ],
    "datasets": [{"id": DATASET, "collections": [_FILMS]}],
}


class Example(NamedTuple):
    """A request as it is published, and the names in the answer published for it.

    `shows` are those of the data, with dots between levels; or the events of a stream.
    `lacks` are those that are not there, `former` those in 4.14 only, `why` says so.
    """

    request: str
    body: Any = None
    shows: str = "null"
    lacks: str = ""
    former: str = ""
    why: str = ""
    file: str = ""
    refused: bool = False
    versions: tuple[str, ...] = VERSIONS
    about: str = ""

    @property
    def title(self) -> str:
        """Method and path, and what is special about the request."""
        return f"{code(self.request.partition('?')[0])} {self.about}".rstrip()

    def lacking(self, api: Api) -> str:
        """The names that are published and that the answer here does not hold."""
        found = set(names_in(self.sent(api)))
        return " ".join(name for name in self.shows.split() if name not in found)

    def missing(self, version: str) -> str:
        """The names that are known to be missing in a version."""
        return self.former or self.lacks if version == "4.14" else self.lacks

    def sent(self, api: Api) -> Any:
        """Send the request; gives the response, which is refused if that is told."""
        method, path = self.request.split()
        headers = {"Authorization": "Bearer fastgpt-xxxxxx"}
        options: dict[str, Any] = {}
        if self.file:
            options["files"] = {"file": (self.file, "<p>Films</p>")}
            options["data"] = {"data": json.dumps(self.body)}
        elif self.body is not None:
            options["json"] = self.body
        if ANSWERED in path:
            path = path.replace(ANSWERED, answered(api))
        answer = api.client.request(method, path, headers=headers, **options)
        assert (answer.status_code != 200) is self.refused, (self.request, answer.text)
        return answer


def answered(api: Api) -> str:
    """The dataId of the reply to a question that is asked first."""
    TALK.sent(api)
    body = {"appId": APP, "chatId": TALK.body["chatId"], "offset": 0, "pageSize": 10}
    records = api.send("POST", "/api/core/chat/record/getPaginationRecords", body)
    return str(records.json()["data"]["list"][-1]["dataId"])


def names_in(answer: Any) -> Iterator[str]:
    """The names in the data of a response, or the events of a stream."""
    if "event-stream" in answer.headers.get("content-type", ""):
        for event in filter(None, answer.text.split("\n\n")):
            head, _, data = event.rpartition("data: ")
            yield head.removeprefix("event: ").strip() or "data"
            yield from [data] if data == "[DONE]" else []
        return
    if answer.status_code == 200:
        body = answer.json()
        yield from names_of(body["data"] if "statusText" in body else body)


def names_of(value: Any, at: str = "") -> Iterator[str]:
    """The names in a value, with those around them; of a list those of all items."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{at}{name}"
            yield from names_of(inner, f"{at}{name}.")
    elif isinstance(value, list):
        for each in value:
            yield from names_of(each, at)
    elif not at:
        yield "null" if value is None else "text"


def published_table() -> Table:
    """The published examples that are answered otherwise, and why."""
    alike: dict[tuple[str, str], list[str]] = {}
    for each in EXAMPLES:
        if each.why:
            alike.setdefault((_otherwise(each), each.why), []).append(each.title)
    rows = [
        (", ".join(dict.fromkeys(titles)), told, why)
        for (told, why), titles in alike.items()
    ]
    return Table(("published example", "the answer has no", "why"), rows)


def _otherwise(each: Example) -> str:
    if each.refused:
        return "data: the request is refused"
    names = listed((each.former or each.lacks).split())
    return f"{names} (in 4.14)" if each.former and not each.lacks else names


def _read(part: str) -> Example:
    """Return the example that a request and the lines below it describe."""
    request, *lines = part.split("\n")
    method, path, *body = request.split(" ", 2)
    told: dict[str, Any] = dict(line.split(": ", 1) for line in lines)
    if "versions" in told:
        told["versions"] = tuple(told["versions"].split())
    told["refused"] = "refused" in told
    return Example(f"{method} {path}", *map(json.loads, body), **told)


_FILE = Path(__file__).with_suffix(".txt")
EXAMPLES = [*map(_read, _FILE.read_text("utf-8").rstrip("\n").split("\n\n"))]
TALK = EXAMPLES[0]
