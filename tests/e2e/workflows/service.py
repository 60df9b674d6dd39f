"""The service as a program sees it that does not give up at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tests.e2e.workflows.clients import NO_QUERY, Answer, Client, Request, Unanswered

T = TypeVar("T")
TICKS = 600
"""How often something that takes its time is asked for."""
PAGE = 30


class Refused(Exception):
    """An error of the service, by the name that it has, and its code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class Service:
    """A client that asks again: at once what may be repeated, else after a look.

    `attempts` is how often it asks at most, `tick` lets some time go by. `found` counts
    what had been done though nobody had said so.
    """

    def __init__(
        self, client: Client, tick: Callable[[], object], attempts: int = 1
    ) -> None:
        self._client = client
        self._tick = tick
        self._attempts = attempts
        self.found = 0

    def ask(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        """The data of an answer to what may be repeated. Raises Refused."""
        request = Request(method, path, query or NO_QUERY, body)
        return self.again(lambda: data_of(self._answer(request)))

    def text(self, method: str, path: str, body: Any) -> str:
        """An answer without an envelope to what may be repeated, now and then."""
        request = Request(method, path, body=body)
        answers: list[str] = []

        def is_allowed() -> bool:
            answers.append(self.again(lambda: self._answer(request).text))
            return '"code":429' not in answers[-1]

        self.until(is_allowed)
        return answers[-1]

    def once(self, path: str, body: Any, file: tuple[str, bytes] | None = None) -> Any:
        """The data of an answer to what must not be repeated. Raises Unanswered."""
        return data_of(self._answer(Request("POST", path, body=body, file=file)))

    def say(self, body: Any) -> str:
        """The answer of a completion. Raises Unanswered."""
        answer = self._answer(Request("POST", "/api/v1/chat/completions", body=body))
        assert answer.status == 200, answer.text
        return answer.text

    def remove(self, method: str, path: str, body: Any = None, **query: str) -> None:
        """Delete something; that it is gone after a lost answer is as good."""
        request = Request(method, path, query or NO_QUERY, body)
        asked = 0

        def attempt() -> None:
            nonlocal asked
            asked += 1
            try:
                data_of(self._answer(request))
            except Refused as error:
                if asked == 1 or not str(error).startswith("unExist"):
                    raise
                self.found += 1

        self.again(attempt)

    def surely(self, attempt: Callable[[], T], look: Callable[[], T | None]) -> T:
        """What `attempt` gives, or once nobody answers, what `look` finds of it."""

        is_first = True

        def careful() -> T:
            nonlocal is_first
            found = None if is_first else look()
            is_first = False
            if found is None:
                return attempt()
            self.found += 1
            return found

        return self.again(careful)

    def again(self, attempt: Callable[[], T]) -> T:
        """What an attempt gives that is answered. Raises Unanswered."""
        for left in reversed(range(self._attempts)):
            try:
                return attempt()
            except Unanswered:
                if left == 0:
                    raise
        raise AssertionError("there is at least one attempt")

    def until(self, condition: Callable[[], bool]) -> None:
        """Ask until something is so, with a pause in between."""
        for _ in range(TICKS):
            if condition():
                return
            self._tick()
        raise AssertionError("this has not come true")

    def pages(self, path: str, **fields: Any) -> Iterator[Any]:
        """All items of a list, asked for page by page; there are `total` of them."""
        offset = total = 0
        while offset == 0 or offset < total:
            body = {**fields, "offset": offset, "pageSize": PAGE}
            page = self.ask("POST", path, body)
            total = page["total"]
            yield from page["list"]
            assert len(page["list"]) == min(PAGE, total - offset)
            offset += PAGE

    def _answer(self, request: Request) -> Answer:
        """An answer of the service. Raises Unanswered, for what a gateway says too."""
        answer = self._client.send(request)
        if answer.status in (502, 503):
            raise Unanswered(request, answer.text)
        return answer


def data_of(answer: Answer) -> Any:
    """What is in the envelope of an answer. Raises Refused."""
    envelope = json.loads(answer.text)
    if answer.status != 200:
        text = f"{envelope['statusText']}: {envelope['message']}"
        raise Refused(text, envelope["code"])
    assert envelope["code"] == 200, envelope
    return envelope["data"]
