"""Reads an account of a real FastGPT into a fixture."""

from collections.abc import Callable
from hashlib import shake_256
from typing import Any

from mock_server.control.admin_client import client_at
from mock_server.decoding.json_values import JsonObject
from mock_server.tools import object_kinds
from mock_server.tools.account_reader import AccountReader

TEXTS = (
    *("name", "intro", "title", "customTitle", "tags", "tag", "value", "q", "a"),
    *("welcomeText", "instruction", "customPrompt", "defaultPrompt", "defaultValue"),
    *("key", "label", "description", "model", "chatModels"),
)
ANONYMOUS = dict.fromkeys(TEXTS, "text {}")
ANONYMOUS |= dict.fromkeys(("tmbId", "teamId", "externalFileId", "fileId"), "{}")
ANONYMOUS |= dict.fromkeys(("avatar", "rawLink", "customUrl"), "https://example.com/{}")
"""The texts that replace values which may tell whose account it is, by field."""


def pull(
    base_url: str,
    key: str,
    *,
    dataset: tuple[str, ...] = (),
    app: tuple[str, ...] = (),
    rows: bool = False,
    log: Callable[[str], None] = lambda line: None,
    pause: float = 0.5,
) -> tuple[JsonObject, list[str]]:
    """A document of what can be read, and a line for each list that cannot. Raises ServiceError.

    `log` takes lines for people meanwhile.
    """
    with client_at(base_url, key, trust_env=True) as client:
        account = AccountReader(client, pause, log)
        apps = account.read_resources(object_kinds.APP, app)
        datasets = account.read_resources(object_kinds.DATASET, dataset)
        if rows:
            for pulled in datasets:
                for collection in pulled["collections"]:
                    account.add_data_rows(collection)
    if not all(it.get("isOwner", True) for it in account.permissions):
        log("not an owner's key: lists show its own chats, and the apps and datasets it may read")
    return {"apps": apps, "datasets": datasets}, account.problems


def anonymized(value: Any, field: str = "") -> Any:
    """A document without its texts, members and links; equal values stay equal."""
    if isinstance(value, dict):
        return {name: anonymized(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [anonymized(item, field) for item in value]
    if not value or not isinstance(value, str) or field not in ANONYMOUS:
        return value
    return ANONYMOUS[field].format(shake_256(value.encode()).hexdigest(12))
