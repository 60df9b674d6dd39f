"""A server to verify: a fixture in which every choice shows, and sandboxes of it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from mock_server import MockServer
from mock_server.control.http_call import Address
from mock_server.domain.choices.table import Value
from mock_server.service.conformance.exchange import Client, VerifyOptions
from mock_server.service.conformance.report import Report, verify
from tests.support import SECONDS, fetch

APP, CHAT, DATASET = "app-1", "chat-1", "dataset-1"
DOCUMENT: dict[str, Any] = {
    "users": [{"username": "root", "password": "1234"}],
    "apps": [{"id": APP, "chats": [{"chatId": CHAT}]}],
    "datasets": [
        {
            "id": DATASET,
            "collections": [
                {
                    "name": "Zulu",
                    "updateTime": "2024-05-01T00:00:00Z",
                    "children": [
                        {"name": "Inside", "tags": ["red"]},
                        {"repeat": 3, "name": "Within {n}"},
                    ],
                },
                {
                    "repeat": 103,
                    "name": "Page {n:03}",
                    "tags": ["part {n}"],
                    "updateTime": {"start": "2024-01-01T00:00:00Z", "step": "1h"},
                },
                {"name": "Alone", "updateTime": "2024-03-01T00:00:00Z"},
            ],
        }
    ],
}


def told(**fields: Any) -> VerifyOptions:
    """What may be looked at in the fixture."""
    known = {"dataset": DATASET, "app": APP, "chat": CHAT, "may_write": True}
    return VerifyOptions(**{"unknown": secrets.token_hex(12), **known, **fields})


def report_of(url: str, key: str = "any-key", **fields: Any) -> Report:
    """The report on a server."""
    options = told(**fields)
    client = Client(Address.of(url), key, SECONDS, print, options.credentials)
    return verify(url, client, options)


def ruled(report: Report, status: str) -> set[str]:
    """The rules with that outcome."""
    return {each.rule for each in report.rules if each.status == status}


def sandbox(server: MockServer, profile: str, choices: Mapping[str, Value]) -> Any:
    """A sandbox with these choices: its bound address, its key, a login's token."""
    made = _admin(server, "POST", "", {"profile": "deployed"})
    url = f"{server.url}/__sandboxes/{made['name']}"
    token = _login(url)
    chosen = {"profile": profile, "choices": dict(choices)}
    _admin(server, "PUT", f"/{made['name']}/choices", chosen)
    return url, made["key"], token


def _admin(server: MockServer, method: str, path: str, body: object) -> Any:
    answer = fetch(method, f"{server.url}/__admin/sandboxes{path}", json=body)
    assert answer.is_success, answer.text
    return answer.json()


def _login(url: str) -> str:
    account = f"{url}/api/support/user/account"
    code = fetch("GET", f"{account}/preLogin?username=root").json()["data"]["code"]
    password = hashlib.sha256(b"1234").hexdigest()
    body = {"username": "root", "password": password, "code": code}
    answer = fetch("POST", f"{account}/loginByPassword", json=body)
    return str(answer.json()["data"]["token"])
