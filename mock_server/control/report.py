"""Reports the journal and the faults of a test's server as text.

It also checks the names of violations that users allow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from mock_server.control.client import NotRunning, Refused
from mock_server.control.faults import is_answer, near_miss, unfired_text
from mock_server.control.http_call import Unreachable
from mock_server.control.unknown_routes import reasons_against_answers
from mock_server.domain.choices.table import table
from mock_server.domain.journal import UNKNOWN_ROUTE, Outside
from mock_server.domain.messages import did_you_mean, nearest, quoted
from mock_server.domain.printable import json_text, one_line
from mock_server.domain.versions import VERSIONS
from mock_server.domain.versions import table as facts

if TYPE_CHECKING:
    from mock_server.control.control_object import MockServerFixture

__tracebackhide__ = True

_MAX_ENTRIES = 20
_MAX_CHARS = 300
_OTHER_VIOLATIONS = (
    "invalid_field",
    "missing_authorization",
    UNKNOWN_ROUTE,
    *get_args(Outside),
)
"""Violations that have no choice; `related_route` includes all violations of related
routes."""


_NO_SOCKET = (
    "no request has come: it opens no socket. Give your client the transport "
    "ASGITransport(app=mock_server_app), or use the fixture mock_server"
)
_NOT_CALLED = "no client has sent a request; the base URL of clients is {}.url, here {}"


def report_sections(
    server: MockServerFixture, name: str, since: int = 0, *, is_of_version: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield titles and texts of a failed test's sections on the journal and faults.

    `name` is the pytest fixture of the server, `since` the number of the first entry to
    report. If `is_of_version`, entries have the facts of versions that they used.
    """
    try:
        # Caught, because an error in a hook would end the run of pytest.
        entries = [each for each in server.journal if each["seq"] >= since]
        faults = server.faults
    except (Refused, Unreachable, NotRunning) as error:
        yield name, f"the journal cannot be read: {error}"
        return
    if entries:
        left_out = len(entries) - _MAX_ENTRIES
        lines = [f"({left_out} earlier requests)"] if left_out > 0 else []
        for entry in entries[-_MAX_ENTRIES:]:
            lines += entry_lines(entry)
            lines += fact_lines(entry) if is_of_version else ()
        yield f"{name} journal", "\n".join(lines)
    else:
        is_app = name == "mock_server_app"
        yield name, _NO_SOCKET if is_app else _NOT_CALLED.format(name, server.url)
    if lines := [*_suggested_answers(entries, name)]:
        yield f"{name} routes that nothing serves: to answer them", "\n".join(lines)
    for title, are_answers in (("faults", False), ("answers", True)):
        if listed := [each for each in faults if is_answer(each) is are_answers]:
            text = "\n".join(_short_json(_without_null(each)) for each in listed)
            yield f"{name} {title} that can still fire", text
    if lines := [
        unfired_text(fault) + near_miss(server._client, fault)
        for fault in faults.unfired()
    ]:
        yield f"{name} faults that never fired", "\n".join(lines)


def _suggested_answers(
    entries: Iterable[Mapping[str, Any]], name: str
) -> Iterator[str]:
    """Yield lines of code for a test that answer the unknown routes."""
    # The name of a factory's server is no name of a variable.
    control = name if name.isidentifier() else "server"
    control += ".control" if name == "mock_server_app" else ""
    unknown = (
        (each["request"]["method"], each["request"]["path"])
        for each in entries
        if any(violation["name"] == UNKNOWN_ROUTE for violation in each["violations"])
    )
    for route, mistake in reasons_against_answers(unknown).items():
        if not mistake:
            yield one_line(f"{control}.respond({quoted(route)}, json={{...}})")


def entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield printable lines on a journal entry: request, response, violations, hint."""
    request, answer = entry["request"], entry["answer"]
    fault = entry["fault"]
    note = f" (fault {fault['id']}: {fault['kind']})" if fault else ""
    status = answer["status"] or "no answer"
    yield one_line(
        f"#{entry['seq']} {request['method']} {request['path']} -> {status}"
        f"{note} {entry['durationMs']} ms"
    )
    yield f"    sent {_request_body(request, answer['status'])}"
    messages = "; ".join(each["message"] for each in entry["violations"])
    later_text = "; ".join(filter(None, (messages, entry["hint"])))
    yield f"    got  {_short_json(_shorten(answer['body'], later_text))}"
    yield from (f"  {line}" for line in violation_lines(entry))
    if entry["hint"] and entry["hint"] not in messages:
        yield f"    hint {one_line(entry['hint'])}"


def fact_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of versions that a request depended on."""
    for name in entry.get("facts", ()):
        fact = facts().get(name)  # None if the server has another version
        differs = f"differs in {' and '.join(VERSIONS)}: fact {one_line(name)}"
        yield f"    {differs}{f': {fact.sentence}' if fact else ''}"


def _shorten(body: object, later_text: str) -> object:
    """Return a body without its message if the lines below contain the message."""
    message = body.get("message") if isinstance(body, dict) else None
    if isinstance(body, dict) and message and str(message) in later_text:
        return {**body, "message": "…"}
    return body


def _request_body(request: Mapping[str, Any], status: int) -> str:
    is_announced = request["headers"].get("content-length", "0") != "0"
    # A null body gives 400; other refusals may come before the body.
    if request["body"] is None and is_announced and 400 < status < 500:
        return "(refused before the body arrived)"
    return _short_json(request["body"])


def _without_null(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an object, and of objects in it, that are not null."""
    return {
        name: _without_null(value) if isinstance(value, Mapping) else value
        for name, value in fields.items()
        if value is not None
    }


def _short_json(value: object) -> str:
    text = json_text(msgspec.json.encode(value).decode())
    return text if len(text) <= _MAX_CHARS else text[:_MAX_CHARS] + "…"


def allowed_violations(
    names: Collection[str], place: str, expected: str = "names of violations"
) -> list[str]:
    """Return the names of allowed violations.

    Raises TypeError for anything but a list, ValueError for unknown names.
    """
    known = [*table(), *_OTHER_VIOLATIONS]
    if isinstance(names, str):
        expected = expected.replace("names", "a list of names")
        similar = nearest(names, known)
        hint = f" (write [{similar!r}])" if similar else ""
        raise TypeError(f"Expected {expected}, got {names!r} - at {place}{hint}")
    for name in names:
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise ValueError(f"Expected {expected}, got {name!r}{hint} - at {place}")
    return list(names)


def violation_lines(
    entry: Mapping[str, Any], allowed: Collection[str] = ()
) -> Iterator[str]:
    """Yield a printable, indented line for each violation of a journal entry.

    Violations whose name or section is in `allowed` are left out.
    """
    for each in entry["violations"]:
        name, section = each["name"], each["section"]
        if name in allowed or (section in allowed and section == "related_route"):
            continue
        source = section if section == "related_route" else f"spec {section}"
        # An older server sends no effect.
        effect = f" - {each['effect']}" if "effect" in each else ""
        text = f"{name} ({source}): {each['message']}{effect}"
        yield f"  {one_line(f'{_request_text(entry)}: {text}')}"


def outside_line(entry: Mapping[str, Any]) -> str:
    """Return a printable, indented line for a request at a route outside the spec."""
    text = f"{entry['outside']}: the spec does not show it"
    return f"  {one_line(f'{_request_text(entry)}: {text}')}"


def _request_text(entry: Mapping[str, Any]) -> str:
    request = entry["request"]
    return f"#{entry['seq']} {request['method']} {request['path']}"
