"""What administrators do in stories: each step to server and model, and compared."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.model.choices import CHOICES, Choices
from tests.model.faults import NEEDS
from tests.model.records import Fields
from tests.model.routes import PAGES, TOTALS, WRITES
from tests.model.sandbox import Sandbox, shown_state
from tests.model.service import Service
from tests.model.wire import Subject
from tests.model.world import DOCUMENTS

NAMES = ("s1", "s2")
SNAPSHOTS = ("kept", "other")
LISTS = ("listV2", "collection.list", "scrollList")
OPERATIONS = {
    "": ("*", "*", "listV2", "updateHistory", "getHistories", "completions"),
    "write": ("*", *sorted(WRITES)),
    "page": ("*", "listV2", "listV2", *sorted(PAGES)),
    "total": ("*", "listV2", *sorted(TOTALS)),
}


class Administration:
    """One administrator of both."""

    def __init__(self, subject: Subject, service: Service) -> None:
        self.wire, self.subject, self.service = subject.wire, subject, service
        self.tokens = {"default": subject.token}
        self.gone: list[str] = []
        self.done: list[str] = []

    def step(self, random: Random) -> None:
        """Do something in some sandbox."""
        sandbox = random.choice(list(self.service.sandboxes.values()))
        random.choice(STEPS)(self, sandbox, random)

    def call(
        self, sandbox: Sandbox | None, method: str, path: str, body: Any = None
    ) -> tuple[int, Any]:
        """An admin call of a sandbox, or of none."""
        if sandbox is not None:
            path = f"/sandboxes/{sandbox.name}{path}"
        self.done.append(f"{method} /__admin{path} {body if body else ''}"[:400])
        return self.wire.admin(method, path, body)

    def reset(self, sandbox: Sandbox, _: Random) -> None:
        same(self.call(sandbox, "POST", "/reset"), 200, sandbox.reset())

    def put_state(self, sandbox: Sandbox, random: Random) -> None:
        document = random.choice(DOCUMENTS)
        got = self.call(sandbox, "PUT", "/state", document)
        same(got, 200, sandbox.put_state(document))
        self.learn(sandbox)

    def learn(self, sandbox: Sandbox) -> None:
        """Find out which keys there are in a sandbox."""
        if sandbox.own is not None:
            _, view = self.call(sandbox, "GET", "")
            sandbox.issued |= view["keys"]

    def snapshot(self, sandbox: Sandbox, random: Random) -> None:
        """Take one, come back to it, or forget it."""
        name, verb = (
            random.choice(SNAPSHOTS),
            random.choice(["take", "restore", "drop"]),
        )
        path = f"/snapshots/{name}"
        if verb == "take":
            same(self.call(sandbox, "PUT", path), *sandbox.take(name))
        elif verb == "restore":
            got = self.call(sandbox, "POST", f"{path}/restore")
            if name not in sandbox.snapshots:
                same(got, 404, {"statusText": "snapshotNotFound"})
            else:
                same(got, 200, sandbox.restore(name))
        elif name in sandbox.snapshots:
            same(self.call(sandbox, "DELETE", path), 200, sandbox.drop(name))

    def set_clock(self, sandbox: Sandbox, random: Random) -> None:
        now = random.choice(["2025-06-01T00:00:00.000Z", "2026-01-01T00:00:10.500Z"])
        got = self.call(sandbox, "PUT", "/clock", {"now": now, "frozen": True})
        same(got, 200, sandbox.set_clock(now))

    def advance(self, sandbox: Sandbox, random: Random) -> None:
        seconds = random.choice([0.25, 1, 1, 2, 3, 10])
        got = self.call(sandbox, "POST", "/clock/advance", {"seconds": seconds})
        same(got, 200, sandbox.advance(seconds))

    def choose(self, sandbox: Sandbox, random: Random) -> None:
        """Have other choices, one of them at least where another profile is not."""
        profile, others = drawn_choices(random)
        body = {"choices": others} | ({"profile": profile} if profile else {})
        got = self.call(sandbox, "PUT", "/choices", body)
        same(got, 200, sandbox.choose(profile or sandbox.profile, others))

    def add_fault(self, sandbox: Sandbox, random: Random) -> None:
        if sum(each.remaining != 0 for each in sandbox.faults) < 3:
            given = drawn_fault(random)
            got = self.call(sandbox, "POST", "/faults", given)
            same(got, 201, sandbox.add_fault(given))

    def clear_faults(self, sandbox: Sandbox, _: Random) -> None:
        """Compare how often all have fired, and take them away."""
        got = self.call(sandbox, "DELETE", "/faults")
        assert got[0] == 200, got
        counts = [each.view() for each in sandbox.faults]
        for view, count in zip(got[1]["faults"], counts, strict=True):
            same((200, view), 200, count)
        sandbox.faults = []

    def make(self, _: Sandbox, random: Random) -> None:
        """Make a sandbox, and have the user log in there now and then."""
        free = [name for name in NAMES if name not in self.service.sandboxes]
        if not free:
            return
        profile, others = drawn_choices(random)
        document = random.choice([None, *DOCUMENTS])
        body: Fields = {"name": free[0], "choices": others, "ttl": 3600}
        body |= {"profile": profile} if profile else {}
        body |= {"state": document} if document else {}
        status, view = self.call(None, "POST", "/sandboxes", body)
        assert status == 201, view
        sandbox = Sandbox(
            free[0],
            document or self.service.default.document,
            profile or self.subject.profile,
            others,
            view["key"],
        )
        sandbox.issued |= view["keys"]
        self.service.sandboxes[free[0]] = sandbox
        if random.random() < 0.6:
            self.log_in(sandbox)

    def log_in(self, sandbox: Sandbox) -> None:
        """Have a token of the user; what that changes is reset."""
        got = self.call(sandbox, "PUT", "/choices", {"profile": "deployed"})
        same(got, 200, sandbox.choose("deployed", {}))
        token = self.wire.log_in(sandbox.own)
        self.tokens[sandbox.name] = token
        self.service.tokens[token] = sandbox.name, "root"
        self.reset(sandbox, Random(0))

    def delete(self, sandbox: Sandbox, _: Random) -> None:
        """Delete a sandbox: its keys and its token then lead nowhere."""
        if sandbox.own is None:
            return
        status, view = self.call(sandbox, "DELETE", "")
        assert (status, view["name"]) == (200, sandbox.name), view
        self.gone += [sandbox.own, *sandbox.issued.values()]
        del self.service.sandboxes[sandbox.name]
        token = self.tokens.pop(sandbox.name, "")
        self.service.tokens.pop(token, None)

    def look(self, sandbox: Sandbox, _: Random) -> None:
        """Compare the whole state."""
        status, document = self.call(sandbox, "GET", "/state")
        assert status == 200, document
        shown, wanted = shown_state(document), sandbox.look()
        assert shown == wanted, difference(shown, wanted)

    def mistake(self, sandbox: Sandbox, random: Random) -> None:
        """Make a mistake, which changes nothing and is told in the form `plain`."""
        method, path, body, status, text = random.choice(MISTAKES)
        body = body | {"name": sandbox.name} if text == "nameTaken" else body
        at = None if path.startswith("/sandboxes") else sandbox
        same(self.call(at, method, path, body), status, {"statusText": text})


MISTAKES: list[tuple[str, str, Fields, int, str]] = [
    ("POST", "/sandboxes", {}, 409, "nameTaken"),
    ("POST", "/sandboxes", {"choices": {"list_order": "x"}}, 400, "invalidField"),
    ("GET", "/sandboxes/none", {}, 404, "sandboxNotFound"),
    ("DELETE", "/sandboxes/default", {}, 404, "sandboxNotFound"),
    ("PUT", "/choices", {"profile": "other"}, 400, "invalidField"),
    ("PUT", "/choices", {"choices": {"tags_empty": 1}}, 400, "invalidField"),
    (
        "POST",
        "/faults",
        {"kind": "alter", "operation": "init"},
        400,
        "invalidField",
    ),
    ("POST", "/faults", {"kind": "error", "times": 0}, 400, "invalidField"),
    ("DELETE", "/faults/f0", {}, 404, "faultNotFound"),
    ("POST", "/clock/advance", {"seconds": -1}, 400, "invalidField"),
    (
        "PUT",
        "/state",
        {"apps": [{"id": "a", "name": 5}]},
        400,
        "badFixture",
    ),
    ("POST", "/snapshots/none/restore", {}, 404, "snapshotNotFound"),
    ("PUT", "/nothing", {}, 404, "routeNotFound"),
    ("PUT", "/reset", {}, 405, "methodNotAllowed"),
]
"""Calls that are refused: method, path, body, then status and statusText."""

STEPS = [
    *[Administration.choose] * 5,
    *[Administration.add_fault] * 10,
    *[Administration.advance] * 5,
    *[Administration.snapshot] * 5,
    *[Administration.make] * 5,
    *[Administration.clear_faults] * 3,
    *[Administration.mistake] * 3,
    Administration.set_clock,
    Administration.reset,
    Administration.put_state,
    Administration.delete,
    Administration.look,
]


def drawn_choices(random: Random) -> tuple[str | None, Choices]:
    """A profile, or None for the one in force, and a few choices beside it."""
    profile = random.choice([None, "documented", "deployed", "deployed"])
    # What few requests tell apart is drawn more often.
    known = [*CHOICES, *["unknown_key", "training", "version"] * 2]
    names = random.sample(known, random.choice([0, 1, 2, 4, 8]))
    others = {name: random.choice(CHOICES[name].values) for name in names}
    if profile != "deployed" and random.random() < 0.7:
        others |= {"related_routes": "on"}
    return profile, others


def drawn_fault(random: Random) -> Fields:
    """A fault that fires a few times at most."""
    kind = random.choice(list(NEEDS))
    given: Fields = {"kind": kind, "ttl": 600}
    given["operation"] = random.choice(OPERATIONS[NEEDS[kind]])
    more: dict[str, list[Any]] = {
        "times": [1, 2, 3],
        "skip": [1, 2],
        "match": [{"key": "owner-key"}, {"body": {"top": True}}, {"body": {}}],
    }
    if kind == "error":
        more |= {"code": [7], "message": ["Oh né"], "retryAfter": [0, 9]}
        more |= {"phase": ["after"], "status": [401, 429, 500]}
        given |= random.choice([{}, {}, {"status": 200, "code": 500}])
    elif kind == "rate_limit":
        given |= {"limit": random.choice([1, 2]), "times": random.choice([1, 2, 4])}
        given["window"] = random.choice([1, 2, 5])
        more |= {"phase": ["after"], "times": [3]}
    elif kind == "wrong_total":
        more |= {"by": [-1, 3, -100]}
    elif kind == "page_drift":
        given["remove"] = random.choice([1, 3])
        if given["operation"] in LISTS and random.random() < 0.6:
            del given["remove"]
            given["insert"] = random.choice([1, 2, 30])
        more |= {"at": [1, 2, 100]}
    elif kind == "alter":
        given["set"] = {"type": "odd", "further": {"a": [None, "é"]}}
        more |= {"remove": [["name", "_id"], ["tags"]]}
    for name, values in more.items():
        if random.random() < 0.4:
            given[name] = random.choice(values)
    return given


def same(got: tuple[int, Any], status: int, fields: Fields) -> None:
    """Compare status and fields of an admin answer, which may have further ones."""
    assert got[0] == status, got
    for name, value in fields.items():
        assert got[1][name] == value, f"{name}: {got[1][name]!r}, expected {value!r}"


def difference(got: Any, wanted: Any, at: str = "$") -> str:
    """The first place where two values differ."""
    if (
        isinstance(got, dict)
        and isinstance(wanted, dict)
        and got.keys() == wanted.keys()
    ):
        for name in got:
            if got[name] != wanted[name]:
                return difference(got[name], wanted[name], f"{at}.{name}")
    if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        for place, (one, other) in enumerate(zip(got, wanted, strict=True)):
            if one != other:
                return difference(one, other, f"{at}[{place}]")
    return f"{at}: {got!r:.400}, expected {wanted!r:.400}"
