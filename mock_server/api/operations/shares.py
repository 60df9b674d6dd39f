"""Share links: credentials in the fields of a request, not in its headers.

A request with a link and a visitor needs no key. It reaches the link's app, and the
visitor's chats in that app.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from mock_server.api.headers import missing_authorization
from mock_server.api.operations.contract import NOT_ON_CONTRACT, Contract
from mock_server.api.request import read_raw
from mock_server.domain.access import ISSUED_KEY_PREFIX, Visitor
from mock_server.domain.call import Call, ChatForbidden, ShareNotFound
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.versions import VERSIONS, facts_of

NESTED, FLAT = "outLinkAuthData", ("shareId", "outLinkUid")
"""The field with link and visitor since 4.15, and the two fields before."""
NAMES = (NESTED, *FLAT)
VISITED, TAKES_KEYS = frozenset({"visitor", "link"}), frozenset({"caller", "visitor"})
"""`Access` of the operations that take share links, and of those that take API keys."""
SHARE = (ShareNotFound, ChatForbidden)
"""Refusals of share links."""


class Named(Struct, rename="camel", frozen=True):
    """A share link by its id, and its visitor, as in a request."""

    share_id: str
    out_link_uid: str


class _Nested(Struct):
    """The fields of a request with link and visitor in one field."""

    out_link_auth_data: Raw = msgspec.field(name=NESTED, default=Raw(b"null"))


_read_flat = msgspec.json.Decoder(Named).decode
_read_nested = msgspec.json.Decoder(_Nested).decode
_read_text = msgspec.json.Decoder(str).decode


def may_name(content: bytes) -> bool:
    """Return whether a request may name a link and a visitor."""
    return b"shareId" in content and b"outLinkUid" in content


def named_in(content: bytes, is_nested: bool) -> Named | None:
    """Return the link and the visitor of a request, None unless it names both."""
    if not may_name(content):
        return None
    try:
        if is_nested:
            content = bytes(_read_nested(content).out_link_auth_data)
            if content.startswith(b'"'):  # in a query it is JSON in a string
                content = _read_text(content).encode()
        named = _read_flat(content)
    except NOT_ON_CONTRACT:
        return None
    return named if named.share_id and named.out_link_uid else None


def issued_in(content: bytes) -> str:
    """Return the id of a link that a sandbox has issued, in either form, or ""."""
    if ISSUED_KEY_PREFIX.encode() in content:
        for each in (named_in(content, is_nested) for is_nested in (True, False)):
            if each is not None and each.share_id.startswith(ISSUED_KEY_PREFIX):
                return each.share_id
    return ""


def in_other_form(content: bytes, is_nested: bool) -> Refusal | None:
    """Return the refusal of a link in another version's form, else None."""
    if named_in(content, not is_nested) is None:
        return None
    others = (it for it in VERSIONS if facts_of(it).shares_are_nested is not is_nested)
    return missing_authorization((), f"version={next(others)}")


def plain(
    content: bytes, is_nested: bool, contract: Contract[Any], app_id: str
) -> bytes:
    """Return the fields of a visitor's request with an app in place of its credentials.

    Fields of the other form are dropped. Raises BadJson, and InvalidField for an
    `appId` beside a nested link; beside a flat link it is allowed.
    """
    fields = {k: v for k, v in read_raw(content).items() if k not in NAMES}
    if is_nested and "appId" in fields and contract.known.is_closed:
        raise InvalidField(f"{NESTED} or appId", "both", "$.appId")
    if "appId" in contract.names and (is_nested or not contract.needs("appId")):
        fields["appId"] = app_id
    return msgspec.json.encode(fields)


def request_of(
    visitor: Visitor, call: Call, content: bytes, contract: Contract[Any]
) -> Any:
    """Return the request of a visitor, to whom other visitors' chats are forbidden.

    Raises as `Contract.read`, then SHARE; MissingAuthorization if the version that is
    tried finds no link in the request.
    """
    share, state, is_nested = visitor.share, call.state, call.facts.shares_are_nested
    if named_in(content, is_nested) is None:
        raise missing_authorization(())
    given = plain(content, is_nested, contract, share.app_id if share else "none")
    request = contract.read(given, state.choices, state.ignored)
    app = call.app(call.visited().app_id)
    if getattr(request, "app_id", app.id) != app.id:
        expected = "the id of the app of the share link"
        raise ChatForbidden.of(request.app_id, expected, "$.appId")
    call.own_chat(app, getattr(request, "chat_id", None) or "")
    return request
