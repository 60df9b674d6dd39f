"""What a planted bug is."""

from __future__ import annotations

from msgspec import Struct

from tests.support import ROOT


class Bug(Struct, frozen=True):
    """A mistake that a change could bring: in a module, a text in place of another.

    `file` is the module's path in the package. `caught_by` is the id of a test that
    fails then, and that passes otherwise.
    """

    name: str
    file: str
    old: str
    new: str
    caught_by: str

    def planted(self) -> str:
        """The module with the bug. Raises LookupError unless it can be planted once."""
        text = (ROOT / "mock_server" / self.file).read_text(encoding="utf-8")
        count = text.count(self.old)
        if count != 1:
            where = f"mock_server/{self.file} holds {self.old!r} {count} times"
            raise LookupError(f"Expected once, got {count} - {where}")
        return text.replace(self.old, self.new)

    @property
    def test(self) -> str:
        """The name of the test that catches it, in which file, without parameters."""
        return self.caught_by.partition("[")[0]
