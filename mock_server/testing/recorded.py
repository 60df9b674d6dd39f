"""Choices that note which of them are read.

A choice that nothing has read during a test cannot have mattered to it: with another
value the same test would take the same course up to the first read, which never comes.
"""

from typing import Any

from mock_server.domain.choices import Choices


class RecordedChoices(Choices):
    """Choices that add the name of each one that is read to a set.

    They are what a sandbox has in force, so resets, snapshots and journal entries carry
    them along. The server reads them in a thread of its own: adding to a set is atomic.
    """

    __slots__ = ("_read",)

    _read: set[str]

    def __new__(cls, **values: Any) -> Choices:  # type: ignore[misc]
        """Plain ones: whoever copies these field by field has read them all."""
        return Choices(**values)

    @classmethod
    def of(cls, choices: Choices, read: set[str]) -> Choices:
        """The same choices; names of what is read are added to `read`."""
        recorded = object.__new__(cls)
        object.__setattr__(recorded, "_read", read)
        for name in Choices.__match_args__:
            object.__setattr__(recorded, name, object.__getattribute__(choices, name))
        return recorded

    def __getattribute__(self, name: str) -> Any:
        if name in Choices.__match_args__:
            object.__getattribute__(self, "_read").add(name)
        return object.__getattribute__(self, name)

    def but(self, **values: Any) -> Choices:
        """The same, but for these values; what is read of them is noted too."""
        changed = RecordedChoices.of(self, object.__getattribute__(self, "_read"))
        for name, value in values.items():
            object.__setattr__(changed, name, value)
        return changed
