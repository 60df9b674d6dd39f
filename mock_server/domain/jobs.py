"""Training under way: rows of a collection that are not shown yet, and when they are.

A job waits for a second. Text that is not parsed yet is parsed for another one. Then
every second has 20 rows trained. Times are in milliseconds of a sandbox's clock.
"""

from collections.abc import Iterable

from msgspec import Struct

from mock_server.domain.records import Row
from mock_server.domain.rows import size_of_row

_SECOND = 1_000
_ROWS_A_SECOND = 20


class Job(Struct, frozen=True):
    """The rows that a collection is to get, since when; hidden until they are trained.

    `is_parsed` is false for a text: how many rows that gives is not known to clients
    until it has been parsed.
    """

    dataset_id: str
    collection_id: str
    since: int
    is_parsed: bool = True
    rows: tuple[Row, ...] = ()

    @property
    def waiting(self) -> int:
        """What it adds to the training amount of its collection."""
        return len(self.rows) if self.is_parsed else 1

    @property
    def due(self) -> int:
        """When it goes on next: parsed, or with its first rows trained."""
        return self.since + 2 * _SECOND

    def advanced(self, now: int) -> tuple[tuple[Row, ...], "Job | None"]:
        """The rows that have been trained by a time, and the job that is left."""
        if now < self.due:
            return (), self
        if not self.is_parsed:
            # As rows that were pushed a second later: these wait for no parsing.
            parsed = Job(
                self.dataset_id,
                self.collection_id,
                self.since + _SECOND,
                rows=self.rows,
            )
            return parsed.advanced(now) if self.rows else ((), None)
        seconds = (now - self.since) // _SECOND - 1
        count = _ROWS_A_SECOND * seconds
        if count >= len(self.rows):
            return self.rows, None
        left = Job(
            self.dataset_id,
            self.collection_id,
            self.since + seconds * _SECOND,
            rows=self.rows[count:],
        )
        return self.rows[:count], left


def advance_all(
    jobs: Iterable[Job], now: int
) -> tuple[tuple[Row, ...], tuple[Job, ...]]:
    """The rows that jobs have trained by a time, and the jobs that are left."""
    rows: list[Row] = []
    left: list[Job] = []
    for job in jobs:
        trained, rest = job.advanced(now)
        rows.extend(trained)
        if rest is not None:
            left.append(rest)
    return tuple(rows), tuple(left)


def amount(jobs: Iterable[Job]) -> int:
    """What jobs add to the training amount of their collection."""
    return sum(job.waiting for job in jobs)


def next_due(jobs: Iterable[Job]) -> int | None:
    """When the first of some jobs goes on; None without jobs."""
    return min((job.due for job in jobs), default=None)


_JOB_BYTES = 400  # about what a job takes without its rows


def size_of_jobs(jobs: Iterable[Job]) -> int:
    """Bytes that jobs take with their rows."""
    return sum(_JOB_BYTES + sum(map(size_of_row, job.rows)) for job in jobs)
