"""Requests of all kinds, made from a seed: good ones, odd ones, wrong ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from tests.api.bad_requests import BAD_JSON
from tests.support import APP, CHAT, DATASET, LEGACY_PIN, LIST, PIN

_CORE = "/api/core"
_PARENTS = [..., None, "", "folder", "deep", "b", "nowhere", 5]
_TEXTS = [..., "", "alpha", "RED", "%", "试", None]
_SIZES = [..., 1, 2, 3, 30, 31, 0, "2", 1.0, None]


class Asked(NamedTuple):
    """A request; `is_chunked` if its body comes in pieces, of no announced length."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    is_chunked: bool = False


def mix(seed: int, count: int) -> Iterator[Asked]:
    """So many requests, always the same."""
    random = Random(seed)
    kinds = [_list, _list, _list, _pin, _neighbour, _odd, _bad_body]
    for _ in range(count):
        yield random.choice(kinds)(random)


def _sent(
    random: Random, method: str, path: str, fields: dict[str, Any] | bytes
) -> Asked:
    """A request with a key and a body as most clients send them, and some do not."""
    if isinstance(fields, dict):
        present = {name: value for name, value in fields.items() if value is not ...}
        body = json.dumps(present).encode()
    else:
        body = fields
    keys = [f"Bearer fastgpt-key-{random.randrange(3)}"] * 12
    key = random.choice([*keys, None, "Basic eDp5", "Bearer"])
    kinds = ["application/json"] * 12
    kind = random.choice(
        [*kinds, "text/plain", "application/json; charset=utf-8", None]
    )
    given = {"Authorization": key, "Content-Type": kind}
    headers = {name: value for name, value in given.items() if value is not None}
    if random.random() < 0.1:
        headers["Origin"] = "https://app.example"
    return Asked(method, path, headers, body, random.random() < 0.2)


def _list(random: Random) -> Asked:
    datasets = [DATASET, DATASET, DATASET, "dataset-2", "none", ...]
    fields = {
        "offset": random.choice([0, 0, 0, 1, 2, 50, -1, ..., "1"]),
        "pageSize": random.choice(_SIZES),
        "datasetId": random.choice(datasets),
        "parentId": random.choice(_PARENTS),
        "searchText": random.choice(_TEXTS),
        "extra": random.choice([..., ..., ..., 1]),
    }
    return _sent(random, random.choice(["POST"] * 9 + ["PUT"]), LIST, fields)


def _pin(random: Random) -> Asked:
    fields = {
        "appId": random.choice([APP, APP, "app-2", "none", ...]),
        "chatId": random.choice([CHAT, "chat-2", "other", ..., 7]),
        "top": random.choice([True, False, "true", ...]),
    }
    path = random.choice([PIN, PIN, PIN, LEGACY_PIN])
    return _sent(random, random.choice(["PUT"] * 9 + ["POST"]), path, fields)


def _neighbour(random: Random) -> Asked:
    where = f"{_CORE}/dataset/collection"
    item = random.choice(["folder", "b", "a", "none", "%62"])
    new = {"datasetId": DATASET, "name": "New", "type": "virtual"}
    searched = {"datasetId": DATASET, "text": "alpha"}
    rows: list[tuple[str, str, dict[str, Any] | bytes]] = [
        ("POST", f"{_CORE}/chat/history/getHistories", {"appId": APP, "offset": 0}),
        ("GET", f"{where}/detail?id={item}", b""),
        ("GET", f"{_CORE}/dataset/detail?id={DATASET}", b""),
        ("POST", f"{_CORE}/dataset/list", {"parentId": ""}),
        ("POST", f"{where}/create", new),
        ("PUT", f"{where}/update", {"id": "b", "name": f"Beta {random.randrange(9)}"}),
        ("DELETE", f"{where}/delete?id={random.choice(['c', 'none'])}", b""),
        ("POST", f"{_CORE}/dataset/searchTest", searched),
    ]
    method, path, fields = random.choice(rows)
    return _sent(random, method, path, fields)


def _odd(random: Random) -> Asked:
    preflight = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization",
    }
    rows = [
        Asked("OPTIONS", LIST, preflight, None),
        Asked("OPTIONS", LIST, {}, None),
        Asked("HEAD", PIN, {}, None),
        Asked("GET", f"{LIST}?offset=1&x=%2F%C3%A9", {}, None),
        Asked("POST", LIST.replace("/core/", "/%63ore%2F"), {}, b"{}"),
        Asked("GET", "/openapi.json", {}, None),
        Asked("GET", "//", {}, None),
        Asked("GET", "/nowhere/%41?a=b?c", {"X-Two": "two  words"}, None),
        Asked("DELETE", "/__adminx", {}, None),
        Asked("POST", LIST, {"Content-Encoding": "gzip"}, b"{}"),
        Asked("POST", LIST, {"Authorization": "Bearer k"}, None),
    ]
    return random.choice(rows)


def _bad_body(random: Random) -> Asked:
    name = random.choice([each for each in BAD_JSON if each != "depth_100000"])
    path, method = random.choice([(LIST, "POST"), (PIN, "PUT")])
    return _sent(random, method, path, BAD_JSON[name][0])
