"""A small account, and a client of a server with it."""

from typing import Any

import httpx2

from mock_server import MockServer

ACCOUNT = {
    "clock": "2025-06-15T15:06:40Z",
    "keys": [{"key": "owner"}, {"key": "reader", "permission": "read"}],
    "users": [{"username": "root", "password": "1234"}],
    "apps": [
        {
            "id": "echo",
            "chats": [
                {"chatId": "c1", "title": "One"},
                {"chatId": "c2", "title": "Two", "top": True},
            ],
        },
        {"id": "says", "replies": ["Hello."]},
    ],
    "datasets": [{"id": "d", "name": "D", "collections": [{"_id": "x", "name": "X"}]}],
}


class Client(httpx2.Client):
    """A client of a server; `control` controls the server."""

    def __init__(self, server: MockServer) -> None:
        self.control = server
        headers = {"Authorization": "Bearer owner"}
        super().__init__(base_url=server.url, headers=headers, verify=False)

    def data(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The data of a response that succeeds."""
        response = self.request(method, f"/api/core{path}", json=body, **more)
        assert response.json().get("code") == 200, response.text
        return response.json()["data"]

    def code(self, method: str, path: str, body: Any = None, **more: Any) -> int:
        """The code of a response."""
        return int(self.request(method, f"/api/core{path}", json=body, **more).json()["code"])

    def talk(self, text: str, **more: Any) -> httpx2.Response:
        """The response to a question."""
        body = {"appId": "echo", "messages": [{"role": "user", "content": text}], **more}
        return self.post("/api/v1/chat/completions", json=body)
