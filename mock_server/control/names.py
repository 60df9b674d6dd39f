"""Look-ups by name that say what there is when the name is none."""

from collections.abc import Collection
from urllib.parse import quote

from mock_server.domain.errors import did_you_mean

__tracebackhide__ = True

_LISTED = 12


class UnknownName(KeyError):
    """A name that there is not; the text says which there are."""

    def __init__(
        self,
        expected: str,
        got: object,
        known: Collection[str],
        none: str = "there is none",
    ) -> None:
        """`expected` says what was asked for, such as "the name of a choice".

        `none` is what to say if there is no known name.
        """
        message = f"Expected {expected}, got {got!r}"
        hint = did_you_mean(got, known) if isinstance(got, str) else ""
        listed = _listed(known) if known else none
        super().__init__(message + (hint or f" ({listed})"))

    def __str__(self) -> str:
        # KeyError alone would show it in quotes.
        return str(self.args[0])


def quoted(name: object) -> str:
    """A name as part of a path. Raises TypeError for what is no string."""
    if not isinstance(name, str):
        raise TypeError(f"Expected a string, got {name!r}")
    # `quote` leaves slashes as they are, and they would part the path.
    return quote(name, safe="")


def _listed(known: Collection[str]) -> str:
    """`there are 'a', 'b' and 7 more`."""
    shown = [repr(each) for each in list(known)[:_LISTED]]
    if len(known) > _LISTED:
        shown.append(f"{len(known) - _LISTED} more")
    verb = "is" if len(known) == 1 else "are"
    *others, last = shown
    return f"there {verb} " + (f"{', '.join(others)} and {last}" if others else last)


class Keys(dict[str, str]):
    """The key to send for each key that the fixture declares."""

    def __missing__(self, key: object) -> str:
        expected = "a key that the fixture declares"
        none = "the fixture declares no keys; send `.key`, or any text"
        raise UnknownName(expected, key, self, none)
