"""Kinds that give another answer, or the right one late."""

from __future__ import annotations

from math import cos, exp, log, pi, sqrt

from msgspec.structs import replace

from mock_server.api.errors import RateLimitExceeded
from mock_server.api.faults.definitions import Delay, Dribble, Error
from mock_server.api.faults.hit import Hit
from mock_server.api.response import (
    Response,
    error_envelope,
    error_response,
    rate_limit_headers,
)
from mock_server.domain.limits import LIMITS


async def error(hit: Hit) -> Response:
    """The error that it says, in every profile and choice."""
    fault: Error = hit.fault
    hit.perform_if_after()
    code = fault.status if fault.code is None else fault.code
    retry = fault.retry_after
    headers = () if retry is None else ((b"retry-after", b"%d" % retry),)
    return Response(
        fault.status, error_envelope(code, "injected", fault.message), headers
    )


async def delay(hit: Hit) -> Response:
    """The right answer, after a while; what is written is written then, or before."""
    if hit.is_after:
        answer = hit.perform()
        await hit.pause(delay_ms(hit.fault, hit.draw("delay"), hit.draw("angle")))
        return answer
    await hit.pause(delay_ms(hit.fault, hit.draw("delay"), hit.draw("angle")))
    hit.exchange.readmit()  # the choices may be others by now
    return hit.perform()


def delay_ms(fault: Delay, first: float, second: float) -> float:
    """How long, in milliseconds, by two draws; never over the limit of one answer."""
    if fault.ms is not None:
        return fault.ms
    if fault.min is not None and fault.max is not None:
        return fault.min + (fault.max - fault.min) * first
    # Lognormal; a normal deviate of two uniform ones by Box and Muller.
    deviate = sqrt(-2 * log(1 - first)) * cos(2 * pi * second)
    ms = (fault.median or 0) * exp((fault.sigma or 0) * deviate)
    return min(ms, LIMITS.fault_ms)


async def malformed_json(hit: Hit) -> Response:
    """The body with another bracket at its end; all else is in order."""
    answer = hit.spoilt()
    return replace(answer, status=200, body=answer.body[:-1] + b"]")


async def dribble(hit: Hit) -> Response | None:
    """The right answer in pieces, with a pause before each but the first."""
    fault: Dribble = hit.fault
    answer = hit.perform()
    headers, size = hit.record(answer), -(-len(answer.body) // fault.chunks)
    start = {"type": "http.response.start", "status": answer.status}
    await hit.send(start | {"headers": headers})
    for at in range(0, len(answer.body), size):
        if at:
            await hit.pause(fault.ms)
        piece = answer.body[at : at + size]
        content = {"type": "http.response.body", "body": piece}
        await hit.send(content | {"more_body": at + size < len(answer.body)})
    return None


async def rate_limit(hit: Hit) -> Response:
    """The 429 of what is over the limit."""
    limit = hit.firing.limit
    hit.perform_if_after()
    expected = f"at most {limit.limit} requests in a window" if limit else "fewer"
    refusal = RateLimitExceeded(expected, "one more", "header Authorization")
    answer = error_response(refusal, hit.exchange.state.choices)
    if limit is None:
        return answer
    retry = (b"retry-after", b"%d" % limit.reset_seconds)
    return answer.with_headers(retry, *rate_limit_headers(limit))
