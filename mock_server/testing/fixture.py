"""What the pytest fixture `mock_server` gives to a test, and to its report."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from mock_server.admin.resources.choices import ChoicesView
from mock_server.admin.resources.clock import ClockView
from mock_server.admin.resources.snapshots import SnapshotView
from mock_server.client import AdminClient, Refused
from mock_server.domain.choices import Value
from mock_server.domain.printable import json_text, one_line
from mock_server.fixture.document import ChatPart, SingleCollection
from mock_server.http_call import Unreachable
from mock_server.views import FaultsView, FaultView, ResetView

_POLL_SECONDS = 0.01
_REPORTED_ENTRIES = 20
_REPORTED_CHARS = 300


@dataclass(frozen=True, slots=True)
class SandboxClock:
    """The clock of a test's sandbox."""

    _client: AdminClient

    @property
    def now(self) -> str:
        """The time, as `2026-01-01T00:00:00.000Z`."""
        return str(self._client.json(ClockView, "GET", "/clock")["now"])

    def freeze(self, now: str | None = None) -> None:
        """Stop the clock, at a time like `2026-01-01T00:00:00Z` or where it is."""
        self._client.json(ClockView, "PUT", "/clock", now=now, frozen=True)

    def run(self) -> None:
        """Let the clock run."""
        self._client.json(ClockView, "PUT", "/clock", frozen=False)

    def advance(self, seconds: float) -> None:
        """Set the clock forward, whether it is running or frozen."""
        self._client.json(ClockView, "POST", "/clock/advance", seconds=seconds)


@dataclass(frozen=True, slots=True)
class SandboxChoices(Mapping[str, Value]):
    """The choices in force; `choices["list_order"] = "name"` sets one."""

    _client: AdminClient

    def __getitem__(self, name: str) -> Value:
        value: Value = self._all()[name]
        return value

    def __setitem__(self, name: str, value: Value) -> None:
        # PUT gives every choice that is not named the value of the profile.
        chosen = self._all() | {name: value}
        self._client.json(ChoicesView, "PUT", "/choices", choices=chosen)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Value]:
        return dict(self._client.json(ChoicesView, "GET", "/choices")["choices"])


# The server may be newer than this client, so fields that it does not know are ignored.
class _Chat(ChatPart, forbid_unknown_fields=False, kw_only=True):
    """A chat session as a server shows it."""

    chat_id: str


class _Collection(SingleCollection, forbid_unknown_fields=False, kw_only=True):
    """A collection as a server shows it."""

    id: str = field(name="_id")


class _Collections(Struct):
    """A page of a dataset's collections, and how many there are in all."""

    collections: list[_Collection]
    total: int


