"""Tickets: files that are uploaded before a collection is made from them."""

from msgspec.structs import replace

from mock_server.domain.call import Call
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.uploads import (
    FileForbidden,
    Ticket,
    check_type,
    ending_of,
)

TICKET_MS, UNUSED_MS = 600_000, 3 * 3_600_000
"""Lifetime of a ticket, and of an uploaded file that is not used."""
KEY = "dataset/"
"""Prefix of the keys of tickets."""
_PART_CHARS, _ENDING_CHARS, _DIGITS = 100, 20, 6


def give_ticket(call: Call, dataset: Dataset, name: str) -> Ticket:
    """Return a ticket for a file of that name. Raises LimitReached, NotReady.

    Expired tickets are removed first.
    """
    store, now = call.store, call.now
    for old in [each for each in store.tickets.values() if each.ends <= now]:
        store.tickets.remove(old.key)
    count, most = len(store.files) + len(store.tickets), call.state.limits.uploads
    call.check_room(count, most, "uploaded files", hint="delete some first")
    ending = ending_of(name)
    stem = name[: len(name) - len(ending)].replace("/", "_")[:_PART_CHARS]
    made = f"{KEY}{dataset.id[:_PART_CHARS]}/{stem}_{store.new_id()[-_DIGITS:]}"
    key = made + ending[:_ENDING_CHARS].replace("/", "_")
    ticket = Ticket(key, name, dataset.id, now + TICKET_MS)
    store.tickets.put(key, ticket)
    return ticket


def ticket_of(call: Call, key: str) -> Ticket | None:
    """Return the ticket with a key, or its uploaded file; None if it has expired."""
    ticket = call.store.tickets.get(key)
    return None if ticket is None or ticket.ends <= call.now else ticket


def upload(call: Call, key: str, size: int, content: bytes) -> None:
    """Store the file of a ticket, replacing an earlier upload.

    Raises FileForbidden, WrongFileType and LimitReached.
    """
    ticket = ticket_of(call, key)
    if ticket is None:
        expected = "the address of a ticket that is in force"
        raise FileForbidden(expected, "that of none", "path")
    check_type(ticket.name, "path")
    ends = call.now + UNUSED_MS
    file = replace(ticket, ends=ends, size=size, content=content)
    call.store.tickets.put(key, file)
