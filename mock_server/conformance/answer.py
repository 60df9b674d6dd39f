"""A request as it is told, and what a server of which nothing is known made of it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from mock_server.domain.printable import one_line
from mock_server.http_call import RawResponse

_OK = (200, "200")
_SHOWN_CHARS = 300


class NotObservable(Exception):
    """What was asked does not show in the answers; the text says why."""


class Differs(Exception):
    """An answer is not as the interface description says."""

    def __init__(self, expected: str, got: str, answer: "Answer") -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected, self.got, self.answer = cut(expected), cut(got), answer


class Answer(Struct, frozen=True):
    """An answer; `document` is its JSON, None if it has none.

    `request` is the one that was sent, without the key.
    """

    request: str
    response: RawResponse
    document: Any = None

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the envelope; none if it is no object."""
        return self.document if isinstance(self.document, dict) else {}

    @property
    def is_success(self) -> bool:
        """Whether it says that the request was carried out, and holds data."""
        is_ok = self.fields.get("code", 200) in _OK
        return self.status // 100 == 2 and is_ok and "data" in self.fields

    @property
    def is_refusal(self) -> bool:
        """Whether it says that the request was not carried out."""
        return self.status >= 400 or self.fields.get("code", 200) not in _OK

    @property
    def sign(self) -> tuple[object, ...]:
        """What answers for the same reason have in common."""
        found = self.fields
        return self.status, _text(found.get("code")), _text(found.get("statusText"))

    @property
    def data(self) -> Mapping[str, Any]:
        """The fields of the data; none if it is no object."""
        found = self.fields.get("data")
        return found if isinstance(found, dict) else {}

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        """The items of a page that are objects with an id."""
        found = self.data.get("list")
        items = found if isinstance(found, list) else []
        return [item for item in items if isinstance(item, dict) and id_of(item)]

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the items of a page."""
        return [id_of(item) for item in self.items]

    @property
    def total(self) -> int:
        """How many there are in all, as a page says. Raises NotObservable."""
        found = self.data.get("total")
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        raise NotObservable("pages say no total")

    def summary(self) -> str:
        """The status and the beginning of the answer, in one line."""
        return self.response.summary()


def parse(request: str, response: RawResponse) -> Answer:
    """An answer with its JSON, if it is any."""
    try:
        return Answer(request, response, msgspec.json.decode(response.body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Answer(request, response)


def told(method: str, path: str, body: object, *notes: str) -> str:
    """A request in one line: `POST /path {"offset":0} (without Content-Type)`."""
    parts = [method, path]
    if body is not None:
        parts.append(cut(json.dumps(body, ensure_ascii=False, separators=(",", ":"))))
    if notes:
        parts.append(f"({', '.join(notes)})")
    return one_line(" ".join(parts))


def cut(text: str) -> str:
    """The beginning of a text, if it is a long one."""
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def id_of(item: Mapping[str, Any]) -> str:
    """The id of an item; empty if it has none."""
    return text_of(item, "_id")


def text_of(item: Mapping[str, Any], name: str) -> str:
    """A text of an item; empty if it has none of that name."""
    found = item.get(name)
    return found if isinstance(found, str) else ""


def _text(value: object) -> str:
    return "" if value is None else str(value)
