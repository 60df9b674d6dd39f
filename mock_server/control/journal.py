"""The journal in tests: read it, wait for a call, and assert which calls were made."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlencode

from mock_server.choices import OUTSIDE_SPEC
from mock_server.control.http import AdminClient, Refused, path_to
from mock_server.decoding import JsonObject
from mock_server.real_time import RealTime
from mock_server.scripting.match import brief_json
from mock_server.store.replies import as_text

POLL_SECONDS = 0.01
"""Seconds between two readings of the journal."""
MAX_LATEST = 10
"""How many of the latest requests, and of the latest rules, a failed assertion shows."""
MAX_BODY_SHOWN = 120
"""How many characters of a request's body a line shows at most."""
LOOP_STOOD_STILL = (
    "while the event loop of this thread stood still "
    "(it runs during `await asyncio.to_thread(server.wait_for, ...)`)"
)

__tracebackhide__ = True  # see http.py


class JournalClient:
    """The requests of a sandbox with their responses, since its last reset."""

    def __init__(self, admin: AdminClient) -> None:
        self._admin = admin

    def page(self, **query: object) -> JsonObject:
        """A page of at most 1,000 entries that a query selects, as `JournalView` has it."""
        texts = {name: as_text(value) for name, value in query.items()}
        return self._admin.call("GET", f"/journal?{urlencode(texts)}")

    def entries(self, **query: object) -> list[JsonObject]:
        """All entries that a query selects; the server gives them in pages."""
        found: list[JsonObject] = []
        since = 0
        while True:
            page = self.page(**query, since=since)
            found += page["entries"]
            since = page["next"]
            if since > page["total"]:
                return found

    def last(self, operation: str) -> JsonObject:
        """The latest entry of an operation. Raises AssertionError if it was not called."""
        self.verify({"operation": operation})
        entries: list[JsonObject] = self.page(operation=operation, latest=1)["entries"]
        return entries[0]

    def verify(self, criteria: JsonObject, prefix: str = "") -> None:
        """Raises AssertionError, with the server's sentence, if the criteria do not hold."""
        try:
            self._admin.call("POST", "/journal/verify", criteria)
        except Refused as refused:
            # A refusal without a count is one of wrong criteria.
            if "count" not in refused.response:
                raise
            raise AssertionError(f"{prefix}{refused}\n{self.summary()}") from None

    def expect_no_violations(self, allowed: Sequence[str], *, strict: bool) -> None:
        """Raises AssertionError with the requests that broke the spec."""
        tolerated = {*allowed}
        if not strict:
            tolerated |= {*OUTSIDE_SPEC.values()}
        lines = ["Expected requests as the spec has them, got"]
        for entry in self.entries(violations=True):
            for violation in entry["violations"]:
                if violation["name"] not in tolerated:
                    lines += [entry_line(entry), violation_line(violation)]
        if len(lines) > 1:
            raise AssertionError("\n".join(lines))

    def wait_for(self, query: JsonObject, times: int, timeout: float) -> JsonObject:
        """Wait for `times` entries, and return the last. Raises AssertionError at the timeout."""
        waited = f"Within {timeout:g} s"
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            waited += f", {LOOP_STOOD_STILL}"
        end = RealTime.perf_counter() + timeout
        while True:
            entries: list[JsonObject] = self.page(**query, offset=times - 1, limit=1)["entries"]
            if entries:
                return entries[0]
            if RealTime.perf_counter() > end:
                # This passes if the calls have come just now: then they are read again.
                self.verify(query | {"atLeast": times}, f"{waited}: ")
            time.sleep(POLL_SECONDS)

    def summary(self) -> str:
        """The number of calls of each operation, and the latest calls and faults."""
        page = self.page(latest=MAX_LATEST)
        calls = ", ".join(f"{name} ({times})" for name, times in page["counts"].items())
        lines = [f"called so far: {calls}; all of it is in .journal"]
        if not calls:
            lines = [f"no request has come to {self._admin.http.base_url} since the last reset"]
        # Each call, with its hint if it has one.
        for entry in page["entries"]:
            lines.append(f"  {entry_line(entry)}")
            if entry["hint"]:
                lines.append(f"    {entry['hint']}")
            # A hint says why a request is refused; without one, the violations do.
            elif entry["response"]["status"] >= 400:
                lines += map(violation_line, entry["violations"])
        # The list of rules lacks `missed`, why a rule did not fire, so each rule is read.
        for listed in self.added_rules()[-MAX_LATEST:]:
            rule = self._admin.call("GET", path_to("rules", listed["id"]))
            lines.append(f"  {rule_line(rule)}")
        return "\n".join(lines)

    def added_rules(self) -> list[JsonObject]:
        """The rules that were added, without those that a fixture declares."""
        rules = self._admin.call("GET", "/rules")["rules"]
        return [rule for rule in rules if not rule["declared"]]


def entry_line(entry: JsonObject) -> str:
    """A request and its response: `#2 listV2 {"offset":0} -> 503 (error f1)`."""
    request = entry["request"]
    name = entry["operation"] or f"{request['method']} {request['path']}"
    status = entry["response"]["status"] or "no response"
    if entry["durationMs"] is None and not entry["response"]["status"]:
        status = "in progress"
    line = f"#{entry['seq']} {name} {brief_json(request['body'], MAX_BODY_SHOWN)} -> {status}"
    fired = entry["rule"]
    if fired:
        line += f" ({fired['kind']} {fired['id']})"
    return line


def violation_line(violation: JsonObject) -> str:
    """Where a request broke the spec, and how."""
    line = f"    {violation['name']} ({violation['section']}): {violation['message']}"
    place = f" - at {violation['path']}"
    # The message of a refusal has its place already.
    if violation["path"] and place not in line:
        line += place
    return line


def rule_line(rule: JsonObject) -> str:
    """How often a rule fired, or why it did not fire on the nearest request."""
    line = f"{rule['kind']} {rule['id']} for {rule['operation']}: "
    line += f"matched {rule['matches']}, fired {rule['fired']}"
    if rule["missed"]:
        line += f"; {rule['missed']}"
    return line
