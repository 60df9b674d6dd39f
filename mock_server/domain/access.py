"""Who calls, and what the caller may do: keys, levels, permissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

KEY_PATTERN = "[!-+\\--~]+"
"""What a key is, as a regular expression: visible ASCII but the comma."""


class Level(IntEnum):
    """A permission level; its number is the bitmask that `permission.value` shows.

    The spec leaves the bits open (2.2); these are the deployed service's.
    """

    NONE = 0
    READ = 4
    WRITE = 6
    MANAGE = 7
    OWNER = 4294967295

    def includes(self, other: Level) -> bool:
        """Whether all bits of `other` are in this level."""
        return self & other == other


Permissions = Mapping[str, Level]
"""What single keys may do with one app or dataset and with everything below it."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The holder of an API key: a key that a fixture declares, or any other."""

    key: str
    member: str | None = None
    level: Level = Level.OWNER

    def level_on(self, permissions: Permissions) -> Level:
        """The caller's level where `permissions` hold, else the key's own level."""
        return permissions.get(self.key, self.level)
