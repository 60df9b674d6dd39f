"""What programs do with the service, each told once for all client libraries."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.workflows.service import Refused, Service

DATASET = "/api/core/dataset"
COLLECTION = f"{DATASET}/collection"
DATA = f"{DATASET}/data"
CHAT = "/api/core/chat"
ACCOUNT = "/api/support/user/account"
LIST = f"{COLLECTION}/listV2"
PIN = f"{CHAT}/history/updateHistory"
HISTORIES = f"{CHAT}/history/getHistories"


def new_dataset(service: Service, name: str) -> str:
    """Create a dataset whose name no other one has; gives its id."""
    body = {"type": "dataset", "name": name, "intro": "", "avatar": ""}

    def look() -> str | None:
        found = service.ask("POST", f"{DATASET}/list", {"parentId": None})
        return next((each["_id"] for each in found if each["name"] == name), None)

    made = service.surely(lambda: service.once(f"{DATASET}/create", body), look)
    return str(made)


def new_collection(
    service: Service,
    kind: str,
    body: dict[str, Any],
    name: str,
    file: tuple[str, bytes] | None = None,
) -> str:
    """Create a collection that is called by a name that no other one has."""

    def attempt() -> str:
        made = service.once(f"{COLLECTION}/create{kind}", body, file)
        return str(made["collectionId"] if kind else made)

    def look() -> str | None:
        fields = {"datasetId": body["datasetId"], "parentId": body.get("parentId")}
        named = (it for it in service.pages(LIST, **fields) if it["name"] == name)
        return next((it["_id"] for it in named), None)

    return service.surely(attempt, look)


def everything(service: Service, dataset: str) -> Iterator[Any]:
    """All collections of a dataset, each folder before what is in it."""
    folders: list[str | None] = [None]
    while folders:
        for item in service.pages(LIST, datasetId=dataset, parentId=folders.pop()):
            yield item
            if item["type"] == "folder":
                folders.append(item["_id"])


def trained(service: Service, dataset: str) -> dict[str, Any]:
    """All collections of a dataset by their names, once nothing is in training."""
    shown: dict[str, Any] = {}

    def is_over() -> bool:
        items = list(everything(service, dataset))
        shown.clear()
        shown.update({item["name"]: item for item in items})
        assert len(shown) == len(items), "something was made twice"
        return all(item["trainingAmount"] == 0 for item in items)

    service.until(is_over)
    return shown


def sync(service: Service, name: str, files: int = 40) -> None:
    """Mirror a folder of files: upload, wait, compare, change, delete."""
    dataset = new_dataset(service, name)
    base = {"datasetId": dataset}
    folders = [
        new_collection(service, "", {**base, "name": it, "type": "folder"}, it)
        for it in (f"{name} even", f"{name} odd")
    ]
    ids = []
    for number in range(files):
        file = f"{name}-{number}.txt", f"File {number} of {name}".encode()
        body = {**base, "parentId": folders[number % 2]}
        ids.append(new_collection(service, "/localFile", body, file[0], file))
    shown = trained(service, dataset)
    assert {it["_id"] for it in shown.values()} == {*folders, *ids}
    assert [shown[f"{name}-{n}.txt"]["_id"] for n in range(files)] == ids
    assert sum(it["dataAmount"] for it in shown.values()) == files
    change(service, dataset, folders, ids)
    service.remove("DELETE", f"{COLLECTION}/delete", id=ids[0])
    service.remove("POST", f"{COLLECTION}/delete", id=ids[1])
    service.remove("POST", f"{COLLECTION}/delete", {"collectionIds": ids[2:4]})
    service.remove("DELETE", f"{COLLECTION}/delete", {"collectionIds": [folders[1]]})
    left = {it["_id"] for it in everything(service, dataset)}
    assert left == {folders[0], *ids[4::2], ids[5]}
    service.remove("DELETE", f"{DATASET}/delete", id=dataset)
    with pytest.raises(Refused, match=r"^unExistDataset: "):
        service.ask("GET", f"{DATASET}/detail", id=dataset)


def change(service: Service, dataset: str, folders: list[str], ids: list[str]) -> None:
    """Rename one collection, tag another, move a third, forbid a folder."""
    path = f"{COLLECTION}/update"
    service.ask("POST", path, {"id": ids[2], "name": "Renamed.txt"})
    service.ask("PUT", path, {"id": ids[4], "tags": ["red"]})
    service.ask("POST", path, {"id": ids[5], "parentId": folders[0]})
    service.ask("POST", path, {"id": folders[1], "forbid": True})
    shown = {it["_id"]: it for it in everything(service, dataset)}
    assert shown[ids[2]]["name"] == "Renamed.txt"
    assert shown[ids[4]]["tags"] == ["red"]
    assert shown[ids[5]]["parentId"] == folders[0]
    forbidden = {each for each, it in shown.items() if it["forbid"]}
    assert forbidden == {folders[1], *ids[1::2]} - {ids[5]}


def importer(service: Service, name: str, pairs: int = 60) -> None:
    """Bring texts, a link and pairs of texts into a dataset; find one of them."""
    dataset = new_dataset(service, name)
    base = {"datasetId": dataset}
    text = {**base, "name": "Hours", "text": "Open from 9.\n\nClosed on Sunday."}
    new_collection(service, "/text", text, "Hours.txt")
    link = "https://example.com/prices?all=1"
    new_collection(service, "/link", {**base, "link": link}, link)
    answers = {**base, "name": "Answers", "type": "virtual"}
    collection = new_collection(service, "", answers, "Answers")
    for start in range(0, pairs, 25):
        numbers = range(start, min(start + 25, pairs))
        push(service, dataset, collection, [pair(number) for number in numbers])
    shown = trained(service, dataset)
    assert {it["name"]: it["dataAmount"] for it in shown.values()} == {
        "Hours.txt": 1,
        link: 0,
        "Answers": pairs,
    }
    search = {**base, "text": pair(41)["q"], "searchMode": "mixedRecall"}
    best = service.ask("POST", f"{DATASET}/searchTest", search)["list"][0]
    assert (best["q"], best["a"]) == (pair(41)["q"], pair(41)["a"])
    assert (best["collectionId"], best["sourceName"]) == (collection, "Answers")
    search["text"] = "Closed on Sunday"
    best = service.ask("POST", f"{DATASET}/searchTest", search)["list"][0]
    assert best["sourceName"] == "Hours.txt"


def pair(number: int) -> dict[str, str]:
    """A question that is like no other, and its answer."""
    digest = hashlib.sha256(b"%d" % number).hexdigest()
    return {"q": f"What is {digest}?", "a": f"Number {number}"}


def push(
    service: Service, dataset: str, collection: str, rows: list[dict[str, str]]
) -> None:
    """Add rows; whether they have been added shows in the amounts of the collection."""

    def amount() -> int:
        items = everything(service, dataset)
        item = next(it for it in items if it["_id"] == collection)
        return int(item["dataAmount"] + item["trainingAmount"])

    before, body = amount(), {"collectionId": collection, "data": rows}
    pushed = service.surely(
        lambda: service.once(f"{DATA}/pushData", body),
        lambda: {"insertLen": len(rows)} if amount() > before else None,
    )
    assert pushed["insertLen"] == len(rows)


def chat_panel(service: Service, name: str, app: str) -> None:
    """Talk in two chats, pin and rename the older one, look, and tidy up."""
    old, new = f"{name}-old", f"{name}-new"
    talk(service, app, old, f"Question of {name}", stream=False)
    talk(service, app, new, f"Another of {name}", stream=True)
    service.ask("PUT", PIN, {"appId": app, "chatId": old, "top": True})
    service.ask("PUT", PIN, {"appId": app, "chatId": old, "customTitle": name})
    first, *others = service.pages(HISTORIES, appId=app)
    assert (first["chatId"], first["top"], first["customTitle"]) == (old, True, name)
    assert first["title"] == f"Question of {name}"[:20]
    assert [it["top"] for it in others if it["chatId"] == new] == [False]
    opened = service.ask("GET", f"{CHAT}/init", appId=app, chatId=old)
    assert opened["title"] == first["title"]
    service.remove("DELETE", f"{CHAT}/history/delHistory", appId=app, chatId=new)
    chats = [it["chatId"] for it in service.pages(HISTORIES, appId=app)]
    assert chats[0] == old
    assert new not in chats
    service.remove("DELETE", f"{CHAT}/history/clearHistories", appId=app)
    assert list(service.pages(HISTORIES, appId=app)) == []


def talk(service: Service, app: str, chat: str, question: str, *, stream: bool) -> None:
    """Ask something in a new chat, whole or streamed; the answer is kept there."""
    body: dict[str, Any] = {"appId": app, "chatId": chat, "stream": stream}
    body["messages"] = [{"role": "user", "content": question}]
    kept: list[str] = []

    def look() -> str | None:
        kept[:] = records(service, app, chat)
        return kept[1] if kept else None

    def attempt() -> str:
        return spoken(service.say(body), stream)

    answer = service.surely(attempt, look)
    assert look() == answer
    assert kept == [question, answer]


def spoken(text: str, stream: bool) -> str:
    """What an answer of a completion says, from its events or as a whole."""
    if not stream:
        return str(json.loads(text)["choices"][0]["message"]["content"])
    lines = [line for line in text.split("\n") if line]
    assert lines.pop() == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    return "".join(delta["content"] or "" for delta in deltas)


def records(service: Service, app: str, chat: str) -> list[str]:
    """What has been said in a chat."""
    path = f"{CHAT}/record/getPaginationRecords"
    shown = service.pages(path, appId=app, chatId=chat)
    return [it["value"][0]["text"]["content"] for it in shown]


def front_end(service: Service, username: str, password: str) -> None:
    """Log in, with a cookie from then on, and load what a first page shows."""
    before = service.ask("GET", "/api/common/system/getInitData")
    assert "systemVersion" not in before
    with pytest.raises(Refused, match=r"^unAuthorization: "):
        service.ask("GET", f"{ACCOUNT}/tokenLogin")
    with pytest.raises(Refused, match=r"^account_psw_error: "):
        log_in(service, username, password + "!")
    shown = log_in(service, username, password)
    assert shown["user"]["username"] == username
    assert service.ask("GET", "/api/common/system/getInitData")["systemVersion"]
    user = service.ask("GET", f"{ACCOUNT}/tokenLogin")
    assert user == shown["user"]
    plan = service.ask("GET", "/api/support/user/team/plan/getTeamPlanStatus")
    datasets = service.ask("POST", f"{DATASET}/list", {"parentId": ""})
    assert plan["usedDatasetSize"] >= len(datasets) > 0
    for dataset in datasets:
        listed = list(everything(service, dataset["_id"]))
        paths = {"sourceId": dataset["_id"], "type": "current"}
        [step] = service.ask("GET", f"{DATASET}/paths", **paths)
        assert step["parentName"] == dataset["name"]
        assert {it["permission"]["isOwner"] for it in listed} <= {True}


def log_in(service: Service, username: str, password: str) -> Any:
    """Log in as a page of the service does. Raises Refused."""
    code = service.ask("GET", f"{ACCOUNT}/preLogin", username=username)["code"]
    digest = hashlib.sha256(password.encode()).hexdigest()
    body = {"username": username, "password": digest, "code": code}
    return service.ask("POST", f"{ACCOUNT}/loginByPassword", body)


def audit(service: Service) -> dict[str, list[tuple[str, str]]]:
    """All rows of all collections of all datasets, by the names of collections.

    One collection is exported, too: the service allows one export in a minute.
    """
    found = {}
    for dataset in service.ask("POST", f"{DATASET}/list", {}):
        if dataset["type"] == "folder":
            continue
        for item in everything(service, dataset["_id"]):
            rows = list(service.pages(f"{DATA}/v2/list", collectionId=item["_id"]))
            assert len({row["_id"] for row in rows}) == len(rows) == item["dataAmount"]
            pairs = [(row["q"], row.get("a", "")) for row in rows]
            if item["name"] == "Many":
                assert exported(service, item["_id"]) == pairs
            found[item["name"]] = pairs
    return found


def exported(service: Service, collection: str) -> list[tuple[str, str]]:
    """The rows of a collection as its CSV has them."""
    path = f"{COLLECTION}/export"
    text = service.text("POST", path, {"collectionId": collection})
    head, *rows = csv.reader(text.removeprefix("\ufeff").splitlines(keepends=True))
    assert head == ["q", "a"]
    return [(q, a) for q, a in rows]
