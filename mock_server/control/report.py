"""Report the journal and faults of a test's server as text.

Also check the names of violations that users allow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from mock_server.control.client import NotRunning, Refused
from mock_server.control.faults import is_answer, near_miss, unfired
from mock_server.control.http_call import Unreachable
from mock_server.control.unknown import unserved
from mock_server.domain.choices.table import table
from mock_server.domain.journal import UNKNOWN_ROUTE, Outside
from mock_server.domain.messages import did_you_mean, nearest, quoted
from mock_server.domain.printable import json_text, one_line
from mock_server.domain.versions import VERSIONS
from mock_server.domain.versions import table as facts

if TYPE_CHECKING:
    from mock_server.control.control_object import MockServerFixture

__tracebackhide__ = True

_REPORTED_ENTRIES = 20
_REPORTED_CHARS = 300
_FURTHER_VIOLATIONS = (
    "invalid_field",
    "missing_authorization",
    UNKNOWN_ROUTE,
    *get_args(Outside),
)
"""Names of violations beside those of choices; `related_route` allows all that related
routes have."""


_NO_SOCKET = (
    "no request has come: it opens no socket. Give your client the transport "
    "ASGITransport(app=mock_server_app), or use the fixture mock_server"
)


def report_sections(
    server: MockServerFixture, name: str, since: int = 0, *, is_of_version: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield titles and texts for the report of a failed test: its journal, its faults.

    `name` is the pytest fixture that gave the server, `since` the number of the first
    entry that counts. The journal names facts of versions if the run is of one.
    """
    try:
        # An error in a hook would end the run of pytest, and the server may be gone.
        entries = [each for each in server.journal if each["seq"] >= since]
        faults = server.faults
    except (Refused, Unreachable, NotRunning) as error:
        yield name, f"the journal cannot be read: {error}"
        return
    if entries:
        left_out = len(entries) - _REPORTED_ENTRIES
        lines = [f"({left_out} earlier requests)"] if left_out > 0 else []
        for entry in entries[-_REPORTED_ENTRIES:]:
            lines += entry_lines(entry)
            lines += fact_lines(entry) if is_of_version else ()
        yield f"{name} journal", "\n".join(lines)
    elif name == "mock_server_app":
        yield name, _NO_SOCKET
    if missing := [*_answers_to_add(entries, name)]:
        yield f"{name} routes that nothing serves: to answer them", "\n".join(missing)
    for title, wanted in (("faults", False), ("answers", True)):
        if shown := [each for each in faults if is_answer(each) is wanted]:
            text = "\n".join(map(_short_json, shown))
            yield f"{name} {title} that can still fire", text
    if never := faults.unfired():
        text = "\n".join(
            f"{unfired(it)}{near_miss(server._client, it)}" for it in never
        )
        yield f"{name} faults that never fired", text


def _answers_to_add(entries: Iterable[Mapping[str, Any]], name: str) -> Iterator[str]:
    """Yield the lines of a test that answer the unknown routes."""
    # A test may give any name to a server of the factory.
    control = name if name.isidentifier() else "server"
    control += ".control" if name == "mock_server_app" else ""
    unknown = (
        (each["request"]["method"], each["request"]["path"])
        for each in entries
        if any(found["name"] == UNKNOWN_ROUTE for found in each["violations"])
    )
    for route, mistake in unserved(unknown).items():
        if not mistake:
            yield one_line(f"{control}.respond({quoted(route)}, json={{...}})")


def entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    request, answer = entry["request"], entry["answer"]
    fault = entry["fault"]
    spoiled = f" (fault {fault['id']}: {fault['kind']})" if fault else ""
    status = answer["status"] or "no answer"
    yield one_line(
        f"#{entry['seq']} {request['method']} {request['path']} -> {status}"
        f"{spoiled} {entry['durationMs']} ms"
    )
    yield f"    sent {_sent(request, answer['status'])}"
    messages = "; ".join(each["message"] for each in entry["violations"])
    told = "; ".join(filter(None, (messages, entry["hint"])))
    yield f"    got  {_short_json(_without(answer['body'], told))}"
    yield from (f"  {line}" for line in violation_lines(entry))
    if entry["hint"] and entry["hint"] not in messages:
        yield f"    hint {one_line(entry['hint'])}"


def fact_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of versions that a request touched."""
    for name in entry.get("facts", ()):
        fact = facts().get(name)  # the server may be another version of this one
        differs = f"differs in {' and '.join(VERSIONS)}: fact {one_line(name)}"
        yield f"    {differs}{f': {fact.sentence}' if fact else ''}"


def _without(body: object, said: str) -> object:
    """Return a body without a message that the report shows below it."""
    if isinstance(body, dict) and body.get("message") and str(body["message"]) in said:
        return {**body, "message": "…"}
    return body


def _sent(request: Mapping[str, Any], status: int) -> str:
    is_announced = request["headers"].get("content-length", "0") != "0"
    # A null body gives 400; other refusals may come before the body.
    if request["body"] is None and is_announced and 400 < status < 500:
        return "(refused before the body arrived)"
    return _short_json(request["body"])


def _short_json(value: object) -> str:
    text = json_text(msgspec.json.encode(value).decode())
    return text if len(text) <= _REPORTED_CHARS else text[:_REPORTED_CHARS] + "…"


def allowed_violations(
    words: Collection[str], place: str, expected: str = "names of violations"
) -> list[str]:
    """Return the names of allowed violations.

    Raises TypeError for anything but a list, ValueError for unknown names.
    """
    known = [*table(), *_FURTHER_VIOLATIONS]
    if isinstance(words, str):
        listed = expected.replace("names", "a list of names")
        hint = f" (write [{near!r}])" if (near := nearest(words, known)) else ""
        raise TypeError(f"Expected {listed}, got {words!r} - at {place}{hint}")
    for word in words:
        if word not in known:
            hint = did_you_mean(str(word), known)
            raise ValueError(f"Expected {expected}, got {word!r}{hint} - at {place}")
    return list(words)


def violation_lines(
    entry: Mapping[str, Any], allowed: Collection[str] = ()
) -> Iterator[str]:
    """Yield a line for each violation of a journal entry, printable and indented.

    Violations whose name or section is in `allowed` are left out.
    """
    for each in entry["violations"]:
        name, section = each["name"], each["section"]
        if name in allowed or (section in allowed and section == "related_route"):
            continue
        of = section if section == "related_route" else f"spec {section}"
        where = _where(entry)
        # An older server sends no effect.
        effect = f" - {each['effect']}" if "effect" in each else ""
        why = f"{name} ({of}): {each['message']}{effect}"
        yield f"  {one_line(f'{where}: {why}')}"


def outside_line(entry: Mapping[str, Any]) -> str:
    """Return a line, printable and indented: the spec does not show this route."""
    why = f"{entry['outside']}: the spec does not show it"
    return f"  {one_line(f'{_where(entry)}: {why}')}"


def _where(entry: Mapping[str, Any]) -> str:
    request = entry["request"]
    return f"#{entry['seq']} {request['method']} {request['path']}"
