"""The journal in tests: read it, wait for a call, and fail with what came instead."""

import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from mock_server.control.http import AdminClient, Json, Refused, path_to, without_none
from mock_server.journal import OUTSIDE_SPEC
from mock_server.scripting.match import Difference, brief_json
from mock_server.store.replies import as_text

POLL_SECONDS = 0.01
MAX_LATEST = 10
"""The number of requests that a failed assertion shows, the latest ones."""
MAX_BODY_SHOWN = 120
"""The characters of a request's body that a line shows."""

__tracebackhide__ = True  # pytest shows the line of the test


class JournalClient(AdminClient):
    """The requests of a sandbox with their responses, since its last reset."""

    @property
    def journal(self) -> list[Json]:
        """All entries: `["request"]["body"]`, `["response"]["status"]` ..."""
        return self._entries()

    def calls(self, operation: str) -> list[Json]:
        """The entries of an operation."""
        return self._entries(operation=operation)

    def last_call(self, operation: str) -> Json:
        """The latest entry of an operation. Raises AssertionError without one."""
        entries: list[Json] = self._page(operation=operation, latest=1)["entries"]
        if not entries:
            raise AssertionError(f"Expected a call of {operation}, got none\n{self.summary()}")
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
        """Assert that an operation was called, `times` times if given.

        `body` is a part of the request's body, `status` that of the response; with `cut` the
        client left before the response ended.
        """
        fields = {"operation": operation, "body": body, "key": key, "status": status, "cut": cut}
        criteria = without_none(fields)
        number = "a call"
        bounds = {"atLeast": 1}
        if times is not None:
            number = number_of_calls(times)
            bounds = {"exactly": times}
        self._verify(f"{number} of {call_in_words(criteria)}", criteria | bounds)

    def assert_not_called(self, operation: str, **criteria: Any) -> None:
        """Assert that no such call was made; the criteria are those of `assert_called`."""
        self.assert_called(operation, times=0, **criteria)

    def assert_in_order(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        """Assert that these calls were made in this order, maybe with others between.

        A step is an operation, or `{"operation": "listV2", "body": {"offset": 10}}`.
        """
        order: list[Json] = []
        for step in steps:
            if isinstance(step, str):
                order.append({"operation": step})
            else:
                order.append({**step})
        self._verify(" -> ".join(map(call_in_words, order)), {"inOrder": order})

    def assert_no_violations(self, allowed: Sequence[str] = (), *, strict: bool = False) -> None:
        """Assert that no request broke the spec.

        `allowed` has names of violations. `strict` counts calls outside of the spec too:
        `related_route` and `legacy_path`.
        """
        tolerated = {*allowed}
        if not strict:
            tolerated |= {*OUTSIDE_SPEC.values()}
        lines = ["Expected requests as the spec has them, got"]
        for entry in self._entries(violations=True):
            for violation in entry["violations"]:
                if violation["name"] in tolerated:
                    continue
                line = f"    {violation['name']} ({violation['section']}): {violation['message']}"
                if violation["path"]:
                    line += f" - at {violation['path']}"
                lines += [entry_line(entry), line]
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
    ) -> Json:
        """Wait until an operation was called `times` times; return the last of these entries.

        It returns when the request has come. With `status`, or with `cut`, which says whether
        the client left before the response ended, it waits for the end. It blocks: in a
        coroutine, await `asyncio.to_thread(server.wait_for, ...)`.
        """
        criteria = without_none({"operation": operation, "status": status, "cut": cut})
        # Only of a response that has ended is the rest known.
        if len(criteria) > 1:
            criteria["ended"] = True
        deadline = time.monotonic() + timeout
        while True:
            entries: list[Json] = self._page(**criteria, offset=times - 1, limit=1)["entries"]
            if entries:
                return entries[0]
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
        counts = self._page(**criteria, limit=1)["counts"]
        got = sum(counts.values()) or "none"
        calls = f"{number_of_calls(times)} of {call_in_words(criteria)}"
        expected = f"Expected {calls} within {timeout:g} s"
        raise AssertionError(f"{expected}, got {got}\n{self.summary()}")

    def summary(self) -> str:
        """The number of calls of each operation, and the latest calls and faults."""
        page = self._page(latest=MAX_LATEST)
        calls = ", ".join(f"{name} ({times})" for name, times in page["counts"].items())
        lines = [f"called so far: {calls}; all of it is in .journal"]
        if not calls:
            lines = [f"no request has come to {self.http.base_url} since the last reset"]
        # Each call with a hint where it went wrong.
        for entry in page["entries"]:
            lines.append(f"  {entry_line(entry)}")
            if entry["hint"]:
                lines.append(f"    {entry['hint']}")
        # Each fault with what kept it from firing, which only the fault itself tells.
        for view in self.call("GET", "/faults")["faults"][-MAX_LATEST:]:
            fault = self.call("GET", path_to("faults", view["id"]))
            line = f"  {fault['kind']} {fault['id']} for {fault['operation']}: "
            line += f"matched {fault['matches']}, fired {fault['fired']}"
            if fault["missed"]:
                line += f"; {fault['missed']}"
            lines.append(line)
        return "\n".join(lines)

    def _entries(self, **query: object) -> list[Json]:
        """All entries that a query selects; the server gives them in pages."""
        entries: list[Json] = []
        since = 0
        while True:
            page = self._page(**query, since=since)
            entries += page["entries"]
            since = page["next"]
            if since > page["total"]:
                return entries

    def _page(self, **query: object) -> Json:
        """The entries that a query selects, at most 1,000, and numbers about all."""
        texts = {name: as_text(value) for name, value in query.items()}
        return self.call("GET", f"/journal?{urlencode(texts)}")

    def _verify(self, expected: str, criteria: Json) -> None:
        """Let the server compare; if it finds something else, say what comes closest."""
        try:
            self.call("POST", "/journal/verify", criteria)
            return
        except Refused as refused:
            answer = refused.response
            # Without a count the criteria are wrong, not the calls.
            if "count" not in answer:
                raise
        count = answer["count"]
        got = str(count or "none")
        if "inOrder" in criteria:
            got = f"no {call_in_words(criteria['inOrder'][count])}"
            if count:
                got += f" after step {count}"
        got += answer.get("remark", "")
        lines = [f"Expected {expected}, got {got}"]
        # The entry that is most like the expected one, if it is of the operation.
        for entry in answer.get("nearest", ())[:1]:
            differences = msgspec.convert(entry["differences"], list[Difference])
            if differences and differences[0].path != "$.operation":
                lines.append(f"nearest: #{entry['seq']}, {'; '.join(map(str, differences))}")
        raise AssertionError("\n".join([*lines, self.summary()]))


def entry_line(entry: Json) -> str:
    """A request and its response: `#2 listV2 {"offset":0} -> 503 (error f1)`."""
    request = entry["request"]
    name = entry["operation"] or f"{request['method']} {request['path']}"
    status = entry["response"]["status"] or "no response"
    if entry["durationMs"] is None and not entry["response"]["status"]:
        status = "in progress"
    line = f"#{entry['seq']} {name} {brief_json(request['body'], MAX_BODY_SHOWN)} -> {status}"
    fault = entry["fault"]
    if fault:
        line += f" ({fault['kind']} {fault['id']})"
    return line


def call_in_words(criteria: Json) -> str:
    """An operation, and what a call of it has to have: `listV2 with status 200`."""
    conditions = dict(criteria)
    line = str(conditions.pop("operation", "any"))
    if conditions:
        parts = [f"{name} {brief_json(value)}" for name, value in conditions.items()]
        line += f" with {' and '.join(parts)}"
    return line


def number_of_calls(times: int) -> str:
    """`1 call`, `2 calls`."""
    return f"{times} call{'s' * (times != 1)}"
