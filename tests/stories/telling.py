"""Stories: requests one after the other, and what is said to each, as text.

A story is a comment that says what it shows, the choices, limits and fixture of its
server, and its requests, each with its headers behind `| ` and the answer below it.
`as KEY` is another caller than an owner; `state` asks whether data have changed: the
same letter is the same state. Of many letters alike there is a count, as in
`«x * 256»` (`tests/said.py`). Keys that were made have names; of an item only what is
no default is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec import Struct

from mock_server.domain.limits import Limits
from mock_server.fixture.source.files import shipped_path
from tests.api.related.rows import FULL
from tests.api.related.world import OWNER, USERS, WORLD
from tests.model.datasets import EMBEDDING, LANGUAGE
from tests.said import expanded, shortened
from tests.support import LIBRARY, Api, message_of

FOLDER = Path(__file__).parent


def twins() -> dict[str, Any]:
    """The library with a collection that two other datasets have."""
    twin = {"_id": "twin", "name": "Twin"}
    fixture = deepcopy(LIBRARY)
    fixture["datasets"][1]["collections"].append(twin)
    fixture["datasets"].append({"id": "dataset-3", "collections": [twin]})
    return fixture


ERROR = {"kind": "error", "status": 502, "operation": "listV2", "ttl": 600}
FIXTURES: dict[str, Any] = {
    "library": LIBRARY,
    "faulty": {**LIBRARY, "faults": [ERROR]},
    "twins": twins(),
    "world": WORLD,
    "accounts": WORLD | {"users": USERS},
    "full": FULL,
    "demo": None,
    "permissions": shipped_path("permissions.yaml"),
}
OWNERS = {"world": OWNER, "accounts": OWNER, "full": OWNER}
VOLATILE = {"durationMs", "memory", "endsIn", "headers", "http"}
LISTS = {"cors_origins", "allowed_hosts"}
"""Settings of a server that are no choices, with commas between their values."""
LONG = {"table"}
"""What has tests of its own, and would fill many lines."""
DEFAULTS = {
    "tmbId": "65422be6aa44b7da77729ec9",
    "type": "virtual",
    "updateTime": "2024-01-01T00:00:00.000Z",
    "dataAmount": 0,
    "trainingAmount": 0,
    "externalFileId": "",
    "tags": [],
    "forbid": False,
    "trainingType": "chunk",
}
DATASET = {
    "vectorModel": EMBEDDING,
    "agentModel": LANGUAGE,
    "inheritPermission": True,
    "private": False,
    "sourceMember": {"name": DEFAULTS["tmbId"], "avatar": "", "status": "active"},
}
"""What is the same of all datasets but of those that were made."""
ALL = 4294967295
"""The permission of an owner."""
HEADERS = (
    *(
        "x-mock-sandbox",
        "allow",
        "content-security-policy",
        "content-type",
        "location",
        "retry-after",
        "set-cookie",
        "vary",
        "www-authenticate",
        "x-mock-hint",
    ),
    *(f"x-ratelimit-{it}" for it in ("limit", "remaining", "reset")),
    *(f"access-control-allow-{it}" for it in ("origin", "methods", "headers")),
    "access-control-allow-credentials",
)
"""What is told of the head of an answer."""
UNTOLD = (None, "default", "application/json")
"""The sandbox and the type that most answers have."""
PART = re.compile(r"\n(?!\| )")
"""The end of a line that no further line belongs to."""
_SERVER = re.compile(r"given ((?:[\w.]+=\S+ )*)(.+)")
_LIBRARY = re.compile("(malformed (?:JSON|one)), .*?( - at)")
"""What is told in a library's words."""
_HOST = re.compile(r"http://[\w.]+(:\d+)?(?=/(?:api/system|__admin)/)")
"""Where addresses of files and commands lead."""
END = re.compile(r'(?<="expiresAt": ")[^"]+')
"""When a sandbox expires."""
_MADE = re.compile("fastgpt-sbx-[0-9a-f]{8,}")


