"""A late response."""

from collections.abc import Mapping
from math import cos, exp, log, pi, sqrt
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from mock_server.api.faults.fault import (
    Fault,
    FaultContext,
    Milliseconds,
    one_of,
    wrong,
)
from mock_server.api.response import Response
from mock_server.domain.errors import describe_value
from mock_server.domain.limits import Limits

_FORMS = ("ms",), ("min", "max"), ("median", "sigma")


class Delay(Fault, tag="delay"):
    """The answer comes late: by `ms`, or by `min` to `max`, or around a `median`."""

    schema: ClassVar[Mapping[str, Any]] = one_of(*_FORMS)

    ms: Milliseconds | None = None
    min: Milliseconds | None = None
    max: Milliseconds | None = None
    median: Milliseconds | None = None
    sigma: Annotated[float, Meta(ge=0, le=10)] | None = None

    def check(self) -> None:
        """Exactly one of the three forms, and no empty range."""
        super().check()
        given = tuple(
            name for form in _FORMS for name in form if getattr(self, name) is not None
        )
        if given not in _FORMS:
            got = " and ".join(given) or "nothing"
            raise wrong("ms, or min and max, or median and sigma", got, "ms")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise wrong("a max of at least min", describe_value(self.max), "max")

    async def apply(self, context: FaultContext) -> Response:
        """The right response, later; what is written is written then, or before."""
        ms = self.milliseconds(context.draw("delay"), context.draw("angle"))
        if context.is_after:
            response = context.perform()
            await context.pause(ms)
            return response
        await context.pause(ms)
        context.readmit()  # the choices may be others by now
        return context.perform()

    def milliseconds(self, first: float, second: float) -> float:
        """How long, by two numbers from 0 up to 1; never over the limit."""
        if self.ms is not None:
            return self.ms
        if self.min is not None and self.max is not None:
            return self.min + (self.max - self.min) * first
        # Lognormal; a normal deviate of two uniform ones by Box and Muller.
        deviate = sqrt(-2 * log(1 - first)) * cos(2 * pi * second)
        ms = (self.median or 0) * exp((self.sigma or 0) * deviate)
        return min(ms, Limits.fault_ms)
