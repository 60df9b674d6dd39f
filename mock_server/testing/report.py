"""What the report of a failed test tells: its requests, and what was to go wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from mock_server.client import Refused
from mock_server.domain.printable import json_text, one_line
from mock_server.http_call import Unreachable
from mock_server.testing.handle import MockServerFixture, violation_lines

_SHOWN_ENTRIES = 20
_SHOWN_CHARS = 300


def sections(handle: MockServerFixture) -> Iterator[tuple[str, str]]:
    """Titles and texts; nothing where there is nothing to tell."""
    try:
        entries, faults = handle.journal, handle.faults
    except (Refused, Unreachable) as error:
        yield "mock_server", f"the journal cannot be read: {error}"
        return
    if entries:
        left_out = len(entries) - _SHOWN_ENTRIES
        lines = [f"({left_out} earlier requests)"] if left_out > 0 else []
        for entry in entries[-_SHOWN_ENTRIES:]:
            lines += _lines(entry)
        yield "mock_server journal", "\n".join(lines)
    if faults:
        yield "mock_server faults that can still fire", "\n".join(map(_text, faults))


def _lines(entry: Mapping[str, Any]) -> Iterator[str]:
    request, answer = entry["request"], entry["answer"]
    fault = entry["fault"]
    spoiled = f" (fault {fault['id']}: {fault['kind']})" if fault else ""
    status = answer["status"] or "no answer"
    yield one_line(
        f"#{entry['seq']} {request['method']} {request['path']} -> {status}"
        f"{spoiled} {entry['durationMs']} ms"
    )
    yield f"    sent {_text(request['body'])}"
    yield f"    got  {_text(answer['body'])}"
    yield from (f"  {line}" for line in violation_lines(entry))


def _text(value: object) -> str:
    text = json_text(msgspec.json.encode(value).decode())
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"
