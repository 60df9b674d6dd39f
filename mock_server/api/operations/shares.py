"""Share links: credentials in the body of a request, instead of a header.

A request with the ids of a share link and of a visitor needs no API key. It reaches
the app of the link, and the chats of the visitor in that app.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from mock_server.api.headers import missing_authorization
from mock_server.api.operations.contract import DECODE_ERRORS, Contract
from mock_server.api.request import read_raw
from mock_server.domain.access import ISSUED_KEY_PREFIX, Visitor
from mock_server.domain.call import Call, ChatForbidden, ShareNotFound
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import Published
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import VERSIONS, facts_of

NESTED, FLAT = "outLinkAuthData", ("shareId", "outLinkUid")
"""The field with link and visitor since FastGPT 4.15, and the two fields before."""
CREDENTIAL_FIELDS = (NESTED, *FLAT)
VISITED, TAKES_KEYS = frozenset({"visitor", "link"}), frozenset({"caller", "visitor"})
"""`Access` of the operations that take share links, and of those that take API keys."""
SHARE = (ShareNotFound, ChatForbidden)
"""Refusals of share links."""


class ShareCredentials(Struct, rename="camel", frozen=True):
    """The ids of a share link and of its visitor, as a request has them."""

    share_id: str
    out_link_uid: str


class _NestedFields(Struct):
    """The fields of a request with link and visitor in one field."""

    out_link_auth_data: Raw = msgspec.field(name=NESTED, default=Raw(b"null"))


_read_flat = msgspec.json.Decoder(ShareCredentials).decode
_read_nested = msgspec.json.Decoder(_NestedFields).decode
_read_text = msgspec.json.Decoder(str).decode


def may_have_credentials(content: bytes) -> bool:
    """Return whether a body may name a share link and a visitor."""
    return b"shareId" in content and b"outLinkUid" in content


def credentials_in(content: bytes, is_nested: bool) -> ShareCredentials | None:
    """Return the ids of link and visitor in a body, None unless it has both.

    With `is_nested`, both are inside one field.
    """
    if not may_have_credentials(content):
        return None
    try:
        if is_nested:
            content = bytes(_read_nested(content).out_link_auth_data)
            if content.startswith(b'"'):  # a query has it as JSON in a string
                content = _read_text(content).encode()
        ids = _read_flat(content)
    except DECODE_ERRORS:
        return None
    return ids if ids.share_id and ids.out_link_uid else None


def issued_link_in(content: bytes) -> str:
    """Return the id of a link that a sandbox has issued, nested or flat, or ""."""
    if ISSUED_KEY_PREFIX.encode() in content:
        for each in (credentials_in(content, is_nested) for is_nested in (True, False)):
            if each is not None and each.share_id.startswith(ISSUED_KEY_PREFIX):
                return each.share_id
    return ""


def other_form_refusal(
    content: bytes, state: State, is_nested: bool, is_bound: bool
) -> Refusal | None:
    """Return the refusal of a known link in the form of other versions, else None."""
    ids = credentials_in(content, not is_nested)
    if ids is None or state.share(ids.share_id, is_bound) is None:
        return None
    names = (it for it in VERSIONS if facts_of(it).shares_are_nested is not is_nested)
    return missing_authorization((), f"version={next(names)}")


def without_credentials(
    content: bytes, is_nested: bool, contract: Contract[Any], app_id: str
) -> bytes:
    """Return the body of a visitor's request with `appId` instead of its credentials.

    Credentials of both forms are dropped. Raises BadJson, and InvalidField for an
    `appId` beside a nested link; beside a flat link it is allowed.
    """
    fields = {k: v for k, v in read_raw(content).items() if k not in CREDENTIAL_FIELDS}
    if is_nested and "appId" in fields and contract.known_fields.is_closed:
        raise InvalidField(f"{NESTED} or appId", "both", "$.appId")
    if "appId" in contract.names and (is_nested or not contract.requires("appId")):
        fields["appId"] = app_id
    return msgspec.json.encode(fields)


def read_visitor_request(
    visitor: Visitor, call: Call, content: bytes, contract: Contract[Any]
) -> Any:
    """Read the request of a visitor, and check that it reaches only own chats.

    Raises the errors of `Contract.read` and of SHARE; MissingAuthorization if the
    version in force finds no link in the body.
    """
    share, state, is_nested = visitor.share, call.state, call.facts.shares_are_nested
    credentials = credentials_in(content, is_nested)
    if credentials is None:
        raise missing_authorization(())
    if len(credentials.out_link_uid) > Published.id_chars:
        place = f"$.{NESTED}.outLinkUid" if is_nested else "$.outLinkUid"
        expected = f"a string of 1 to {Published.id_chars} characters"
        raise InvalidField.of(credentials.out_link_uid, expected, place)
    rest = without_credentials(
        content, is_nested, contract, share.app_id if share else "none"
    )
    request = contract.read(rest, state.choices, state.ignored)
    app = call.app(call.visited_share().app_id)
    if getattr(request, "app_id", app.id) != app.id:
        expected = "the id of the app of the share link"
        raise ChatForbidden.of(request.app_id, expected, "$.appId")
    call.visible_chat(app, getattr(request, "chat_id", None) or "")
    return request
