"""What a help desk, a sync tool and a key manager do with a version of the service."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.e2e.workflows.service import Refused, Service
from tests.e2e.workflows.workflows import (
    CHAT,
    COLLECTION,
    DATA,
    DATASET,
    HISTORIES,
    PIN,
    everything,
    exported,
    new_collection,
    new_dataset,
    talk,
    trained,
)
from tests.support import fetch

GUIDE = "/api/core/ai/agent/v2/createQuestionGuide"
FEEDBACK = f"{CHAT}/feedback/updateUserFeedback"
RECORDS = f"{CHAT}/record/getPaginationRecords"
KEYS = "/api/support/openapi"
TICKETS = {
    "4.14": f"{DATASET}/presignDatasetFilePostUrl",
    "4.16": f"{DATASET}/file/presignDatasetFilePostUrl",
}


def help_desk(service: Service, app: str, version: str) -> None:
    """Answer a visitor, look at what the answer cites, rate it, delete it."""
    chat = {"appId": app, "chatId": "visitor"}
    talk(service, app, chat["chatId"], "When do you open?", stream=True)
    service.ask("PUT", PIN, {**chat, "customTitle": "Opening hours"})
    [history] = service.pages(HISTORIES, appId=app)
    assert (history["title"], history["customTitle"]) == (
        "When do you open?",
        "Opening hours",
    )
    _, reply = service.pages(RECORDS, **chat)
    answer = {**chat, "dataId": reply["dataId"]}
    assert cited(service, answer) == [("When are you open?", "From 9.")]
    for said in ({"userGoodFeedback": "yes"}, {"userBadFeedback": "no"}, {}):
        rate(service, answer, said)
    guide = service.ask("POST", GUIDE, chat)
    assert guide
    assert {type(question) for question in guide} == {str}
    remove_record(service, answer, version)
    left = [record["dataId"] for record in service.pages(RECORDS, **chat)]
    assert reply["dataId"] not in left


def cited(service: Service, answer: dict[str, str]) -> list[tuple[str, str]]:
    """The texts of the rows that an answer cites."""
    nodes = service.ask("GET", f"{CHAT}/record/getResData", **answer)
    quotes = [quote for node in nodes for quote in node.get("quoteList", ())]
    rows = [
        service.ask("POST", f"{DATA}/getQuoteData", {"id": quote["id"]})
        for quote in quotes
    ]
    return [(row["q"], row["a"]) for row in rows]


def rate(service: Service, answer: dict[str, str], said: dict[str, str]) -> None:
    """Rate an answer; lists show this rating and no other."""
    service.ask("POST", FEEDBACK, answer | said)
    chat = {name: answer[name] for name in ("appId", "chatId")}
    [shown] = [
        record
        for record in service.pages(RECORDS, **chat)
        if (record["obj"], record["dataId"]) == ("AI", answer["dataId"])
    ]
    names = "userGoodFeedback", "userBadFeedback"
    assert {name: shown[name] for name in names if name in shown} == said


def remove_record(service: Service, answer: dict[str, str], version: str) -> None:
    """Delete an answer in the way of a version."""
    chat = {"appId": answer["appId"], "chatId": answer["chatId"]}
    if version == "4.14":
        path = f"{CHAT}/item/delete"
        service.ask("DELETE", path, {**chat, "contentId": answer["dataId"]})
    else:
        path = f"{CHAT}/record/delete"
        service.ask("DELETE", path, **chat, contentId=answer["dataId"])


def sync_tool(service: Service, name: str, version: str) -> None:
    """Upload a file by a ticket, train it, train it again, export it, delete it."""
    dataset = new_dataset(service, name)
    asked = {"datasetId": dataset, "filename": "hours.txt"}
    ticket = service.ask("POST", TICKETS[version], asked)
    sent: dict[str, Any] = {"content": b"From 9.", "headers": ticket["headers"]}
    assert fetch("PUT", ticket["url"], **sent).status_code == 200
    body = {"datasetId": dataset, "fileId": ticket["key"]}
    first = new_collection(service, "/fileId", body, "hours.txt")
    assert trained(service, dataset)["hours.txt"]["dataAmount"] == 1
    retrain = f"{COLLECTION}/create/reTrainingCollection"
    again = service.once(retrain, {"collectionId": first})["collectionId"]
    [item] = trained(service, dataset).values()
    assert (item["_id"], item["name"], item["dataAmount"]) == (again, "hours.txt", 1)
    assert again != first
    assert exported(service, again) == [("From 9.", "")]
    service.remove("DELETE", f"{COLLECTION}/delete", id=again)
    assert list(everything(service, dataset)) == []
    service.remove("DELETE", f"{DATASET}/delete", id=dataset)


def key_manager(
    service: Service,
    connect: Callable[[str], AbstractContextManager[Service]],
    version: str,
    app: str,
) -> None:
    """Create an API key, use it, rename it, look after it, delete it."""
    key = service.once(f"{KEYS}/create", {"name": "Website"})
    [listed] = service.ask("GET", f"{KEYS}/list")
    assert (listed["name"], listed["apiKey"]) == ("Website", f"******{key[-4:]}")
    service.ask("PUT", f"{KEYS}/update", {"_id": listed["_id"], "name": "Shop"})
    assert [each["name"] for each in service.ask("GET", f"{KEYS}/list")] == ["Shop"]
    health = service.ask("GET", f"{KEYS}/health", apiKey=key)
    points = {"valid": True, "usagePoints": 0, "maxUsagePoints": -1}
    assert health == (points if version == "4.16" else {})
    with connect(key) as holder:
        assert list(holder.pages(HISTORIES, appId=app)) == []
        service.ask("DELETE", f"{KEYS}/delete", id=listed["_id"])
        with pytest.raises(Refused) as refused:
            holder.ask("POST", HISTORIES, {"appId": app})
        assert refused.value.code == 514
    with pytest.raises(Refused):
        service.ask("GET", f"{KEYS}/health", apiKey=key)