class MockServerFixture:
    """A running server, and the sandbox of one test in it.

    `url` is the base address for the client under test, `key` an API key of level
    owner, and `keys` has the key to send for each key that the fixture declares. Every
    method raises Refused, with the server's message, for what the server refuses.
    """

    def __init__(
        self, client: AdminClient, key: str | None, keys: Mapping[str, str]
    ) -> None:
        self.url = client.url
        self.keys = dict(keys)
        self.clock = SandboxClock(client)
        self.choices = SandboxChoices(client)
        self._key = key
        self._client = client
        self._numbers = count(1)

    @property
    def key(self) -> str:
        """An API key of level owner. Raises LookupError if there is none."""
        if self._key is None:
            raise LookupError("the fixture declares no key of level owner")
        return self._key

    def fault(self, kind: str, **fields: Any) -> str:
        """Add a fault with these fields (`POST /__admin/faults`); gives its id."""
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
        """A chat session as it is now (`.top`, `.title` ...); None if there is none."""
        path = f"/apps/{_quoted(app_id)}/chats/{_quoted(chat_id)}"
        try:
            return ChatPart(**asdict(self._client.ask(_Chat, "GET", path).value))
        except Refused as refused:
            # An unknown app is a mistake in the test, not a chat that is missing.
            if refused.status_text == "chatNotFound":
                return None
            raise

    def collections(
        self, dataset_id: str, parent: str | None = None
    ) -> list[SingleCollection]:
        """The collections in a folder (None: the top level) as they are now."""
        path = f"/datasets/{_quoted(dataset_id)}/collections"
        # One for all pages, so that a list that never ends is given up.
        budget = self._client.budget(self._client.limits.state_answer_bytes)
        found: list[SingleCollection] = []
        while True:
            page = f"{path}?offset={len(found)}"
            view = self._client.ask(_Collections, "GET", page, budget=budget).value
            found += [SingleCollection(**asdict(each)) for each in view.collections]
            # The route lists a whole dataset; it does not know folders.
            if not view.collections or len(found) >= view.total:
                return [each for each in found if each.parent_id == parent]

    @property
    def journal(self) -> list[dict[str, Any]]:
        """The requests of this test, as `GET /__admin/journal` shows them."""
        return self._entries()

    def calls(self, operation: str) -> list[dict[str, Any]]:
        """The journal entries of an operation, with `["request"]["body"]` and so on."""
        return self._entries(operation=operation)

    def assert_called(
        self, operation: str, *, times: int | None = None, body: Any = None
    ) -> None:
        """Assert that an operation was called, `times` often or at least once.

        Only requests count whose body has at least the fields of `body`.
        """
        asked: dict[str, Any] = {"operation": operation}
        asked |= {} if body is None else {"body": body}
        asked |= {"atLeast": 1} if times is None else {"exactly": times}
        given = self._client.verify(asked)
        if not given.value.ok:
            raise AssertionError(_unmet(asked, given.plain()))

    def assert_no_violations(self, allowed: Collection[str] = ()) -> None:
        """Assert that no request departed from the spec.

        Violations of the names in `allowed` do not count; `neighbour` there allows all
        those of neighbours.
        """
        off = self._entries(violations="true")
        lines = [line for entry in off for line in violation_lines(entry, allowed)]
        if lines:
            raise AssertionError("\n".join(["requests off contract:", *lines]))

    def wait_for(self, operation: str, timeout: float = 5.0) -> dict[str, Any]:
        """Wait for the first request of an operation, `timeout` seconds at most.

        Gives its journal entry; raises AssertionError if none has come.
        """
        end = time.monotonic() + timeout
        while not (found := self.calls(operation)):
            if time.monotonic() >= end:
                raise AssertionError(f"{operation} was not called in {timeout:g} s")
            time.sleep(_POLL_SECONDS)
        return found[0]

    def snapshot(self) -> str:
        """Save records, clock and choices; gives the name for `restore`."""
        name = f"snapshot-{next(self._numbers)}"
        self._client.json(SnapshotView, "PUT", f"/snapshots/{name}")
        return name

    def restore(self, name: str) -> None:
        """Go back to a snapshot; faults and journal stay."""
        path = f"/snapshots/{_quoted(name)}/restore"
        self._client.json(ResetView, "POST", path)

    def reset(self) -> None:
        """Go back to the state in which the test began."""
        self._client.json(ResetView, "POST", "/reset")

    def load(
        self, document: Mapping[str, Any], faults: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Replace the state by a fixture document, and all faults by `faults`."""
        self._client.json(ResetView, "PUT", "/state", **document)
        for fault in faults:
            self._client.json(FaultView, "POST", "/faults", **fault)

    def _entries(self, **query: object) -> list[dict[str, Any]]:
        page = msgspec.json.decode(self._client.journal(query))
        return list(page["entries"])


def violation_lines(
    entry: Mapping[str, Any], allowed: Collection[str] = ()
) -> Iterator[str]:
    """A line for each violation of a journal entry, printable and indented.

    Those whose name or section is among `allowed` are left out.
    """
    request = entry["request"]
    for each in entry["violations"]:
        name, section = each["name"], each["section"]
        if name in allowed or (section in allowed and section == "neighbour"):
            continue
        of = section if section == "neighbour" else f"spec {section}"
        where = f"#{entry['seq']} {request['method']} {request['path']}"
        # An older server gives no effect.
        effect = f" - {each['effect']}" if "effect" in each else ""
        why = f"{name} ({of}): {each['message']}{effect}"
        yield f"  {one_line(f'{where}: {why}')}"


def _unmet(asked: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """The message of a failed verification, with the nearest entries."""
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
    # `quote` leaves slashes as they are, and they would part the path.
    return quote(text, safe="")


def report_sections(server: MockServerFixture) -> Iterator[tuple[str, str]]:
    """Titles and texts for the report of a failed test: its journal, pending faults."""
    try:
        # Errors of hooks end the whole run of pytest, and what failed may well be the
        # server.
        entries, faults = server.journal, server.faults
    except (Refused, Unreachable) as error:
        yield "mock_server", f"the journal cannot be read: {error}"
        return
    if entries:
        left_out = len(entries) - _REPORTED_ENTRIES
        lines = [f"({left_out} earlier requests)"] if left_out > 0 else []
        for entry in entries[-_REPORTED_ENTRIES:]:
            lines += _entry_lines(entry)
        yield "mock_server journal", "\n".join(lines)
    if faults:
        yield (
            "mock_server faults that can still fire",
            "\n".join(map(_short_json, faults)),
        )


def _entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    request, answer = entry["request"], entry["answer"]
    fault = entry["fault"]
    spoiled = f" (fault {fault['id']}: {fault['kind']})" if fault else ""
    status = answer["status"] or "no answer"
    yield one_line(
        f"#{entry['seq']} {request['method']} {request['path']} -> {status}"
        f"{spoiled} {entry['durationMs']} ms"
    )
    yield f"    sent {_short_json(request['body'])}"
    yield f"    got  {_short_json(answer['body'])}"
    yield from (f"  {line}" for line in violation_lines(entry))


def _short_json(value: object) -> str:
    text = json_text(msgspec.json.encode(value).decode())
    return text if len(text) <= _REPORTED_CHARS else text[:_REPORTED_CHARS] + "…"
