"""The outcome of a request, the work that leads to it, and faults, which disturb that work."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct, field, json
from starlette.responses import Response

from mock_server.choices import Choices
from mock_server.journal import Exchange, FiredRow, Violation
from mock_server.scripting.connection import Connection
from mock_server.scripting.row import ActiveRow, Candidate, Pick, ScriptRow
from mock_server.store.account import ChatKey, Store


class Listing(Struct, frozen=True, eq=False):
    """The whole list of which a response shows a page, so that faults see items of other pages."""

    items: Sequence[Any]
    offset: int
    size: int
    show: Callable[[Any], object]
    """Makes of an item what is sent."""
    is_reversed: bool = False
    """Whether a page has its items in reverse order, as that of the records of a chat."""

    def item(self, index: int) -> dict[str, Any]:
        """An item as it is sent, decoded."""
        sent: dict[str, Any] = json.decode(json.encode(self.show(self.items[index])))
        return sent


class Outcome(Struct, eq=False):
    """The outcome of a request: the response, and what changes once the outcome is kept."""

    response: Response
    store: Store | None = None
    """The changed account; None if the account stays as it is."""
    violations: list[Violation] = field(default_factory=list)
    picks: list[Pick[ScriptRow]] = field(default_factory=list)
    """The answers, replies and hits that the response is made of."""
    hint: str | None = None
    answer: FiredRow | None = None
    """The answer that replaces the operation."""
    stopped_chat: ChatKey | None = None
    """The chat whose reply the request stops."""
    listing: Listing | None = None
    """The list of which the response shows a page; None also for an answer of a test."""


class Work(Protocol):
    """The work on one request, as faults use it."""

    exchange: Exchange

    @property
    def choices(self) -> Choices:
        """The choices in force now."""

    @property
    def connection(self) -> Connection:
        """The connection of the request. Raises NeedsConnection in process."""

    def outcome(self) -> Outcome:
        """The outcome of the request; after `keep`, the kept one. Nothing changes."""

    def keep(self, outcome: Outcome, *, stores: bool = True) -> Response:
        """Make an outcome real, and return its response: only the first outcome is kept.

        Without `stores`, the account stays as it is, but its new ids count as given.
        """

    async def pause(self, ms: float, holder: ActiveRow[Any] | None = None) -> bool:
        """Wait in real time, even if the client leaves, or until a holding row is removed.

        False if a reset or the stop of the server ends the wait; a restore ends that for a row.
        """


class Fault(ScriptRow, frozen=True):
    """A row that disturbs the work on a request. Each kind has its own `apply`."""

    def applies(self, work: Work) -> bool:
        """Whether this kind can do anything to the request."""
        return True

    async def apply(self, firing: "Candidate[Fault]", work: Work) -> Response:
        """The response in place of the right one, which is `work.keep(work.outcome())`."""
        raise NotImplementedError
