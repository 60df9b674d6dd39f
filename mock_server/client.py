"""A running server as programs steer it: calls of its admin API over HTTP.

What answers may be anything, so an answer counts only if it is of the type that the
admin API gives; further fields are a newer server's, and are let be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Raw, Struct

from mock_server.api.envelope import Failure
from mock_server.domain.limits import LIMITS
from mock_server.domain.printable import one_line
from mock_server.http_call import Address, Answered, Budget, Unreachable, call
from mock_server.views import JournalView, Verified

T = TypeVar("T")
JSON, YAML = "application/json", "application/yaml"
SECONDS = 30.0
_MIN_PAUSE_SECONDS = 0.1
_MESSAGE_CHARS = 16_384


class Refused(Exception):
    """An error answer; the text is its message, `status_text` its kind."""

    def __init__(self, status: int, failure: Failure) -> None:
        self.status = status
        self.status_text = failure.status_text
        super().__init__(one_line(failure.message[:_MESSAGE_CHARS]))


@dataclass(frozen=True, slots=True)
class Given(Generic[T]):
    """A good answer: its status, its value, and the JSON text that says it."""

    status: int
    value: T
    text: str

    def plain(self) -> Any:
        """The answer as plain data, with all its fields. Raises Unreachable."""
        try:
            return msgspec.json.decode(self.text)
        except RecursionError:
            expected = "an answer of a mock server"
            raise Unreachable(f"Expected {expected}, got one nested too deep") from None


class Held(Struct):
    """An application or a dataset of a state; the rest of it can be very long."""

    id: str
    chats: list[Raw] = []
    collections: list[Raw] = []


class StateView(Struct):
    """A fixture document as `GET state` gives it."""

    keys: list[dict[str, Raw]]
    apps: list[Held]
    datasets: list[Held]
    clock: str | None = None


def _ignore(line: str) -> None:
    del line


@dataclass(frozen=True, slots=True)
class AdminClient:
    """A server by its address, and the sandbox in it that is meant.

    A call takes `timeout` seconds at most; a server that is busy (503, Retry-After) is
    asked again as long as that, and `tell` is told. The token goes to `url` only.
    Making one raises ValueError for a URL that is none.
    """

    url: str
    sandbox: str | None = None
    token: str | None = None
    timeout: float = SECONDS
    tell: Callable[[str], object] = _ignore

    def __post_init__(self) -> None:
        Address.of(self.url)

    def ask(
        self,
        answer: Callable[..., T],
        method: str,
        path: str,
        content: bytes = b"",
        *,
        content_type: str = JSON,
        statuses: tuple[int, ...] = (200, 201),
        budget: Budget | None = None,
    ) -> Given[T]:
        """An answer of the type `answer`, with one of these statuses.

        Raises Refused, or Unreachable if this is no answer of a mock server.
        """
        budget = budget or self.budget()
        data = content if method in ("POST", "PUT") else None
        answered = self._answered(method, path, data, content_type, budget)
        if answered.status in statuses:
            return self._read(answered, answer, method, path)
        if 400 <= answered.status <= 599:
            failure = self._read(answered, Failure, method, path).value
            raise Refused(answered.status, failure)
        raise Unreachable(self._strange(answered, method, path))

    def json(
        self, answer: Callable[..., Any], method: str, path: str, /, **fields: Any
    ) -> Any:
        """A good answer as plain data, to a body of these fields. Raises as `ask`."""
        return self.ask(answer, method, path, msgspec.json.encode(fields)).plain()

    def budget(self, max_bytes: int = LIMITS.answer_bytes) -> Budget:
        """What one call, or several that belong together, may take."""
        return Budget(self.timeout, max_bytes)

    def state(self) -> Given[StateView]:
        """The whole state. Raises as `ask`."""
        budget = self.budget(LIMITS.state_answer_bytes)
        return self.ask(StateView, "GET", "/state", budget=budget)

    def journal(self, criteria: Mapping[str, object]) -> str:
        """All entries that meet the criteria, as the JSON of one page.

        Raises as `ask`.
        """
        budget = self.budget(LIMITS.journal_answer_bytes)
        given = self._page(criteria, budget)
        kept, page = given.value.kept, _raw(given)
        entries = more = msgspec.json.decode(page["entries"], type=list[Raw])
        # Not those that come while this reads, which might never end.
        while more and len(entries) < kept:
            since = given.value.next
            given = self._page({**criteria, "since": since}, budget)
            if given.value.next < since:
                place = "the field next of the journal"
                raise Unreachable(f"Expected {since} or more, got less - at {place}")
            page = _raw(given)
            more = msgspec.json.decode(page["entries"], type=list[Raw])
            entries += more
        return msgspec.json.encode({**page, "entries": entries}).decode()

    def _page(
        self, criteria: Mapping[str, object], budget: Budget
    ) -> Given[JournalView]:
        path = f"/journal?{urlencode(criteria)}"
        return self.ask(JournalView, "GET", path, budget=budget)

    def verify(self, asked: Mapping[str, object]) -> Given[Verified]:
        """Whether the journal is as asked. Raises as `ask`."""
        path, content = "/journal/verify", msgspec.json.encode(asked)
        given = self.ask(Verified, "POST", path, content, statuses=(200, 409))
        if given.value.ok != (given.status == 200):
            answered = Answered(given.status, given.text.encode())
            raise Unreachable(self._strange(answered, "POST", path))
        return given

    def _answered(
        self,
        method: str,
        path: str,
        content: bytes | None,
        content_type: str,
        budget: Budget,
    ) -> Answered:
        """Any answer but that the server is busy, which is asked again."""
        part = f"/sandboxes/{quote(self.sandbox, safe='')}" if self.sandbox else ""
        headers = {"Content-Type": content_type, "Accept": JSON}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        address, target = Address.of(self.url), f"/__admin{part}{path}"
        answered: Answered | None = None
        while True:
            try:
                answered = call(address, method, target, headers, content, budget)
            except Unreachable as error:
                if answered is not None and budget.left <= 0:
                    return answered  # it is busy to the end
                raise Unreachable(f"cannot reach {self.url}: {error}") from None
            pause = _pause(answered)
            if pause is None or pause >= budget.left:
                return answered
            self.tell(f"{self.url} is busy (503), asked again in {pause:g} s")
            time.sleep(pause)

    def _read(
        self, answered: Answered, answer: Callable[..., T], method: str, path: str
    ) -> Given[T]:
        """An answer of a type. Raises Unreachable."""
        try:
            text = answered.body.decode()
            value: T = msgspec.json.decode(answered.body, type=answer)
        except UnicodeDecodeError:
            why = " (not UTF-8)"
        except RecursionError:
            why = " (nested too deep)"
        except msgspec.MsgspecError as error:
            why = f" ({one_line(str(error))})"
        else:
            return Given(answered.status, value, text)
        raise Unreachable(self._strange(answered, method, path) + why)

    def _strange(self, answered: Answered, method: str, path: str) -> str:
        at = f"{method} {self.url.rstrip('/')}/__admin{path.partition('?')[0]}"
        expected = "an answer of a mock server"
        return f"Expected {expected}, got {answered.shown()} - at {one_line(at)}"


def _raw(given: Given[Any]) -> dict[str, Raw]:
    """The fields of an object, their texts as they came."""
    return msgspec.json.decode(given.text, type=dict[str, Raw])


def _pause(answered: Answered) -> float | None:
    """Seconds after which a busy server wants to be asked again."""
    said = answered.retry_after.strip()
    if answered.status != 503 or not (said.isascii() and said.isdigit()):
        return None
    return max(float(said[:9]), _MIN_PAUSE_SECONDS)
