"""Hints in the journal: why a request was refused."""

from collections.abc import Collection
from itertools import islice

from mock_server import errors
from mock_server.errors import Refusal
from mock_server.service.call import Call
from mock_server.service.operation import Operation
from mock_server.text.wording import count_in_words

MAX_IDS = 5
"""The most ids that a hint names."""


def refusal_hint(refusal: Refusal, call: Call, operation: Operation | None) -> str | None:
    """A sentence on why a request was refused; None if the message says enough."""
    store = call.store
    sandbox_name = call.sandbox.name
    in_query = misplaced_fields(refusal, call, operation)
    match refusal:
        case errors.InvalidField() | errors.BadJson() | errors.UnsupportedMediaType() if in_query:
            return f"The client sends {', '.join(in_query)} in the query, in place of the body."
        case errors.MissingAuthorization() | errors.UnknownKey():
            return key_hint(refusal, call, operation)
        case errors.AppForbidden() | errors.DatasetForbidden() | errors.TeamForbidden():
            return f"The key has permission {call.caller.level.name.lower()!r}{refusal.suggestion}."
        case errors.AppMissing():
            return "Send an appId, or the key as `KEY-APPID`, or declare `keys: [{key, app}]`."
        case errors.RouteNotFound():
            return f"The server does not serve this route{refusal.suggestion}."
        case errors.AppNotFound():
            return f"Sandbox {sandbox_name!r} has {first_ids(store.apps, 'app')}."
        case errors.DatasetNotFound():
            return f"Sandbox {sandbox_name!r} has {first_ids(store.datasets, 'dataset')}."
        case errors.ChatNotFound():
            number = sum(len(it.chats) for it in store.apps.values())
            chats = count_in_words(number, "chat")
            return f"Sandbox {sandbox_name!r} has {chats}, but not this one in this app."
        case errors.ParentNotFound():
            return "No folder there has this id, or it is inside of what is to be moved."
        case errors.UnsupportedMediaType():
            return "The client sends its body without `Content-Type: application/json`."
        case errors.WrongPassword():
            return "The users and passwords are those of the fixture's `users`."
    if refusal.plain.status == 404:
        return f"Nothing in sandbox {sandbox_name!r} has this id."
    return None


def misplaced_fields(refusal: Refusal, call: Call, operation: Operation | None) -> list[str]:
    """The fields in the query of a request whose body is missing, or lacks the refused field."""
    if operation is None or operation.field_place != "body":
        return []
    in_query = [it for it in call.request.query if it not in call.request.fields]
    is_missed = not call.request.body or refusal.where.removeprefix("$.") in in_query
    is_known = not {*in_query}.isdisjoint(operation.request_type.__struct_encode_fields__)
    if not (is_missed and is_known):
        return []
    return in_query


def key_hint(refusal: Refusal, call: Call, operation: Operation | None) -> str:
    """Why a request lacks the key or the login that it needs, or why its key is unknown."""
    # A key that is known may lack the login that its request needs.
    takes_login_alone = call.caller.key or (operation and operation.access == "login")
    keys = count_in_words(len(call.store.keys), "key")
    match refusal:
        case errors.MissingAuthorization() if call.caller.is_bound:
            return "With key_app=bound, a key with an `app` reaches the chats of this app alone."
        case errors.MissingAuthorization() if takes_login_alone:
            return "This takes the token of a login, and no API key."
        case errors.MissingAuthorization() if call.request.headers.get("authorization"):
            return "The header is `Authorization: Bearer KEY`, with one space before the key."
        case errors.MissingAuthorization():
            return "The client sends no API key as `Authorization: Bearer KEY`."
        case _ if call.sandbox_is_gone:
            return "The sandbox of this key was deleted, or ended as it was not used."
        case _ if not call.store.keys:
            return "The fixture declares no keys, and choice unknown_key refuses all others."
    return f"The fixture declares {keys}, and the client sends another one."


def first_ids(ids: Collection[str], noun: str) -> str:
    """The number of the objects, and the first of their ids: `2 apps: a, b`."""
    count = count_in_words(len(ids), noun)
    if not ids:
        return count
    return f"{count}: {', '.join(islice(ids, MAX_IDS))}"
