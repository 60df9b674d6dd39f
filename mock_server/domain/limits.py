"""Every limit on data: one name, one default, one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The bounds that keep the server small, fast and predictable."""

    page_size: int = 30
    """Items of a page at most (spec 8)."""
    id_chars: int = 256
    """Characters of an id at most."""
    search_chars: int = 1024
    """Characters of a searchText at most."""
    title_chars: int = 1024
    """Characters of a chat's title at most."""
    tags: int = 100
    """Tags of a filter at most."""
    integer: int = 2**53 - 1
    """The largest integer that every JSON reader keeps exact."""
    created_chats: int = 10_000
    """Chats that pins may add to one sandbox (choice chat_unknown=create)."""
    body_bytes: int = 1024 * 1024
    """Bytes of a request body at most."""
    body_pieces: int = 2_000
    """Chunks of a request body at most; many tiny ones cost more than large ones."""
    json_depth: int = 64
    """Nested arrays and objects of a document at most."""
    cached_items: int = 65_536
    """Collections of which the JSON text is kept ready."""
    headers: int = 100
    """Header fields of a request at most."""
    header_bytes: int = 64 * 1024
    """Bytes of a request's header fields at most."""
    receipt_seconds: float = 10.0
    """From the first to the last byte of a request at most."""
    discard_seconds: float = 1.0
    """How long an unread request body is read and discarded after an early answer."""
    fixture_bytes: int = 32 * 1024 * 1024
    """Bytes of one fixture file at most."""
    fixture_collections: int = 2_000_000
    """Collections of all fixture files together, `repeat` expanded."""
    folder_depth: int = 100
    """Folders above a collection at most."""
    fixture_alias_nodes: int = 10_000
    """YAML nodes that aliases may add to one file."""
    fixture_problems: int = 1_000
    """Problems that one report lists."""


LIMITS = Limits()
