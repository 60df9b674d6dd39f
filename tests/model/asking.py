"""How a request is made of its fields: by whom, where, and what is odd about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.model.answers import Fields
from tests.model.drawing import CALLS, LIST, PIN, PLAIN_LIST, PLAIN_PIN, Draw
from tests.model.reading import LIST as LIST_FIELDS
from tests.model.reading import LIST_MORE, PIN_MORE
from tests.model.reading import PIN as PIN_FIELDS
from tests.model.routes import LEGACY, LIST_V2, ROUTES
from tests.model.routes import PIN as PIN_PATH
from tests.model.sandbox import Sandbox
from tests.model.service import BAD_JSON, JSON, NEAR_PATHS, Request

WRONG: list[Any] = [None, True, 0, 5, -1, 1.5, "", "x", [], ["x"], {}, {"q": 1}]
WRONG_HERE = [31, 101, 2**53, 1e300, 3.0, "10", "0", "999", "x" * 300, [1, "a", None]]
"""Further values for fields of the documented operations."""
STRANGE = ["chatID", "page_size", "current", "someUnknownField"]
BY_OPERATION = {route.operation: path for path, route in ROUTES.items()}
OLDER = {path: older for older, path in LEGACY.items()}
RELATED_ROUTES = list(CALLS)
TYPES = [None, "text/plain", f"{JSON}; charset=utf-8", f"{JSON}; charset=latin-1"]
AUTHORIZATIONS: list[tuple[str, ...]] = [
    (),
    ("Bearer",),
    ("Basic dTpw",),
    ("bearer  any-key",),
    ("Bearer any-key", "Bearer any-key"),
]


def pin(random: Random, sandbox: Sandbox, token: str) -> Request:
    """An `updateHistory`, about which something is odd half of the time."""
    make = random.choice([PIN, PLAIN_PIN])
    fields = make(Draw(random, sandbox))
    asking = Asking(PIN_PATH, [*PIN_FIELDS, *PIN_MORE], sandbox, token)
    return asking.request(fields, random)


def listing(random: Random, sandbox: Sandbox, token: str) -> Request:
    """A `listV2`, in the same way."""
    make = random.choice([LIST, PLAIN_LIST])
    fields = make(Draw(random, sandbox))
    asking = Asking(LIST_V2, [*LIST_FIELDS, *LIST_MORE], sandbox, token)
    return asking.request(fields, random)


def related(random: Random, sandbox: Sandbox, token: str) -> Request:
    """A request of any related route, in the same way."""
    # Those at which a fault is to fire are called more often.
    aimed = [each.fields["operation"] for each in sandbox.faults if each.remaining != 0]
    aimed = [name for name in aimed if name in CALLS]
    is_aimed = aimed and random.random() < 0.5
    operation = random.choice(aimed if is_aimed else RELATED_ROUTES)
    path = BY_OPERATION[operation]
    fields = CALLS[operation](Draw(random, sandbox))
    asking = Asking(path, list(ROUTES[path].fields), sandbox, token)
    return asking.request(fields, random)


class Asking:
    """One request under way: nothing is odd about it, and then some of it is."""

    def __init__(
        self, path: str, names: Sequence[str], sandbox: Sandbox, token: str
    ) -> None:
        self.path, self.names, self.sandbox = path, names, sandbox
        self.route, self.is_spec = ROUTES[path], path in (PIN_PATH, LIST_V2)
        self.login, self.method = token, self.route.methods[0]
        self.key: str | None = owner_of(sandbox)
        self.authorization: tuple[str, ...] | None = None
        self.token: str | None = None
        if self.route.access == "login":
            self.key, self.token = None, token
        self.content: bytes | None = None
        self.content_type: str | None = JSON
        self.in_query = True

    def request(self, fields: Fields, random: Random) -> Request:
        """The request, with up to two oddities."""
        for _ in range(random.choice([0, 0, 0, 1, 1, 2])):
            random.choice(ODDITIES)(self, random, fields)
        is_short = not self.is_spec and self.method in ("GET", "DELETE")
        query: dict[str, str] = {}
        if is_short and self.in_query:
            query = {name: it for name, it in fields.items() if isinstance(it, str)}
            fields = {name: it for name, it in fields.items() if name not in query}
            if self.method == "GET":
                fields = {}
        is_empty = is_short and self.in_query and not fields
        content = b"" if is_empty else json.dumps(fields).encode()
        if self.content is not None and not query:
            content = self.content
        kind = self.content_type if content or self.content_type != JSON else None
        given = self.authorization
        if given is None:
            given = () if self.key is None else (f"Bearer {self.key}",)
        return Request(self.method, self.path, query, given, self.token, kind, content)

    # Oddities

    def other_key(self, random: Random, _: Fields) -> None:
        unknown = ["unknown-key", f"fastgpt-sbx-{'0' * 20}"]
        known = list(self.sandbox.callers())
        self.key = random.choice(known if known and random.random() < 0.8 else unknown)
        if self.sandbox.own and random.random() < 0.1:
            self.key = self.sandbox.own[:24] + "0" * 20

    def with_login(self, random: Random, _: Fields) -> None:
        self.token = random.choice([self.login, self.login, self.login, "nonsense"])
        if random.random() < 0.8:
            self.key = None

    def spoilt(self, random: Random, fields: Fields) -> None:
        name = random.choice([*self.names, "someUnknownField"])
        fields.pop(name, None)
        if random.random() < 0.7:
            wrong = WRONG + WRONG_HERE * 2 if self.is_spec else WRONG
            fields[name] = random.choice(wrong)

    def strange(self, random: Random, fields: Fields) -> None:
        name = random.choice(STRANGE)
        fields[name] = "x"
        if random.random() < 0.5:
            fields.pop(
                {"chatID": "chatId", "page_size": "pageSize"}.get(name, ""), None
            )

    def other_method(self, random: Random, _: Fields) -> None:
        others = self.route.methods[1:] or ("GET", "POST", "PUT", "DELETE")
        self.method = random.choice(others)

    def older_path(self, random: Random, _: Fields) -> None:
        if self.path in OLDER:
            self.path = OLDER[self.path]
        elif random.random() < 0.3:
            self.path = random.choice(list(NEAR_PATHS))

    def other_type(self, random: Random, _: Fields) -> None:
        self.content_type = random.choice(TYPES)

    def other_authorization(self, random: Random, _: Fields) -> None:
        self.authorization = random.choice(AUTHORIZATIONS)

    def other_content(self, random: Random, _: Fields) -> None:
        self.content = random.choice(list(BAD_JSON))

    def in_body(self, _random: Random, _: Fields) -> None:
        self.in_query = False


ODDITIES = [
    *[Asking.other_key] * 12,
    *[Asking.spoilt] * 6,
    *[Asking.with_login] * 3,
    *[Asking.in_body] * 2,
    *[Asking.strange] * 2,
    *[Asking.other_method] * 2,
    *[Asking.older_path] * 2,
    Asking.other_type,
    Asking.other_authorization,
    Asking.other_content,
]


def owner_of(sandbox: Sandbox) -> str:
    """A key of an owner, as it is sent."""
    for key, caller in sandbox.callers().items():
        if caller.get("permission", "owner") == "owner":
            return key
    return "any-key"
