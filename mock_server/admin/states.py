"""The whole state of a sandbox: reset, read as a document, replaced by one."""

from __future__ import annotations

import asyncio

import msgspec

from mock_server.admin.route import AdminRoute, Call, Input
from mock_server.api.answers import Answer
from mock_server.api.content_type import media_type
from mock_server.api.entries import View
from mock_server.api.errors import BadFixture
from mock_server.api.headers import values
from mock_server.domain.limits import LIMITS
from mock_server.domain.store import Generation
from mock_server.fixture.document import Document
from mock_server.fixture.load import parse_fixture
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.write import to_document
from mock_server.fixture.yaml_text import to_yaml

JSON, YAML = "application/json", "application/yaml"
_SHOWN_PROBLEMS = 20


class Nothing(Input):
    """An empty object; an empty body counts as one."""


class ResetView(View):
    """The sandbox that has been reset, and its new generation number."""

    sandbox: str
    generation: int


def reset(call: Call) -> ResetView:
    """`POST reset`."""
    call.sandbox.reset()
    return reset_view(call)


def reset_view(call: Call) -> ResetView:
    """The answer of everything that makes a new generation."""
    return ResetView(call.sandbox.name, call.sandbox.state.number)


async def get_state(call: Call) -> Answer:
    """`GET state`: a document that loads to what there is now."""
    state = call.sandbox.state
    frozen_at = state.clock.now() if state.clock.is_frozen else None
    accepted = b",".join(values(call.scope["headers"], b"accept"))
    # A large document takes its time; others are served meanwhile, from the original.
    document = await asyncio.to_thread(to_document, state.store.copy(), frozen_at)
    if YAML.encode() in accepted:
        text = await asyncio.to_thread(to_yaml, document)
        return Answer(200, text.encode(), content_type=YAML.encode())
    return Answer(200, await asyncio.to_thread(msgspec.json.encode, document))


async def put_state(call: Call) -> ResetView:
    """`PUT state`: another baseline; what cannot be loaded changes nothing."""
    is_json = media_type(call.scope["headers"]) != YAML
    content = call.content.strip() or b"{}"
    baseline = await loaded(content, is_json=is_json)
    await asyncio.to_thread(baseline.sort, call.sandbox.choices.list_order)
    sandbox = call.sandboxes.get(call.sandbox.name)  # it may have ended meanwhile
    sandbox.put_baseline(baseline)
    return ResetView(sandbox.name, sandbox.state.number)


async def loaded(content: bytes, *, is_json: bool) -> Generation:
    """The generation of a document, loaded beside the event loop.

    Raises BadFixture.
    """
    try:
        return await asyncio.to_thread(parse_fixture, content, "state", is_json=is_json)
    except FixtureError as error:
        problems = [str(problem) for problem in error.problems]
        shown, more = problems[:_SHOWN_PROBLEMS], len(problems) - _SHOWN_PROBLEMS
        text = "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
        got = "one with problems"
        raise BadFixture("a fixture document", got, "body", text) from None


ROUTES = (
    AdminRoute(
        "POST",
        "/reset",
        reset,
        ResetView,
        "Back to the baseline; journal and faults are emptied, snapshots stay",
        body=Nothing,
    ),
    AdminRoute(
        "GET",
        "/state",
        get_state,
        Document,
        "The state as a fixture document",
        gives=(JSON, YAML),
    ),
    AdminRoute(
        "PUT",
        "/state",
        put_state,
        ResetView,
        "Replace the baseline by a fixture document, and reset",
        raw_body=Document,
        errors=(BadFixture,),
        max_bytes=LIMITS.fixture_bytes,
        takes=(JSON, YAML),
    ),
)
