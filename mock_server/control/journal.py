"""The journal in tests: read it, wait for a call, and assert which calls were made."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.request import getproxies, proxy_bypass

from mock_server.choices import violation_sections
from mock_server.control.admin_client import AdminClient, Refused, path_to, without_none
from mock_server.decoding.json_values import JsonObject
from mock_server.rules.match import brief_json
from mock_server.store.objects import pick
from mock_server.text.wording import check_names
from mock_server.timing.system_time import RealTime

POLL_SECONDS = 0.01
"""Seconds between two readings of the journal."""
MAX_LATEST = 10
"""How many of the latest requests, and of the latest rules, a failed assertion shows."""
MAX_BODY_SHOWN = 120
"""How many characters of a request's body a line shows at most."""
LOOP_BLOCKED = (
    "while the event loop of this thread stood still "
    "(it runs during `await asyncio.to_thread(server.wait_for, ...)`)"
)

__tracebackhide__ = True  # see admin_client.py


class JournalControl(AdminClient):
    """The requests of a sandbox with their responses, since its last reset, and its rules."""

    @property
    def journal(self) -> list[JsonObject]:
        """All entries: `["request"]["body"]`, `["response"]["status"]` ..."""
        return self._entries()

    def calls(self, operation: str) -> list[JsonObject]:
        """The entries of an operation."""
        return self._entries(operation=operation)

    def last_call(self, operation: str) -> JsonObject:
        """The latest entry of an operation. Raises AssertionError if it was not called."""
        self._verify({"operation": operation})
        entries: list[JsonObject] = self._page(operation=operation, latest=1)["entries"]
        return entries[0]

    def assert_called(
        self,
        operation: str,
        *,
        times: int | None = None,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        status: int | None = None,
        cut: bool | None = None,
    ) -> None:
        """Assert that an operation was called, at least once or exactly `times` times.

        `body` is a part of the request's body, `status` that of the response; `cut`:
        whether the client left before the response ended.
        """
        self._verify(
            without_none(
                operation=operation, body=body, key=key, status=status, cut=cut, exactly=times
            )
        )

    def assert_not_called(self, operation: str, **criteria: Any) -> None:
        """Assert that no such call was made; the criteria are those of `assert_called`."""
        self.assert_called(operation, times=0, **criteria)

    def assert_in_order(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        """Assert that these calls were made in this order; others may be between them.

        A step is an operation, or `{"operation": "listV2", "body": {"offset": 10}}`.
        """
        if isinstance(steps, str) or not isinstance(steps, Sequence):
            raise ValueError(f"Expected a list such as ['listV2'], got {steps!r} - at steps")
        order: list[Mapping[str, Any]] = []
        for step in steps:
            if isinstance(step, str):
                order.append({"operation": step})
            else:
                order.append(step)
        self._verify({"inOrder": order})

    def assert_no_violations(
        self, allowed: str | Sequence[str] = (), *, strict: bool = False
    ) -> None:
        """Assert that no request broke the spec, but for what the server serves as it was meant.

        `allowed`: the names of violations to ignore, or one. `strict`: whether what is served as
        it was meant counts, too, such as calls of routes outside of the spec.
        """
        if isinstance(allowed, str):
            allowed = [allowed]
        check_names(allowed, [*violation_sections()])
        kinds = ["refused", "otherwise"]
        if strict:
            kinds.append("as_meant")
        lines = ["Expected requests as the spec has them, got"]
        for entry in self._entries(violations=True):
            for violation in entry["violations"]:
                if violation["served"] in kinds and violation["name"] not in allowed:
                    lines += [entry_line(entry), violation_line(violation)]
        # What is dropped is not shown any more, but counts.
        for name, counts in self._page(limit=1)["droppedViolations"].items():
            number = sum(pick(counts, kinds).values())
            if number and name not in allowed:
                lines.append(f"    {name}: {number} in entries that the journal has dropped")
        if len(lines) > 1:
            raise AssertionError("\n".join(lines))

    def wait_for(
        self,
        operation: str,
        *,
        times: int = 1,
        timeout: float = 5.0,
        status: int | None = None,
        cut: bool | None = None,
    ) -> JsonObject:
        """Wait until an operation was called `times` times; return the last of these entries.

        It returns when the request has come; with `status` or `cut` (see `assert_called`) when
        the response has ended or the client has left. It blocks: in a coroutine, await
        `asyncio.to_thread(server.wait_for, ...)`.
        """
        if times < 1:
            raise ValueError(f"Expected 1 or more, got {times} - at times (see assert_not_called)")
        query: JsonObject = {"operation": operation} | without_none(status=status, cut=cut)
        if len(query) > 1:
            query["ended"] = True
        timeout_message = f"Within {timeout:g} s"
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            timeout_message += f", {LOOP_BLOCKED}"
        end = RealTime.perf_counter() + timeout
        while True:
            entries: list[JsonObject] = self._page(**query, offset=times - 1, limit=1)["entries"]
            if entries:
                return entries[0]
            if RealTime.perf_counter() > end:
                # This passes if the calls have come just now: then they are read again.
                self._verify(query | {"atLeast": times}, f"{timeout_message}: ")
            RealTime.sleep(POLL_SECONDS)

    @property
    def rules(self) -> list[JsonObject]:
        """The rules that were added, each with `fired` and `remaining`."""
        rules = self.call("GET", "/rules")["rules"]
        return [rule for rule in rules if not rule["declared"]]

    def summary(self) -> str:
        """The number of calls of each operation, and the latest calls and rules."""
        page = self._page(latest=MAX_LATEST)
        calls = ", ".join(f"{name} ({times})" for name, times in page["counts"].items())
        lines = [f"called so far: {calls}; all of it is in .journal"]
        if not calls:
            url = self.http.base_url
            lines = [f"no request has come to {url} since the last reset"]
            if {url.scheme, "all"} & getproxies().keys() and not proxy_bypass(url.host):
                lines.append(f"  a proxy of the environment may get them: set NO_PROXY={url.host}")
        # Each call, with its hint if it has one.
        for entry in page["entries"]:
            lines.append(f"  {entry_line(entry)}")
            if entry["hint"]:
                lines.append(f"    {entry['hint']}")
            # A hint says why a request is refused; without one, the violations do.
            elif entry["response"]["status"] >= 400:
                lines += map(violation_line, entry["violations"])
        # The list of rules lacks `missed`, why a rule did not fire, so each rule is read.
        for listed in self.rules[-MAX_LATEST:]:
            rule = self.call("GET", path_to("rules", listed["id"]))
            lines.append(f"  {rule_line(rule)}")
        return "\n".join(lines)

    def _page(self, **query: Any) -> JsonObject:
        """A page of at most 1,000 entries that a query selects, as `JournalView` has it."""
        return self.call("GET", "/journal", **query)

    def _entries(self, **query: Any) -> list[JsonObject]:
        """All entries that a query selects; the server gives them in pages."""
        entries: list[JsonObject] = []
        page: JsonObject = {"next": 0, "total": 0}
        while page["next"] <= page["total"]:
            page = self._page(**query, since=page["next"])
            entries += page["entries"]
        return entries

    def _verify(self, criteria: JsonObject, prefix: str = "") -> None:
        """Raises AssertionError, with the server's sentence, if the criteria do not hold."""
        try:
            self.call("POST", "/journal/verify", criteria)
        except Refused as refused:
            # A refusal without a count is one of wrong criteria.
            if "count" not in refused.response:
                raise
            raise AssertionError(f"{prefix}{refused}\n{self.summary()}") from None


def entry_line(entry: JsonObject) -> str:
    """A request and its response: `#2 listV2 {"offset":0} -> 503 (error f1)`."""
    request = entry["request"]
    name = entry["operation"] or f"{request['method']} {request['path']}"
    status = entry["response"]["status"] or "no response"
    if entry["durationMs"] is None and not entry["response"]["status"]:
        status = "in progress"
    # A refusal may be told within a stream.
    if "event: error" in str(entry["response"]["body"]):
        status = f"{status}, with an error in the stream"
    query = request["query"] and f"?{request['query']:.{MAX_BODY_SHOWN}} "
    line = (
        f"#{entry['seq']} {name} {query}{brief_json(request['body'], MAX_BODY_SHOWN)} -> {status}"
    )
    fired = entry["rule"]
    if fired:
        line += f" ({fired['kind']} {fired['id']})"
    return line


def violation_line(violation: JsonObject) -> str:
    """Where a request broke the spec, how, and how it was served."""
    served = violation["served"].replace("_", " ")
    line = f"    {violation['name']} ({violation['section']}, {served}): {violation['message']}"
    place = f" - at {violation['path']}"
    # The message of a refusal has its place already.
    if violation["path"] and place not in line:
        line += place
    return line


def rule_line(rule: JsonObject) -> str:
    """How often a rule fired, or why it did not fire on the nearest request."""
    names = filter(None, [rule["kind"], rule["id"], rule["handler"]])
    line = f"{' '.join(names)} for {rule['operation']}: "
    line += f"matched {rule['matches']}, fired {rule['fired']}"
    if rule["missed"]:
        line += f"; {rule['missed']}"
    return line
