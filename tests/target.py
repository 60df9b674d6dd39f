"""A running server under the behaviour suite: `pytest --target-url URL`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

import httpx2
import pytest

from mock_server.domain.limits import Limits
from tests.support import APP, CHAT, Api

FACE = "target"
_DEMO = Path(__file__).parent.parent / "fixtures" / "demo.yaml"
_TEXTS = {".json": "application/json"}


class TargetApi(Api):
    """A client of a server in another process; what is behind it is asked for."""

    def __init__(self, client: httpx2.Client) -> None:
        self.client = client

    def __getattr__(self, name: str) -> NoReturn:
        pytest.skip(f"looks at the {name}, which is in another process")

    def top(self, chat_id: str = CHAT, app_id: str = APP) -> bool | None:
        answer = self.admin("GET", f"/apps/{app_id}/chats/{quote(chat_id, safe='')}")
        return None if answer.status_code == 404 else bool(answer.json()["top"])

    def state(self) -> list[object]:
        return [self.admin("GET", "/state").content]


def lead(
    client: httpx2.Client,
    fixture: Any,
    *,
    profile: str = "documented",
    choices: dict[str, object] | None = None,
    **others: object,
) -> Api:
    """Have a server hold a fixture, under these choices, and nothing else."""
    if vars(others.pop("limits", Limits())) != vars(Limits()):
        pytest.skip("a server that runs cannot be given limits")
    if others:
        pytest.skip(f"a server that runs cannot be given {', '.join(others)}")
    for kind in ("sandboxes", "snapshots"):
        for each in client.get(f"/__admin/{kind}").json()[kind]:
            name = each["name"]
            if name != "default":
                gone = client.delete(f"/__admin/{kind}/{name}")
                # A sandbox may have expired since it was listed.
                assert gone.status_code in (200, 404), gone.text
    content, form = _document(fixture)
    _put(client, "state", content, form)
    asked = {"profile": profile, "choices": choices or {}}
    _put(client, "choices", json.dumps(asked), "application/json")
    return TargetApi(client)


def _document(fixture: Any) -> tuple[str | bytes, str]:
    """A fixture as text and its content type."""
    if isinstance(fixture, dict):
        return json.dumps(fixture), "application/json"
    path = _DEMO if fixture is None else Path(fixture)
    return path.read_bytes(), _TEXTS.get(path.suffix, "application/yaml")


def _put(client: httpx2.Client, name: str, content: str | bytes, form: str) -> None:
    answer = client.put(
        f"/__admin/{name}", content=content, headers={"Content-Type": form}
    )
    assert answer.status_code == 200, answer.text
