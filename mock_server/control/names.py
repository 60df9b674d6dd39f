"""Provides keys, shares and choices by name; errors list the known names."""

from collections.abc import Collection, Iterator, Mapping
from urllib.parse import quote

from mock_server.admin.views import ChoicesView
from mock_server.control.client import AdminClient
from mock_server.domain.choices.choosing import FORMER_NAMES
from mock_server.domain.choices.table import Value, table
from mock_server.domain.messages import known_names_hint
from mock_server.domain.wrong_calls import ByName, WrongValue

__tracebackhide__ = True


_NO_KEYS = "the fixture declares no keys; send `.key`, or any text"
"""The hint if the fixture declares no API keys."""


class UnknownName(KeyError):
    """The name is unknown; the text lists the known names."""

    __module__ = "mock_server.exceptions"  # the public name in tracebacks

    def __init__(
        self, expected: str, got: object, known: Collection[str], empty_hint: str = ""
    ) -> None:
        hint = known_names_hint(str(got), known, len(known)) if known else empty_hint
        super().__init__(f"Expected {expected}, got {got!r} ({hint})")

    def __str__(self) -> str:
        # KeyError itself would return the text in quotes.
        return str(self.args[0])


def quoted(name: object) -> str:
    """Return a name as a path segment. Raises TypeError if it is not a string."""
    if not isinstance(name, str):
        raise WrongValue(f"Expected a string, got {name!r}")
    # By default `quote` leaves slashes, which would split the path.
    return quote(name, safe="")


class Keys(ByName, dict[str, str]):
    """The API key to send for each key that the fixture declares."""

    named = "keys"

    def __missing__(self, key: object) -> str:
        raise UnknownName("a key that the fixture declares", key, self, _NO_KEYS)


class Shares(ByName, dict[str, str]):
    """The `shareId` to send for each share link that the fixture declares."""

    named = "shares"

    def __missing__(self, key: object) -> str:
        expected = "the shareId of a share link that the fixture declares"
        raise UnknownName(expected, key, self, "it declares none as `shares:`")


class SandboxChoices(ByName, Mapping[str, Value]):
    """The choices in force; `choices["list_order"] = "name"` sets a choice."""

    named = "choices"

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    def __getitem__(self, name: str) -> Value:
        choices, name = self._all(), FORMER_NAMES.get(name, name)
        if name not in choices:
            raise UnknownName("the name of a choice", name, choices)
        return choices[name]

    def __setitem__(self, name: str, value: Value) -> None:
        if isinstance(value, bool):
            value = str(value)  # so that the server's message lists the valid values
        # All choices are sent, because PUT resets the others to the profile.
        choices = self._all() | {name: value}
        self._client.json(ChoicesView, "PUT", "/choices", choices=choices)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_client":
            hint = self.item_hint(name, table())
            hint += f" = {value!r}" if hint.startswith(":") else ""
            raise AttributeError(f"`.{name}` cannot be set{hint}")
        super().__setattr__(name, value)

    def item_hint(self, name: str, known: Collection[str]) -> str:
        """Return the hint for a name; known choices are looked up without a request."""
        return super().item_hint(FORMER_NAMES.get(name, name), known and table())

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Value]:
        return dict(self._client.json(ChoicesView, "GET", "/choices")["choices"])
