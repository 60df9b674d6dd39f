"""One sandbox of the model, and what an administrator does with it."""

from __future__ import annotations

from typing import Any

from tests.model.base import Caller
from tests.model.choices import Choices, chosen
from tests.model.faults import Fault
from tests.model.plain import Plain
from tests.model.records import Fields, copied, milliseconds, written


class Sandbox:
    """A state, the baseline to which resets lead back, and faults.

    `issued` are the keys to send in place of declared ones, `own` is an owner's; the
    default sandbox has neither.
    """

    def __init__(
        self,
        name: str,
        document: Fields,
        profile: str,
        choices: Choices,
        own: str | None = None,
    ) -> None:
        self.name, self.document, self.own = name, document, own
        self.start = profile, choices
        self.issued: dict[str, str] = {}
        self.snapshots: dict[str, tuple[int, Any, Fields, str, Choices]] = {}
        self.generation = 0
        self.reset()

    def callers(self) -> dict[str, Caller]:
        """Who may call, by the key that is sent."""
        declared = {each["key"]: each for each in self.plain.document.get("keys", [])}
        if self.own is None:
            return declared
        found = {self.issued[key]: each for key, each in declared.items()}
        return found | {self.own: {"key": self.own}}

    def user(self, username: str) -> Caller | None:
        """Who has logged in: the first key with the same member, or an owner."""
        document = self.plain.document
        for user in document.get("users", []):
            if user["username"] == username:
                member = user.get("member")
                for caller in document.get("keys", []):
                    if member and caller.get("member") == member:
                        return {**caller, "username": username}
                return {"key": "", "member": member, "username": username}
        return None

    def reset(self) -> Fields:
        """Everything as it was loaded; snapshots stay."""
        self.plain = Plain(self.document)
        self.profile, choices = self.start
        self.choose(self.profile, choices)
        self.faults: list[Fault] = []
        self.added = 0
        self.generation += 1
        return self.marks()

    def put_state(self, document: Fields) -> Fields:
        """Have another baseline."""
        self.document = document
        return self.reset()

    def marks(self) -> Fields:
        return {"sandbox": self.name, "generation": self.generation}

    def choose(self, profile: str, choices: Choices) -> Fields:
        """Have other choices until the next reset."""
        self.profile, self.plain.choices = profile, chosen(profile, choices)
        return {"profile": profile, "choices": self.plain.choices}

    def take(self, name: str) -> tuple[int, Fields]:
        """Keep what there is under a name; 201 if that is new."""
        self.plain.settle()
        status = 200 if name in self.snapshots else 201
        kept = copied(self.plain.state), self.plain.document
        choices = self.profile, self.plain.choices
        self.snapshots[name] = (self.generation, *kept, *choices)
        return status, self.snapshot(name)

    def snapshot(self, name: str) -> Fields:
        return {"name": name, "generation": self.snapshots[name][0]}

    def restore(self, name: str) -> Fields:
        """Go back to what is kept; faults and baseline stay."""
        _, state, document, profile, choices = self.snapshots[name]
        self.plain = Plain(document)
        self.plain.state = copied(state)
        self.profile, self.plain.choices = profile, choices
        self.generation += 1
        return self.marks()

    def drop(self, name: str) -> Fields:
        view = self.snapshot(name)
        del self.snapshots[name]
        return view

    def set_clock(self, now: str) -> Fields:
        self.plain.state["clock"] = milliseconds(now)
        return {"now": now, "frozen": True}

    def advance(self, seconds: float) -> Fields:
        """Have time go on."""
        self.plain.state["clock"] += round(seconds * 1000)
        return {"now": written(self.plain.state["clock"]), "frozen": True}

    def add_fault(self, given: Fields) -> Fields:
        self.added += 1
        self.faults.append(Fault(f"f{self.added}", given))
        return self.faults[-1].view()

    def look(self) -> Fields:
        """The whole state, as far as it is compared."""
        plain = self.plain
        plain.settle()
        waiting: dict[str, list[str]] = {}
        for job in plain.state["jobs"]:
            ids = [row["id"] for _, row in job["rows"]]
            waiting.setdefault(job["collection"], []).extend(ids)
        return {
            "clock": plain.now,
            "apps": {each["id"]: _app(each) for each in plain.state["apps"].values()},
            "datasets": [
                {name: it for name, it in each.items() if name != "rows"}
                | {
                    "collections": [
                        _collection(it, plain.rows(each, it["id"]))
                        for it in each["collections"].values()
                    ]
                }
                for each in plain.state["datasets"].values()
            ],
            "training": {name: sorted(ids) for name, ids in waiting.items()},
        }


def _app(app: Fields) -> Fields:
    chats = {
        chat_id: chat | {"records": app["records"].get(chat_id, [])}
        for chat_id, chat in app["chats"].items()
    }
    return app | {"chats": chats, "records": None}


def _collection(each: Fields, rows: list[Fields]) -> Fields:
    return {**each, "createTime": None, "data": rows}


def shown_state(document: Fields) -> Fields:
    """The same of the document that the admin API shows."""
    waiting: dict[str, list[str]] = {}
    for job in document["training"]:
        ids = [row["_id"] for row in job["data"]]
        waiting.setdefault(job["collectionId"], []).extend(ids)
    return {
        "clock": document.get("clock"),
        "apps": {each["id"]: _shown_app(each) for each in document["apps"]},
        "datasets": [
            each | {"collections": [_shown(it) for it in each["collections"]]}
            for each in document["datasets"]
        ],
        "training": {name: sorted(ids) for name, ids in waiting.items()},
    }


def _shown_app(app: Fields) -> Fields:
    chats = {}
    for chat in app["chats"]:
        records = [_renamed(each, "dataId") for each in chat.get("records", [])]
        chats[chat["chatId"]] = chat | {"records": records}
    return app | {"chats": chats, "records": None}


def _shown(each: Fields) -> Fields:
    rows = [_renamed(row, "_id") for row in each.get("data", [])]
    shown = {**_renamed(each, "_id"), "createTime": None, "data": rows}
    for name in ("fileId", "rawLink"):
        if shown[name] is None:
            del shown[name]
    return shown


def _renamed(each: Fields, name: str) -> Fields:
    return {"id" if known == name else known: it for known, it in each.items()}
