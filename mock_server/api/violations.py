"""Finds every violation of the spec in a request, and the effect of each.

This is slow, so it usually happens when the journal is read.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from mock_server.api import errors
from mock_server.api.headers import missing_authorization, values
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.routing import Operations, is_served
from mock_server.api.operations.shares import (
    TAKES_KEYS,
    credentials_in,
    without_credentials,
)
from mock_server.domain.choices.reading import tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.journal import (
    HONOURED,
    IGNORED,
    REFUSED,
    STORED,
    UNKNOWN_ROUTE,
    Entry,
    Note,
    Violation,
)
from mock_server.domain.versions import facts_of

_DOCUMENTED = Choices()


def violations_of(entry: Entry, operations: Operations) -> Iterator[Violation]:
    """Yield every violation of the spec by a request, tolerated or not."""
    return (_with_final_effect(each, entry) for each in _violations(entry, operations))


def _violations(entry: Entry, operations: Operations) -> Iterator[Violation]:
    """Yield the violations, each with the effect that it would have alone."""
    request, choices = entry.request, entry.choices
    path = request.path
    if entry.operation is not None and entry.operation not in operations:
        return  # a static response: the spec has no rule for it
    operation = operations.with_path(path)
    if operation is None or not is_served(operation, path, choices):
        refusal = operations.unknown_route(path, request.method, choices)
        name, section = UNKNOWN_ROUTE, "4"
        if operation is not None:
            is_off = operation.related and choices.related_routes != "on"
            name = "related_routes" if is_off else "legacy_paths"
            if choices.version not in operation.versions:
                name = "version"
            section = operation.contract.section
        yield Violation(name, section, "path", refusal.message)
        return
    yield from _method_violation(entry, operation)
    yield from _credentials_violation(entry, operation)
    yield from _content_type_violation(entry, operation)
    if request.body is not None and not request.is_unread:
        facts, content = facts_of(choices.version), request.body
        contract = operation.contract_under(facts)
        if _has_share_link(entry, operation):
            try:
                content = without_credentials(
                    content, facts.shares_are_nested, contract, "app"
                )
            except Refusal as refusal:
                yield Violation(
                    "invalid_field", contract.section, refusal.place, refusal.message
                )
                return
        yield from contract.find_violations(
            content, choices, is_refused=entry.is_refusal
        )


def _has_share_link(entry: Entry, operation: Operation) -> bool:
    """Return whether a share link in a request replaces its key and its app."""
    is_nested = facts_of(entry.choices.version).shares_are_nested
    has_link = operation.access == "visitor" and credentials_in(
        entry.request.body or b"", is_nested
    )
    return bool(has_link)


def _with_final_effect(violation: Violation, entry: Entry) -> Violation:
    """Return a violation with its effect in this request, as a whole.

    The request may be refused for another reason.
    """
    effect = violation.effect
    if effect in (REFUSED, IGNORED):
        return violation
    note = entry.note or Note()
    if entry.is_refusal:
        return replace(violation, effect=REFUSED)
    if effect == STORED and note.hint is not None:
        return replace(violation, effect=IGNORED)  # the chat does not exist
    if violation.name == "page_size_over_limit" and note.lowered_page is not None:
        served_count, total = note.lowered_page
        return replace(violation, effect=f"{effect} ({served_count} of {total} served)")
    return violation


def _method_violation(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """Yield a violation if the method is not that of the operation (spec 4)."""
    method, headers = entry.request.method, entry.request.header_pairs()
    name, section = "method_mismatch", operation.contract.section
    try:
        operation.check_method(method, entry.choices, headers)
        operation.check_method(method, _DOCUMENTED)
    except errors.MethodNotAllowed as refusal:
        message, effect = refusal.message, REFUSED
        if tolerates(entry.choices, name):
            message, effect = refusal.reason, IGNORED
        yield Violation(name, section, "method", message, effect)


def _credentials_violation(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """Yield a violation if a request has no API key (spec 5)."""
    # Related routes accept a login token, too, and some need no credential.
    if entry.key is not None or (operation.related and not entry.is_refusal):
        return
    if operation.access not in TAKES_KEYS or _has_share_link(entry, operation):
        return
    keys = values(entry.request.header_pairs(), b"authorization")
    refusal = missing_authorization(keys)
    # The entry's hint names choices that would help: they depend on the login token,
    # which is not stored.
    message, takes_logins = refusal.message, tolerates(entry.choices, "credentials")
    accepts_login = entry.has_login and not keys and (takes_logins or operation.related)
    hint = entry.hint_text
    if hint is not None and hint.startswith(message.partition(", got ")[0]):
        message = hint
    elif accepts_login and entry.is_refusal:
        return  # the request was refused for another reason
    section = operation.contract.section if operation.related else "5"
    is_login = not entry.is_refusal and takes_logins
    effect = HONOURED if is_login else REFUSED
    yield Violation("missing_authorization", section, refusal.place, message, effect)


def _content_type_violation(entry: Entry, operation: Operation) -> Iterator[Violation]:
    """Yield a violation if the body is not declared as JSON (spec 5)."""
    section = operation.contract.section if operation.related else "5"
    method, headers = entry.request.method, entry.request.header_pairs()
    needs_json_type = entry.choices.query_delete != _DOCUMENTED.query_delete
    is_delete = bool(operation.related) and method == "DELETE" and needs_json_type
    name = "query_delete" if is_delete else "content_type_missing"
    try:
        operation.check_content_type(method, headers, entry.choices)
    except errors.UnsupportedMediaType as refusal:
        yield Violation(name, section, refusal.place, refusal.message, REFUSED)
        return
    try:
        operation.check_content_type(method, headers, _DOCUMENTED)
    except errors.UnsupportedMediaType as refusal:
        yield Violation(name, section, refusal.place, refusal.reason, IGNORED)
