"""A server of which all exchanges are seen."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import httpx2

from mock_server.service.har.handlers import CapturedData
from mock_server.service.har.reading import Exchange
from tests.support import APP, CHAT, DATASET, LIST, PIN

KEY = "a-key-that-nobody-may-see"
HISTORIES = "/api/core/chat/history/getHistories"


class Watched:
    """A client whose exchanges a `CapturedData` takes, to be put back as a document."""

    def __init__(self, client: httpx2.Client) -> None:
        self.client = client
        self.seen = CapturedData()

    def serve(self, document: object, **choices: str) -> Watched:
        """Serve a document from now on; to a new `CapturedData`."""
        put = self.client.put("/__admin/state", json=document)
        assert put.status_code == 200, put.text
        asked = {"profile": "deployed", "choices": choices}
        assert self.client.put("/__admin/choices", json=asked).status_code == 200
        self.seen = CapturedData()
        return self

    def again(self, **choices: str) -> Watched:
        """Serve what has been seen."""
        return self.serve(self.seen.document(), **choices)

    def list_v2(self, **fields: Any) -> Any:
        """The data of a page of dataset-1, from offset 0 and of 30 items."""
        fields = {"offset": 0, "pageSize": 30, "datasetId": DATASET} | fields
        return self.send("POST", LIST, fields)

    def histories(self, **fields: Any) -> Any:
        """The data of a page of the chats of app-1."""
        fields = {"offset": 0, "pageSize": 30, "appId": APP} | fields
        return self.send("POST", HISTORIES, fields)

    def pin(self, **fields: Any) -> Any:
        """Pin chat-1 of app-1."""
        return self.send(
            "PUT", PIN, {"appId": APP, "chatId": CHAT, "top": True} | fields
        )

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """The data of an answer, None of a refusal."""
        headers = {"Authorization": f"Bearer {KEY}"}
        response = self.client.request(method, path, json=body, headers=headers)
        self.seen.add_exchange(exchange_of(response))
        answer = response.json()
        return answer["data"] if answer["code"] == 200 else None


def exchange_of(response: httpx2.Response) -> Exchange:
    """A request and its answer as they were seen."""
    request = response.request
    url = urlsplit(str(request.url))
    return Exchange(
        request.method,
        url.path,
        url.query,
        request.content,
        response.status_code,
        tuple(response.headers.items()),
        response.content,
    )


def made(
    path: str, asked: Any, data: Any, method: str = "POST", **other: Any
) -> Exchange:
    """An exchange as a service might have had it."""
    answer = {"code": 200, "statusText": "", "message": "", "data": data}
    body = json.dumps(answer).encode()
    whole = Exchange(method, path, "", json.dumps(asked).encode(), 200, (), body)
    return whole._replace(**other)
