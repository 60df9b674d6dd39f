"""`GET /openapi.json`: the OpenAPI document of the operations."""

from __future__ import annotations

import asyncio
from functools import cached_property

import msgspec
from starlette.types import Receive, Scope, Send

from mock_server import __version__
from mock_server.api.answers import Answer
from mock_server.api.body import RequestBody
from mock_server.api.errors import MethodNotAllowed, refused
from mock_server.api.examples import Record, public_tours
from mock_server.api.openapi import public_document
from mock_server.api.writing import write
from mock_server.domain.choices import Choices
from mock_server.domain.errors import show


class Description:
    """Answers with the document, which is made when it is first asked for."""

    def __init__(self, record: Record) -> None:
        self._record = record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            # The examples take their time; others are served meanwhile.
            answer = Answer(200, await asyncio.to_thread(lambda: self._document))
        else:
            refusal = MethodNotAllowed("GET", show(scope["method"]))
            answer = refused(refusal, Choices())
        await write(answer, RequestBody(scope, receive), send)

    @cached_property
    def _document(self) -> bytes:
        answers = self._record(public_tours())
        return msgspec.json.encode(public_document(__version__, answers))
