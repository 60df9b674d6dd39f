"""Examples of the OpenAPI documents: requests, of which a server gives the answers.

Nobody writes an answer down. When a document is made, a server over the shipped
fixtures is asked in process, in the order of a tour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field
from starlette.types import ASGIApp, Message

from mock_server.domain.limits import LIMITS

_SANDBOXES = "/__admin/sandboxes"
DEMO, KEY = "demo.yaml", "fastgpt-any-key"
EXAMPLE_TIME = 1775034000000
"""2026-04-01T09:00:00.000Z: when all examples happen."""
_DURATION = re.compile(rb'(?<="durationMs":)[0-9.e-]+')


class Example(Struct, frozen=True):
    """A request. `name` is what documents call its answer; one without a name only
    leads to what others show.

    `body` is sent as JSON, bytes as they are. A header that is None is left out. Of
    a request that is sent several `times` the last answer counts; `{n}` in its path is
    the number. `route` is the path as the document has it. The key is one of
    `sandbox` if that is named.
    """

    method: str
    path: str
    body: Any = None
    name: str = ""
    summary: str = ""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    times: int = 1
    route: str = ""
    sandbox: str = ""

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        if self.body is None or isinstance(self.body, bytes):
            return self.body or b""
        return msgspec.json.encode(self.body)

    def sent_headers(self, key: str) -> dict[str, str]:
        """All headers that are sent, with that key."""
        sent: dict[str, str | None] = {"host": "localhost:8000"}
        if not self.path.startswith("/__admin"):
            sent["authorization"] = f"Bearer {key}"
        if self.body is not None:
            sent["content-type"] = "application/json"
        sent |= self.headers
        return {name: value for name, value in sent.items() if value is not None}


class ExampleSession(Struct, frozen=True):
    """Requests to a server of their own, one after the other."""

    examples: Sequence[Example]
    fixture: str = DEMO
    admin_token: str | None = None
    memory: int = LIMITS.memory_bytes


class Recorded(Struct, frozen=True):
    """An example, and what a server answered to it."""

    example: Example
    status: int
    body: bytes

    @property
    def part(self) -> dict[str, Any]:
        """The answer as an example object of OpenAPI."""
        value = msgspec.json.decode(self.body)
        summary = {"summary": self.example.summary} if self.example.summary else {}
        return summary | {"value": value}


Record = Callable[[Sequence[ExampleSession]], Sequence[Recorded]]
"""Takes tours, and gives what was answered to the examples with a name."""


def no_answers(_: Sequence[ExampleSession]) -> Sequence[Recorded]:
    """Records nothing, for whoever needs no examples."""
    return ()


async def run_examples(app: ASGIApp, tour: ExampleSession) -> list[Recorded]:
    """What an application answers on a tour."""
    found, keys = [], {"": KEY}
    for example in tour.examples:
        for n in range(1, example.times + 1):
            status, body = await ask(app, example, keys[example.sandbox], n)
        if example.name:
            # The one thing of an answer that no two servers have in common.
            found.append(Recorded(example, status, _DURATION.sub(b"0.25", body)))
        if status == 201 and example.path == _SANDBOXES:
            made = msgspec.json.decode(body)
            keys[made["name"]] = made["key"]
    return found


async def ask(
    app: ASGIApp, example: Example, key: str = KEY, n: int = 1
) -> tuple[int, bytes]:
    """The status and the body that an application answers, without a socket."""
    path, _, query = example.path.format(n=n).partition("?")
    headers = example.sent_headers(key).items()
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": example.content}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": example.method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            *((name.encode(), value.encode()) for name, value in headers),
            (b"content-length", b"%d" % len(example.content)),
        ],
    }
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)
