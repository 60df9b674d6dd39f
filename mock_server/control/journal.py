"""The journal in tests: read it, wait for a call, and assert which calls were made."""

import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from mock_server.control.http import AdminApi, Json, Refused, given, path
from mock_server.scripting.match import Difference, brief
from mock_server.store.replies import as_text

POLL = 0.01
"""Seconds between two looks at the journal."""
OUTSIDE = ("related_route", "legacy_path")
"""Violations that only strict tests count."""
SHOWN = 10
"""The number of requests that a failed assertion shows, the latest ones."""

__tracebackhide__ = True  # pytest shows the line of the test


class JournalApi(AdminApi):
    """The requests of a sandbox with their responses, since its last reset."""

    @property
    def journal(self) -> list[Json]:
        """All entries: `["request"]["body"]`, `["response"]["status"]` ..."""
        return entries(self)

    def calls(self, operation: str) -> list[Json]:
        """The entries of an operation."""
        return entries(self, operation=operation)

    def last_call(self, operation: str) -> Json:
        """The latest entry of an operation. Raises AssertionError without one."""
        found: list[Json] = page(self, operation=operation, latest=1)["entries"]
        if not found:
            raise AssertionError(f"Expected a call of {operation}, got none\n{self.summary()}")
        return found[0]

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
        criteria = given({"operation": operation, "body": body, "key": key, "status": status})
        criteria |= given({"cut": cut})
        expected = {"atLeast": 1} if times is None else {"exactly": times}
        many = "a call" if times is None else f"{times} call{'s' * (times != 1)}"
        self._verify(f"{many} of {described(criteria)}", criteria | expected)

    def assert_not_called(self, operation: str, **criteria: Any) -> None:
        """Assert that no such call was made; the criteria are those of `assert_called`."""
        self.assert_called(operation, times=0, **criteria)

    def assert_in_order(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        """Assert that these calls were made in this order, maybe with others between.

        A step is an operation, or `{"operation": "listV2", "body": {"offset": 10}}`.
        """
        order = [{"operation": it} if isinstance(it, str) else {**it} for it in steps]
        self._verify(" -> ".join(map(described, order)), {"inOrder": order})

    def _verify(self, expected: str, criteria: Json) -> None:
        try:
            self.call("POST", "/journal/verify", criteria)
            return
        except Refused as refused:
            found = refused.response
            if "count" not in found:
                raise
        count = found["count"]
        came = str(count or "none")
        order = criteria.get("inOrder")
        if order:
            came = f"no {described(order[count])}"
            came += f" after step {count}" if count else ""
        came += found.get("remark", "")
        lines = [f"Expected {expected}, got {came}", *nearest(found), self.summary()]
        raise AssertionError("\n".join(lines))

    def assert_no_violations(self, allowed: Sequence[str] = (), *, strict: bool = False) -> None:
        """Assert that no request broke the spec.

        `allowed` has names of violations. `strict` counts calls outside of the spec too:
        `related_route` and `legacy_path`.
        """
        passing = {*allowed} if strict else {*allowed, *OUTSIDE}
        lines = []
        for entry in entries(self, violations=True):
            for each in entry["violations"]:
                if each["name"] not in passing:
                    text = f"{each['name']} ({each['section']}): {each['message']}"
                    place = f" - at {each['path']}" if each["path"] else ""
                    lines.append(f"{row(entry)}\n    {text}{place}")
        if lines:
            raise AssertionError("\n".join(["Expected requests as the spec has them, got", *lines]))

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
        end = time.monotonic() + timeout
        query: Json = {"operation": operation} | given({"status": status, "cut": cut})
        if len(query) > 1:
            query["ended"] = True
        while True:
            found: list[Json] = page(self, **query, offset=times - 1, limit=1)["entries"]
            if found:
                return found[0]
            if time.monotonic() > end:
                calls = f"{times} call{'s' * (times != 1)} of {described(query)}"
                came = sum(page(self, **query, limit=1)["counts"].values())
                expected = f"Expected {calls} within {timeout:g} s, got {came or 'none'}"
                raise AssertionError(f"{expected}\n{self.summary()}")
            time.sleep(POLL)

    def summary(self) -> str:
        """The number of calls of each operation, and the latest calls and faults."""
        found = page(self, latest=SHOWN)
        calls = ", ".join(f"{name} ({times})" for name, times in found["counts"].items())
        lines = [f"called so far: {calls}; all of it is in .journal"]
        if not calls:
            lines = [f"no request has come to {self.http.base_url} since the last reset"]
        for each in found["entries"]:
            lines.append(f"  {row(each)}")
            if each["hint"]:
                lines.append(f"    {each['hint']}")
        for fault in self.call("GET", "/faults")["faults"][-SHOWN:]:
            each = self.call("GET", path("faults", fault["id"]))
            line = f"  {each['kind']} {each['id']} for {each['operation']}: "
            line += f"matched {each['matches']}, fired {each['fired']}"
            if each["missed"]:
                line += f"; {each['missed']}"
            lines.append(line)
        return "\n".join(lines)


def page(api: AdminApi, **query: object) -> Json:
    """The entries that a query selects, at most 1,000, and numbers about all."""
    texts = {name: as_text(value) for name, value in query.items()}
    return api.call("GET", f"/journal?{urlencode(texts)}")


def entries(api: AdminApi, **query: object) -> list[Json]:
    """All entries that a query selects; the server gives them in pages."""
    found: list[Json] = []
    since = 0
    while True:
        some = page(api, **query, since=since)
        found += some["entries"]
        since = some["next"]
        if since > some["total"]:
            return found


def row(entry: Json, length: int = 120) -> str:
    """A line on a request and its response."""
    request, fault = entry["request"], entry["fault"]
    name = entry["operation"] or f"{request['method']} {request['path']}"
    note = f" ({fault['kind']} {fault['id']})" if fault else ""
    none = "in progress" if entry["durationMs"] is None else "no response"
    status = entry["response"]["status"] or none
    return f"#{entry['seq']} {name} {brief(request['body'], length)} -> {status}{note}"


def nearest(found: Json) -> list[str]:
    """A line on the entry that is most like the expected one, if it is of the operation."""
    for each in found.get("nearest", ())[:1]:
        differences = msgspec.convert(each["differences"], list[Difference])
        if differences and differences[0].path != "$.operation":
            return [f"nearest: #{each['seq']}, {'; '.join(map(str, differences))}"]
    return []


def described(criteria: Mapping[str, Any]) -> str:
    """An operation with what a call of it has to have."""
    parts = [f"{name} {brief(it)}" for name, it in criteria.items() if name != "operation"]
    return f"{criteria.get('operation', 'any')}{' with ' if parts else ''}{' and '.join(parts)}"
