"""What a test's server has seen, as text for failures and reports."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from mock_server.client import NotRunning, Refused
from mock_server.control.faults import unfired
from mock_server.domain.printable import json_text, one_line
from mock_server.http_call import Unreachable

if TYPE_CHECKING:
    from mock_server.control.handle import MockServerFixture

__tracebackhide__ = True

_REPORTED_ENTRIES = 20
_REPORTED_CHARS = 300


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


def unmet(asked: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """The message of a failed verification, with the nearest entries."""
    if "inOrder" in asked:
        steps = list(map(_wanted, asked["inOrder"]))
        met, missing = steps[: answer["count"]], steps[answer["count"] :]
        after = f" after {' -> '.join(met)}" if met else ""
        lines = [f"Expected {' -> '.join(steps)}, got no {missing[0]}{after}"]
    else:
        lines = [f"{answer['message']} calls of {_wanted(asked)}"]
    for near in answer.get("nearest", ()):
        lines.append(f"  nearest: #{near['seq']}")
        lines += [
            f"    {each['path']}: expected {each['expected']!r}, got {each['got']!r}"
            for each in near["differences"]
        ]
    return "\n".join(lines)


def _wanted(asked: Mapping[str, Any]) -> str:
    names = ("body", "key", "status")
    wanted = [f"{name} {asked[name]!r}" for name in names if name in asked]
    return f"{asked['operation']}" + (f" with {' and '.join(wanted)}" if wanted else "")


def report_sections(
    server: MockServerFixture, name: str, since: int = 0
) -> Iterator[tuple[str, str]]:
    """Titles and texts for the report of a failed test: its journal, its faults.

    `name` is that of the fixture which gave the server, `since` the number of the first
    entry that counts.
    """
    try:
        # Errors of hooks end the whole run of pytest, and what failed may well be the
        # server.
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
        yield f"{name} journal", "\n".join(lines)
    if faults:
        text = "\n".join(map(_short_json, faults))
        yield f"{name} faults that can still fire", text
    if never := faults.unfired():
        text = "\n".join(map(unfired, never))
        yield f"{name} faults that never fired", text


def entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
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
    if entry["hint"]:
        yield f"    hint {one_line(entry['hint'])}"


def _short_json(value: object) -> str:
    text = json_text(msgspec.json.encode(value).decode())
    return text if len(text) <= _REPORTED_CHARS else text[:_REPORTED_CHARS] + "…"
