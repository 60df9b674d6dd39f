"""A sentence for whoever reads the journal: why a request was refused."""

from collections.abc import Collection as Sized
from itertools import islice

from mock_server import errors
from mock_server.errors import Refusal
from mock_server.sandbox import Sandboxes
from mock_server.service.call import Call

MAX_IDS = 5
"""How many ids a hint names at most."""


def hint_of(refusal: Refusal, call: Call) -> str | None:
    """Why a request was refused with 401, 403, 404 or 415; None for other refusals."""
    store = call.store
    sandbox = call.sandbox.name
    header = call.request.headers.get("authorization", "")
    match refusal:
        case errors.MissingAuthorization() if call.request.key:
            return "This route takes the token of a login, and no API key."
        case errors.MissingAuthorization() if header:
            return f"The header is `Authorization: Bearer KEY`, and not {mistake_in(header)}."
        case errors.MissingAuthorization():
            return "The client sends no API key as `Authorization: Bearer KEY`."
        case errors.UnknownKey() if (call.request.key or "").startswith(Sandboxes.PREFIX):
            if call.sandbox.ttl is not None:
                return "After the key of a sandbox comes `-` and an id of 24 hexadecimal digits."
            return "The sandbox of this key was deleted, or ended as it was not used."
        case errors.UnknownKey():
            return f"The fixture declares {len(store.keys)} keys, and the client sends another one."
        case errors.AppForbidden() | errors.DatasetForbidden() | errors.TeamForbidden():
            level = call.caller.level.name.lower()
            return f"The key has permission {level!r}, unless `permissions` say otherwise there."
        case errors.RouteNotFound():
            return "The server has no such route; `respond` can answer it."
        case errors.AppNotFound():
            return f"Sandbox {sandbox!r} has {counted(store.apps, 'app')}."
        case errors.DatasetNotFound():
            return f"Sandbox {sandbox!r} has {counted(store.datasets, 'dataset')}."
        case errors.ChatNotFound():
            chats = sum(len(it.chats) for it in store.apps.values())
            return f"Sandbox {sandbox!r} has {chats} chats, but not this one in this app."
        case errors.ParentNotFound() | errors.CollectionNotFound():
            return "No collection of the dataset has this id; a folder of another one is unknown."
        case errors.UnsupportedMediaType():
            return "The client sends its body without `Content-Type: application/json`."
        case errors.WrongPassword():
            return "The users and passwords are those of the fixture's `users`."
    if refusal.plain.status == 404:
        return f"Nothing in sandbox {sandbox!r} has this id."
    return None


def mistake_in(header: str) -> str:
    """What is wrong with an Authorization that names no API key."""
    scheme, _, key = header.partition(" ")
    if scheme.lower() != "bearer":
        return "the key alone, or another word before it"
    if not key.strip():
        return "`Bearer` without a key"
    if key[0] == " ":
        return "two spaces after `Bearer`"
    return "a key with other signs in it"


def counted(ids: Sized[str], word: str) -> str:
    """How many objects there are, and the first ids."""
    first = ", ".join(islice(ids, MAX_IDS))
    count = f"{len(ids)} {word}{'s' * (len(ids) != 1)}"
    return f"{count}: {first}" if first else count
