"""What a test holds in its hand: the server it calls, to steer and to ask."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from mock_server.admin.resources.snapshots import SnapshotView
from mock_server.client import AdminClient, Refused
from mock_server.domain.limits import LIMITS
from mock_server.domain.printable import one_line
from mock_server.fixture.document import ChatPart, SingleCollection
from mock_server.testing.steering import Choosing, Clock
from mock_server.views import FaultsView, FaultView, ResetView

_POLL_SECONDS = 0.01


class _Chat(ChatPart, forbid_unknown_fields=False, kw_only=True):
    """A chat session as a server shows it, which may be newer."""

    chat_id: str


class _Collection(SingleCollection, forbid_unknown_fields=False, kw_only=True):
    """A collection as a server shows it, which may be newer."""

    id: str = field(name="_id")


class _Collections(Struct):
    """A part of a dataset's collections, and how many there are."""

    collections: list[_Collection]
    total: int


class MockServerFixture:
    """A running server and the sandbox of one test.

    `url` is the address to call, `key` an owner's API key, `keys` the key to send for
    each one that the fixture declares, `clock` and `choices` what they say. Methods
    raise `Refused` with the server's message for what it does not take.
    """

    def __init__(
        self, client: AdminClient, key: str | None, keys: Mapping[str, str]
    ) -> None:
        self.url = client.url
        self.keys = dict(keys)
        self.clock = Clock(client)
        self.choices = Choosing(client)
        self._key = key
        self._client = client
        self._numbers = count(1)

    @property
    def key(self) -> str:
        """A key that may do everything. Raises LookupError if there is none."""
        if self._key is None:
            raise LookupError("the fixture declares no key of level owner")
        return self._key

    def fault(self, kind: str, **fields: Any) -> str:
        """Make the server fail, as `POST /__admin/faults`; gives the fault's id."""
        added = self._client.json(FaultView, "POST", "/faults", kind=kind, **fields)
        return str(added["id"])

    def preset(self, name: str, seed: int = 0) -> list[str]:
        """Add all faults of a preset; gives their ids."""
        asked = {"preset": name, "seed": seed}
        added = self._client.json(FaultsView, "POST", "/faults", **asked)["faults"]
        return [str(fault["id"]) for fault in added]

    @property
    def faults(self) -> list[dict[str, Any]]:
        """The faults that can still fire."""
        every = self._client.json(FaultsView, "GET", "/faults")["faults"]
        return [fault for fault in every if fault["remaining"] != 0]

    def chat(self, app_id: str, chat_id: str) -> ChatPart | None:
        """A chat session as it is now: `.top`, `.title` ...; None if there is none."""
        path = f"/apps/{_quoted(app_id)}/chats/{_quoted(chat_id)}"
        try:
            return ChatPart(**asdict(self._client.ask(_Chat, "GET", path).value))
        except Refused as refused:
            if refused.status_text == "chatNotFound":
                return None
            raise

    def collections(
        self, dataset_id: str, parent: str | None = None
    ) -> list[SingleCollection]:
        """The collections in a folder as they are now, None for the top level."""
        path = f"/datasets/{_quoted(dataset_id)}/collections"
        budget = self._client.budget(LIMITS.state_answer_bytes)
        found: list[SingleCollection] = []
        while True:
            page = f"{path}?offset={len(found)}"
            view = self._client.ask(_Collections, "GET", page, budget=budget).value
            found += [SingleCollection(**asdict(each)) for each in view.collections]
            if not view.collections or len(found) >= view.total:
                return [each for each in found if each.parent_id == parent]

    @property
    def journal(self) -> list[dict[str, Any]]:
        """All requests of this test that are kept, as the admin API shows them."""
        return self._entries()

    def calls(self, operation: str) -> list[dict[str, Any]]:
        """The requests of an operation: `call["request"]["body"]` ..."""
        return self._entries(operation=operation)

    def assert_called(
        self, operation: str, *, times: int | None = None, body: Any = None
    ) -> None:
        """That an operation was called, so often, with these fields in the body."""
        asked: dict[str, Any] = {"operation": operation}
        asked |= {} if body is None else {"body": body}
        asked |= {"atLeast": 1} if times is None else {"exactly": times}
        given = self._client.verify(asked)
        if not given.value.ok:
            raise AssertionError(_unmet(asked, given.plain()))

    def assert_no_violations(self) -> None:
        """That no request departed from the documented contract."""
        off = self._entries(violations="true")
        if off:
            lines = [line for entry in off for line in violation_lines(entry)]
            raise AssertionError("\n".join(["requests off contract:", *lines]))

    def wait_for(self, operation: str, timeout: float = 5.0) -> dict[str, Any]:
        """The first request of an operation, once it has come; `timeout` in seconds."""
        end = time.monotonic() + timeout
        while not (found := self.calls(operation)):
            if time.monotonic() >= end:
                raise AssertionError(f"{operation} was not called in {timeout:g} s")
            time.sleep(_POLL_SECONDS)
        return found[0]

    def snapshot(self) -> str:
        """Keep records, clock and choices; gives the name to restore them by."""
        name = f"snapshot-{next(self._numbers)}"
        self._client.json(SnapshotView, "PUT", f"/snapshots/{name}")
        return name

    def restore(self, name: str) -> None:
        """Back to a snapshot; faults and journal stay."""
        path = f"/snapshots/{_quoted(name)}/restore"
        self._client.json(ResetView, "POST", path)

    def reset(self) -> None:
        """Back to where the test began."""
        self._client.json(ResetView, "POST", "/reset")

    def load(
        self, document: Mapping[str, Any], faults: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Hold another fixture document from now on, with these faults only."""
        self._client.json(ResetView, "PUT", "/state", **document)
        for fault in faults:
            self._client.json(FaultView, "POST", "/faults", **fault)

    def _entries(self, **query: object) -> list[dict[str, Any]]:
        page = msgspec.json.decode(self._client.journal(query))
        return list(page["entries"])


def violation_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """An entry's violations, a line each."""
    request = entry["request"]
    for each in entry["violations"]:
        where = f"#{entry['seq']} {request['method']} {request['path']}"
        why = f"{each['name']} (spec {each['section']}): {each['message']}"
        yield f"  {one_line(f'{where}: {why}')}"


def _unmet(asked: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """Why a verification failed, with what came near."""
    body = asked.get("body")
    wanted = f"{asked['operation']}" + ("" if body is None else f" with {body!r}")
    lines = [f"{answer['message']} calls of {wanted}"]
    for near in answer.get("nearest", ()):
        lines.append(f"  nearest: #{near['seq']}")
        lines += [
            f"    {each['path']}: expected {each['expected']!r}, got {each['got']!r}"
            for each in near["differences"]
        ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return quote(text, safe="")
