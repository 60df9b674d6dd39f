"""Converts journal entries to views for the admin API and its streams."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import astuple

from mock_server.admin import views
from mock_server.api.errors import BadJson
from mock_server.api.headers import Header
from mock_server.api.journaling import violations
from mock_server.api.request import check_counts
from mock_server.domain.clock import format_time
from mock_server.domain.journal import Entry
from mock_server.domain.sandboxes.registry import Sandboxes


def entry_view(entry: Entry, sandboxes: Sandboxes) -> views.EntryView:
    """Return the view of an entry, with any bytes in it as valid JSON."""
    hints = sandboxes.key_hint(entry.key), _header_hint(entry), entry.hint_text
    request, firing, fault = entry.request, entry.firing, None
    answering, answered_by = entry.answer_firing, None
    if firing is not None:
        fault = views.FiringView(*astuple(firing))
    if answering is not None:
        answered_by = views.AnsweringView(answering.id, answering.kind)
    return views.EntryView(
        seq=entry.seq,
        time=format_time(entry.time),
        generation=entry.generation,
        operation=entry.operation,
        key=entry.key,
        member=entry.member,
        request=views.RequestView(
            method=request.method,
            path=request.path,
            query=_text(request.query),
            headers=_headers(request.header_pairs()),
            body=_json(request.body, request.is_cut),
            truncated=request.is_cut,
        ),
        answer=views.AnswerView(
            status=entry.status,
            headers=_headers(entry.response_headers),
            body=_json(entry.response_body, entry.response_is_cut),
            truncated=entry.response_is_cut,
        ),
        fault=fault,
        duration_ms=round(entry.duration_ms, 3),
        violations=[views.ViolationView(*astuple(each)) for each in violations(entry)],
        hint="; ".join(filter(None, hints)) or None,
        outside=entry.outside,
        facts=(entry.note and entry.note.facts) or UNSET,
        answered_by=answered_by,
    )


def _header_hint(entry: Entry) -> str:
    """Return a hint at a header of the request that has no effect, else ""."""
    own_name = dict(entry.response_headers).get(b"x-mock-sandbox")
    for name, value in entry.request.header_pairs():
        if name in (b"x-sandbox", b"x-mock-sandbox") and value != own_name:
            ways_to_select = "its API key does, or /__sandboxes/NAME in the address"
            return f"the header {_text(name)} selects no sandbox: {ways_to_select}"
        if name in (b"appid", b"chatid"):
            return f"the header {_text(name)} has no effect: send it in the body"
    return ""


def body_of(entry: Entry) -> object:
    """Return the request's JSON body, its text if it is not JSON, or None if empty."""
    body = entry.request.body
    return None if body is None else msgspec.json.decode(_json(body, False))


def _json(content: bytes | None, is_cut: bool) -> Raw:
    """Return a body unchanged if it is JSON, else as a JSON string."""
    if not content:
        return Raw(b"null")
    if not is_cut:
        try:
            check_counts(content)
            msgspec.json.decode(content)
        except (BadJson, msgspec.DecodeError, UnicodeDecodeError):
            pass
        else:
            return Raw(content)
    return Raw(msgspec.json.encode(content.decode("utf-8", "replace")))


def _headers(pairs: Iterable[Header]) -> dict[str, str]:
    """Return headers as an object; values of one name are joined (RFC 9110 5.3)."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        earlier_value = joined.get(_text(name))
        joined[_text(name)] = (
            f"{earlier_value}, {_text(value)}" if earlier_value else _text(value)
        )
    return joined


def _text(content: bytes) -> str:
    # Header fields may have any byte (RFC 9110 5.5); each becomes one character.
    return content.decode("latin-1")
