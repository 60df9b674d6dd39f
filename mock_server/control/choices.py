"""The choices in force on a server."""

from collections.abc import Iterator, Mapping

from mock_server.admin.resources.choices import ChoicesView
from mock_server.client import AdminClient
from mock_server.control.names import UnknownName
from mock_server.domain.choices import Value

__tracebackhide__ = True


class SandboxChoices(Mapping[str, Value]):
    """The choices in force; `choices["list_order"] = "name"` sets one."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    def __getitem__(self, name: str) -> Value:
        every = self._all()
        if name not in every:
            raise UnknownName("the name of a choice", name, every)
        return every[name]

    def __setitem__(self, name: str, value: Value) -> None:
        # PUT gives every choice that is not named the value of the profile.
        chosen = self._all() | {name: value}
        self._client.json(ChoicesView, "PUT", "/choices", choices=chosen)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Value]:
        return dict(self._client.json(ChoicesView, "GET", "/choices")["choices"])
