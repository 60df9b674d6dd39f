"""The two documents, with examples that applications have been asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count

import msgspec

from mock_server import __version__
from mock_server.admin.app import described_routes
from mock_server.admin.loads import Loads
from mock_server.app import application
from mock_server.domain.choices import Choices
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.sandboxes import Sandboxes
from mock_server.fixture.files import shipped
from mock_server.fixture.load import load_fixture
from mock_server.openapi.admin import admin_document
from mock_server.openapi.admin_sessions import admin_tours
from mock_server.openapi.examples import (
    EXAMPLE_TIME,
    ExampleSession,
    Recorded,
    run_examples,
)
from mock_server.openapi.schemas import public_document
from mock_server.openapi.sessions import public_tours


def make() -> dict[str, bytes]:
    """Both documents as JSON, by name; the same bytes for the same code."""
    public = public_document(__version__, _run(public_tours()))
    admin = admin_document(__version__, described_routes(), _run(admin_tours()))
    return {"public": _json(public), "admin": _json(admin)}


def _json(document: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _run(sessions: Sequence[ExampleSession]) -> list[Recorded]:
    """Run each session on an application of its own, with a frozen clock."""
    return [each for session in sessions for each in asyncio.run(_answers(session))]


async def _answers(session: ExampleSession) -> list[Recorded]:
    number = count()
    environment = Environment(
        lambda: EXAMPLE_TIME,
        lambda: 0.0,
        lambda: f"{next(number):032x}",
        Limits(memory_bytes=session.memory),
    )
    generation = load_fixture(shipped(session.fixture))
    sandboxes = Sandboxes(generation, "documented", Choices(), environment)
    # There is no place to load what is large: that is an example too.
    loads = Loads(sandboxes.memory, places=0)
    app = application(sandboxes, token=session.admin_token, loads=loads)
    return await run_examples(app, session)
