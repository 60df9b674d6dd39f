"""Kinds that give no whole answer: they need the connection itself."""

from __future__ import annotations

from mock_server.api.faults.definitions import Truncate
from mock_server.api.faults.hit import Closed, Hit
from mock_server.api.response import Response
from mock_server.domain.limits import LIMITS

NO_ANSWER = Response(0, b"")
GARBAGE = b"\x16\x03\x01\x00\xff mock \x00\x01\x02\xfe\xff\r\n\r\n"


async def hang(hit: Hit) -> None:
    """Silence, until the client has enough or the limit is reached."""
    hit.connection()
    hit.perform_if_after()
    hit.record(NO_ANSWER)
    await hit.pause(LIMITS.fault_ms)
    raise Closed


async def reset(hit: Hit) -> None:
    """An RST."""
    connection = hit.connection()
    hit.perform_if_after()
    hit.record(NO_ANSWER)
    await connection.reset(hit.exchange.body)


async def empty(hit: Hit) -> None:
    """A FIN without a byte."""
    connection = hit.connection()
    hit.perform_if_after()
    hit.record(NO_ANSWER)
    await connection.finish(hit.exchange.body)


async def garbage(hit: Hit) -> None:
    """Bytes that begin like TLS, then a FIN."""
    connection = hit.connection()
    hit.perform_if_after()
    hit.record(NO_ANSWER)
    connection.write(GARBAGE)
    await connection.finish(hit.exchange.body)


async def truncate(hit: Hit) -> None:
    """The head of the answer, a part of its body, then a FIN."""
    fault: Truncate = hit.fault
    connection = hit.connection()
    answer = hit.spoilt()
    size = len(answer.body)
    kept = size // 2 if fault.kept is None else min(fault.kept, size - 1)
    headers = hit.record(answer)
    start = {"type": "http.response.start", "status": answer.status}
    content = {"type": "http.response.body", "body": answer.body[:kept]}
    await hit.send(start | {"headers": headers})
    await hit.send(content | {"more_body": True})
    await connection.finish(hit.exchange.body)
