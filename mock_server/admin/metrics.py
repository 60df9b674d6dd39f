"""Metrics in Prometheus' text format. Imported only when they are asked for.

Each application has a registry of its own. Nearly all is read off what there is when
somebody asks; nothing of it takes a request's time.
"""

import asyncio
from collections.abc import Callable, Iterable
from time import perf_counter

from prometheus_client import (
    CollectorRegistry,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from mock_server.api.counting import Counts
from mock_server.api.faults.table import KINDS
from mock_server.domain.sandboxes import Sandboxes

_TICK_SECONDS = 0.1
_LAG_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """What a server tells of itself; it needs the event loop of that server."""

    def __init__(self, sandboxes: Sandboxes, counts: Counts) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Collected(sandboxes, counts))
        lag = Histogram(
            "mock_server_event_loop_lag_seconds",
            "How late the event loop was, looked at ten times a second "
            "since metrics were first read.",
            buckets=_LAG_BUCKETS,
            registry=self._registry,
        )
        ProcessCollector(registry=self._registry)
        self._lag = LoopLag(lag.observe)

    def text(self) -> bytes:
        """All metrics as they are now."""
        self._lag.follow()
        return generate_latest(self._registry)

    def close(self) -> None:
        """End what would not end by itself."""
        self._lag.close()


class LoopLag:
    """Tells `observe` again and again how late an event loop is, in seconds."""

    def __init__(self, observe: Callable[[float], object]) -> None:
        self._observe = observe
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0

    def follow(self) -> None:
        """Follow the loop that runs this, from now on, and no other."""
        loop = asyncio.get_running_loop()
        # A server that was stopped and started again has another one.
        if loop is not self._loop:
            self.close()
            self._loop = loop
            self._wait(loop)

    def close(self) -> None:
        """Follow none."""
        if self._timer is not None:
            self._timer.cancel()
        self._loop = self._timer = None

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = perf_counter() + _TICK_SECONDS
        self._timer = loop.call_later(_TICK_SECONDS, self._tick, loop)

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self._observe(max(0.0, perf_counter() - self._due))
        self._wait(loop)


class _Collected(Collector):
    """Reads sandboxes and counts when metrics are asked for."""

    def __init__(self, sandboxes: Sandboxes, counts: Counts) -> None:
        self._sandboxes = sandboxes
        self._counts = counts

    def describe(self) -> Iterable[Metric]:
        """Called when it is registered, with nothing to say before it is asked."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Called by the registry."""
        yield from self._counters()
        # To be read is no use of a sandbox: idle ones end all the same.
        every, memory = self._sandboxes.all(), self._sandboxes.memory
        gauges = (
            ("sandboxes", "Sandboxes, the default one among them.", len(every)),
            (
                "journal_entries",
                "Entries that all journals keep.",
                sum(len(each.journal) for each in every),
            ),
            ("memory_bytes", "Memory that all data takes.", memory.used),
            ("memory_limit_bytes", "Memory that all data may take.", memory.limit),
        )
        for name, text, value in gauges:
            yield GaugeMetricFamily(f"mock_server_{name}", text, value=value)

    def _counters(self) -> Iterable[Metric]:
        counts = self._counts
        requests = CounterMetricFamily(
            "mock_server_requests",
            "Requests by operation, and by the status of the answer (0 without one).",
            labels=("operation", "status"),
        )
        for (operation, status), number in sorted(counts.requests.items()):
            requests.add_metric((operation, str(status)), number)
        firings = CounterMetricFamily(
            "mock_server_faults_fired",
            "Requests that a fault has met, by its kind.",
            labels=("kind",),
        )
        for kind in KINDS:
            firings.add_metric((kind,), counts.firings[kind])
        yield requests
        yield firings
        yield CounterMetricFamily(
            "mock_server_journal_dropped",
            "Entries that journals had no room for.",
            value=counts.dropped,
        )
