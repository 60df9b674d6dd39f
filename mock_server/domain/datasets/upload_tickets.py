"""Tickets for uploading a file before a collection is created from it."""

from msgspec.structs import replace

from mock_server.domain.call import Call
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.uploads import (
    FileForbidden,
    Ticket,
    check_type,
    ending_of,
)

TICKET_MS, UNUSED_FILE_MS = 600_000, 3 * 3_600_000
"""Lifetime (ms) of an unused ticket, and of an uploaded file without a collection."""
KEY_PREFIX = "dataset/"
"""Prefix of the keys of tickets."""
_NAME_CHARS, _ENDING_CHARS, _DIGITS = 100, 20, 6


def give_ticket(call: Call, dataset: Dataset, name: str) -> Ticket:
    """Return a new ticket for a file of this name. Raises LimitReached, NotReady."""
    check_room(call)
    store, now = call.store, call.now
    ending = ending_of(name)
    stem = name[: len(name) - len(ending)].replace("/", "_")[:_NAME_CHARS]
    path = f"{KEY_PREFIX}{dataset.id[:_NAME_CHARS]}/{stem}_{store.new_id()[-_DIGITS:]}"
    key = path + ending[:_ENDING_CHARS].replace("/", "_")
    ticket = Ticket(key, name, dataset.id, now + TICKET_MS)
    store.tickets.put(key, ticket)
    return ticket


def check_room(call: Call, place: str = "body") -> None:
    """Raise LimitReached if no further file can be uploaded; remove expired tickets."""
    store, now = call.store, call.now
    for old in [each for each in store.tickets.values() if each.ends_at <= now]:
        store.tickets.remove(old.key)
    count, limit = len(store.files) + len(store.tickets), call.state.limits.uploads
    call.check_room(count, limit, "uploaded files", place, "delete some first")


def ticket_of(call: Call, key: str) -> Ticket | None:
    """Return the ticket with this key; None if it is unknown or has expired."""
    ticket = call.store.tickets.get(key)
    return None if ticket is None or ticket.ends_at <= call.now else ticket


def upload(call: Call, key: str, size: int, content: bytes) -> None:
    """Store the file for the ticket with this key; it replaces an earlier upload.

    `size` is in bytes; `content` is the part to store. Raises FileForbidden,
    WrongFileType and LimitReached.
    """
    ticket = ticket_of(call, key)
    if ticket is None:
        expected = "the address of a ticket that is in force"
        raise FileForbidden(expected, "that of none", "path")
    check_type(ticket.name, "path")
    ends_at = call.now + UNUSED_FILE_MS
    file = replace(ticket, ends_at=ends_at, size=size, content=content)
    call.store.tickets.put(key, file)
