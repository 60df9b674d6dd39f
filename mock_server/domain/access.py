"""Who calls, and what the caller may do: keys, levels, permissions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import IntEnum

from msgspec import Struct

KEY_PATTERN = "[!-+\\--~]+"
"""What a key is, as a regular expression: visible ASCII but the comma."""

MIN_REDACTABLE_LENGTH = 8
"""Shorter keys are not redacted in texts: that would garble ordinary words."""

NAME_PATTERN = "[A-Za-z0-9._-]{1,64}"
"""What sandboxes and snapshots can be called, as a regular expression."""


class Level(IntEnum):
    """A permission level; its number is the bitmask that `permission.value` shows.

    The spec leaves the bits open (2.2); these are the deployed service's.
    """

    NONE = 0
    READ = 4
    WRITE = 6
    MANAGE = 7
    OWNER = 4294967295

    __hash__ = int.__hash__  # enums hash by name, in Python

    def includes(self, other: Level) -> bool:
        """Whether all bits of `other` are in this level."""
        return self & other == other


Permissions = Mapping[str, Level]
"""What single keys may do with one app or dataset and with everything below it."""


class Caller(Struct, frozen=True):
    """The holder of an API key: a key that a fixture declares, or any other."""

    key: str
    member: str | None = None
    level: Level = Level.OWNER

    def level_on(self, permissions: Permissions) -> Level:
        """The caller's level where `permissions` hold, else the key's own level."""
        return permissions.get(self.key, self.level)


NOBODY = Caller("", None, Level.NONE)
"""Who has not been admitted."""

ISSUED_KEY_PREFIX = "fastgpt-sbx-"
"""What every key begins with that a sandbox issues, and no other."""


class KeyRing:
    """The keys that a sandbox issues: its own owner's, and one per declared key.

    They follow from a secret, so that none has to be kept: `fastgpt-sbx-`, 12 hex
    digits that name the sandbox, 20 that name the key.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.prefix = ISSUED_KEY_PREFIX + self._digits("sandbox")[:12]
        self.owner = self.prefix + self._digits("owner")

    def issued(self, declared: str) -> str:
        """The key to send in place of a declared one."""
        return self.prefix + self._digits(f"declared {declared}")

    def _digits(self, purpose: str) -> str:
        return hashlib.sha256(f"{self._secret} {purpose}".encode()).hexdigest()[:20]


def prefix_of(key: str) -> str:
    """The part of an issued key that names its sandbox."""
    return key[: len(ISSUED_KEY_PREFIX) + 12]