class Story(Struct, frozen=True):
    """A story as it is written, and the file that has it."""

    file: Path
    text: str

    def __str__(self) -> str:
        title = self.text.partition("\n")[0].removeprefix("# ")
        return f"{self.file.stem}: {title}"

    def told(self, make: Callable[..., Api]) -> str:
        """The story with what a server says now, which `make` makes."""
        title, given, *lines = PART.split(self.text)
        found = _SERVER.fullmatch(given)
        assert found is not None, given
        options = dict(each.split("=", 1) for each in found[1].split())
        profile = options.pop("profile", "documented")
        values = {k: int(v) if v.isdigit() else v for k, v in options.items()}
        limits: dict[str, Any] = {
            k[7:]: v for k, v in values.items() if k.startswith("limits.")
        }
        more: dict[str, Any] = {"limits": Limits(**limits)} if limits else {}
        for key in {*values} & LISTS:
            more[key] = str(values[key]).split(",")
        choices = {k: v for k, v in values.items() if k not in LISTS and "." not in k}
        name = found[2]
        fixture = FIXTURES[name] if name in FIXTURES else json.loads(expanded(name))
        api = make(fixture, profile=profile, choices=choices, **more)
        server = _Server(api, OWNERS.get(name, "any-key"))
        requests = [line for line in lines if not line.startswith("-> ")]
        told = [f"{line}\n-> {server.answer(line)}" for line in requests]
        return "\n".join([title, given, *told])


def stories() -> list[Story]:
    """All of the texts in this folder."""
    return [
        Story(file, text)
        for file in sorted(FOLDER.glob("*.txt"))
        for text in file.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    ]


def renew(make: Callable[..., Api]) -> None:
    """Write the texts anew with what is said now."""
    found = stories()
    for file in dict.fromkeys(story.file for story in found):
        told = [story.told(make) for story in found if story.file == file]
        file.write_text("\n\n".join(told) + "\n", encoding="utf-8")


class _Server:
    """A server, and what it has said in a story."""

    def __init__(self, api: Api, owner: str) -> None:
        self._api, self._owner = api, owner
        self._made: list[str] = []
        self._states: list[object] = []

    def answer(self, line: str) -> str:
        """What is said to a line."""
        if line == "state":
            state = self._api.state()
            self._states += [state] if state not in self._states else []
            return "ABCDEFGH"[self._states.index(state)]
        line = re.sub(r"KEY-(\d)", lambda it: self._made[int(it[1]) - 1], line)
        line = expanded(line)
        line, *more = line.split("\n| ")
        key = self._owner
        if line.startswith("as "):
            _, key, line = line.split(" ", 2)
        method, path, *content = line.split(" ", 2)
        headers = {"Content-Type": "application/json"} if content else {}
        if key != "nobody" and not path.startswith("/__admin"):
            headers["Authorization"] = f"Bearer {key}"
        headers |= dict(each.split(": ", 1) for each in more)
        body = content[0].encode() if content else None
        answer = self._api.client.request(method, path, content=body, headers=headers)
        self._api.client.cookies.clear()
        text = f"{_head_of(answer)}{text_of(answer)}"
        self._made += [it for it in _MADE.findall(text) if it not in self._made]
        for number, made in enumerate(self._made, 1):
            text = text.replace(made, f"KEY-{number}")
            text = text.replace(f'"******{made[-4:]}"', f'"******KEY-{number}"')
        text = _HOST.sub("http://HOST", text)
        text = END.sub("SOON", _LIBRARY.sub(r"\1, ...\2", text))
        return shortened(f"{answer.status_code} {text}".rstrip())


def _head_of(answer: Any) -> str:
    """The headers that a story tells, each in brackets."""
    found = {name: answer.headers.get(name) for name in HEADERS}
    told = {k: v for k, v in found.items() if v not in UNTOLD}
    return "".join(f"[{name}: {value}] " for name, value in told.items())


def text_of(answer: Any) -> str:
    """What came, in a line: of an envelope the data, or the message."""
    if not answer.content or "json" not in answer.headers.get("content-type", ""):
        return json.dumps(answer.text, ensure_ascii=False)
    body = answer.json()
    if isinstance(body, dict) and {"statusText", "message"} <= body.keys():
        if body["code"] != 200:
            return f"{body['statusText']}: {message_of(body)}"
        body = body["data"]
    return json.dumps(short(body), ensure_ascii=False)


def short(value: Any) -> Any:
    if isinstance(value, list):
        return [short(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {k: short(each) for k, each in value.items() if k not in VOLATILE | LONG}
    if kept.get("frozen") is False:
        del kept["now"]  # time runs
    if _is_all(kept.get("permission")):
        kept["permission"] = "owner"
    if "vectorModel" in kept:
        return {k: v for k, v in kept.items() if k not in DATASET or v != DATASET[k]}
    if not {"tmbId", "trainingType"} <= kept.keys():
        return kept
    absent = [name for name in DEFAULTS if name not in kept]
    told = {k: v for k, v in kept.items() if k not in DEFAULTS or v != DEFAULTS[k]}
    return told | ({"without": absent} if absent else {})


def _is_all(permission: Any) -> bool:
    return isinstance(permission, dict) and {*permission.values()} <= {ALL, True}
