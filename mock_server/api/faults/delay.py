"""The kind `delay`: a late response."""

from collections.abc import Mapping
from math import cos, exp, log, pi, sqrt
from typing import Annotated, Any, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from mock_server.api.context import pause
from mock_server.api.event_stream import EventStream
from mock_server.api.faults import fault
from mock_server.api.response import Response
from mock_server.domain.limits import Published
from mock_server.domain.messages import describe_value

_FORMS = ("ms",), ("min", "max"), ("median", "sigma")


class Delay(fault.StreamFault, tag="delay"):
    """The response is late: by `ms`, by `min` to `max`, or around a `median`."""

    chinese = "应答迟到：固定 `ms`，或在 `min` 到 `max` 之间，或以 `median` 为中位数。"
    required_fields: ClassVar[Mapping[str, Any]] = {"ms": 1}
    schema = fault.one_of(*_FORMS)

    ms: fault.Milliseconds | None = None
    """Fixed delay in ms. Or give `min` and `max`, or `median` and `sigma`."""
    min: fault.Milliseconds | None = None
    """The shortest delay, in ms."""
    max: fault.Milliseconds | None = None
    """The longest delay in ms."""
    median: fault.Milliseconds | None = None
    """The median of a lognormal distribution, in ms."""
    sigma: Annotated[float, Meta(ge=0, le=10)] | None = None
    """The width of the distribution."""

    def check(self) -> None:
        """Require exactly one of the three forms, and `min` up to `max`."""
        super().check()
        fields = tuple(
            name for form in _FORMS for name in form if getattr(self, name) is not None
        )
        if fields not in _FORMS:
            got = " and ".join(fields) or "nothing"
            raise fault.wrong_field(
                "ms, or min and max, or median and sigma", got, "ms"
            )
        if self.min is not None and self.max is not None and self.min > self.max:
            raise fault.wrong_field(
                "a max of at least min", describe_value(self.max), "max"
            )

    async def apply(self, context: fault.FaultContext) -> Response:
        """Return the right response late; the operation runs before or after."""
        draw = context.firing.draw_for
        ms = self.milliseconds(draw("delay"), draw("angle"))
        stream = await context.perform() if self.after_chunks else None
        if stream is not None:
            self.hint_at_end(context, stream)
        if isinstance(stream, EventStream) and stream.chunks:
            return self.with_pause(stream, ms)
        if stream is not None:
            await pause(context.request, ms)
            return stream
        if context.is_after:
            response = await context.perform()
            await pause(context.request, ms)
            return response
        await pause(context.request, ms)
        return await context.perform()

    def with_pause(self, stream: EventStream, ms: float) -> EventStream:
        """Return the stream with a pause of `ms` after `after_chunks` events."""
        index = min(self.after_chunks, len(stream.chunks) - 1)
        delayed = replace(
            stream.chunks[index], pause_ms=stream.chunks[index].pause_ms + ms
        )
        before, rest = stream.chunks[:index], stream.chunks[index + 1 :]
        return stream.with_chunks([*before, delayed, *rest])

    def milliseconds(self, first: float, second: float) -> float:
        """Return the delay for two random numbers in [0, 1); at most `fault_ms`."""
        if self.ms is not None:
            return self.ms
        if self.min is not None and self.max is not None:
            return self.min + (self.max - self.min) * first
        # Lognormal: Box and Muller make a normal deviate of two uniform ones.
        deviate = sqrt(-2 * log(1 - first)) * cos(2 * pi * second)
        ms = (self.median or 0) * exp((self.sigma or 0) * deviate)
        return min(ms, Published.fault_ms)
