"""A HAR file becomes a fixture: what operations told as state, all else as answers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mock_server.api.bound import BOUND
from mock_server.api.operations.operation import is_served
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.served import ServedOperations
from mock_server.domain.choices import Choices
from mock_server.domain.limits import Limits
from mock_server.har import notes as note
from mock_server.har.answers import response_part, why_not, without_origin
from mock_server.har.notes import Notes
from mock_server.har.reading import (
    BadBody,
    HarEntry,
    Recorded,
    recorded,
    secrets_of,
)
from mock_server.recorded.parts import Plain
from mock_server.recorded.seen import Seen

_SOCKET = 101


class Import:
    """Takes the entries of HAR files, in order; later ones win."""

    def __init__(self, origins: Sequence[str] = (), limits: Limits = Limits()) -> None:
        """Only what was asked of the `origins` counts, such as `https://host`."""
        self.notes = Notes()
        self.origins: dict[str, int] = {}
        """The addresses that were asked, with how often."""
        self._only = tuple(each.rstrip("/") for each in origins)
        self._limits = limits
        self._seen = Seen(limits)
        self._served = ServedOperations()
        self._secrets: set[bytes] = set()
        self._needs: set[str] = set()
        self._answers: dict[tuple[str, str], tuple[str, Plain, int]] = {}
        self._bytes = 0

    def take(self, entries: Sequence[HarEntry]) -> None:
        """Take entries. What logs somebody in is in none of their answers then."""
        # A script may hold the key that a later request is sent with.
        for entry in entries:
            self._secrets |= secrets_of(entry)
        for entry in entries:
            method, url = entry.request.method, entry.request.url
            request = f"{method} {url.partition('?')[0][:_SHOWN]}"
            try:
                found = recorded(entry, self._only)
            except BadBody:
                self.notes.left_out(note.BAD_BODY, request)
                continue
            except ValueError:
                self.notes.left_out(note.NO_URL, request)
                continue
            if not url.startswith(_HTTP) or entry.response.status == _SOCKET:
                self.notes.left_out(note.NOT_HTTP, request)
            elif found is None:
                continue
            elif entry.response.status <= 0:
                self.notes.left_out(note.UNANSWERED, request)
            else:
                self.origins[found.origin] = self.origins.get(found.origin, 0) + 1
                exchange = found.exchange.without(self._secrets)
                self._take(_unbound(found._replace(exchange=exchange)))

    def document(self) -> dict[str, Any]:
        """The fixture document."""
        document: dict[str, Any] = {**self._seen.document()}
        if self._answers:
            document["responses"] = [
                without_origin(part, self.origins)
                for _, part, _ in self._answers.values()
            ]
        return document

    def advice(self) -> Iterator[str]:
        """What to know of the fixture, and of what was left out, a line each."""
        if self._needs:
            yield f"serve it with --profile deployed: it has {_some(self._needs)}"
        yield from self._seen.missing
        yield from self.notes.lines()

    def _take(self, found: Recorded) -> None:
        exchange = found.exchange
        request = f"{exchange.method} {exchange.path[:_SHOWN]}"
        operation = OPERATIONS.meant_by(exchange.path)
        if operation is not None:
            if not self._seen.take(exchange):
                self.notes.left_out(note.NOTHING_SEEN, request)
            if not is_served(operation, Choices()):
                self._needs.add("neighbours of the two operations")
            elif exchange.path == operation.legacy_path:
                self._needs.add("older paths")
        elif self._served.owner_of(exchange.path):
            self.notes.left_out(note.OWN, request)
        elif reason := why_not(found):
            if exchange.method != "OPTIONS":
                self.notes.left_out(reason, request)
        else:
            self._put(found, request)

    def _put(self, found: Recorded, request: str) -> None:
        """Keep an answer as an entry of `responses`, if there is room for it."""
        exchange = found.exchange
        name, size = (exchange.method, exchange.path), len(exchange.body)
        old = self._answers.get(name)
        if old is None and len(self._answers) == self._limits.responses:
            self.notes.left_out(note.TOO_MANY, request)
            return
        total = self._bytes + size - (old[2] if old else 0)
        if total > self._limits.responses_bytes:
            self.notes.left_out(note.TOO_LARGE, request)
            return
        part = response_part(found)
        if old is not None and old[1] != part:
            self.notes.replaced(request, old[0], found.origin)
        self._answers[name] = found.origin, part, size
        self._bytes = total


_HTTP = ("http://", "https://")
_SHOWN = 200


def _unbound(found: Recorded) -> Recorded:
    """The same without the sandbox that an address of our own server may name."""
    path = found.exchange.path
    if not path.startswith(BOUND):
        return found
    _, _, rest = path.removeprefix(BOUND).partition("/")
    return found._replace(exchange=found.exchange._replace(path=f"/{rest}"))


def _some(words: Iterable[str]) -> str:
    return " and ".join(sorted(words))
