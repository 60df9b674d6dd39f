"""Requests that are tried again: with backoff and jitter, and as `Retry-After` says."""

from collections.abc import Callable
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from mock_server.domain.limits import Limits
from mock_server.http_call import Unfit, Unreachable
from mock_server.service import Busy, GivenUp, NoRoute

T = TypeVar("T")
Tell = Callable[[str], object]
Sleep = Callable[[float], None]


class Asking:
    """Tries a request up to `Limits.pull_tries` times, and tells of each further one.

    `sleep` waits for a number of seconds.
    """

    def __init__(self, limits: Limits, sleep: Sleep, tell: Tell) -> None:
        self._limits = limits
        self._tell = tell
        base = limits.pull_backoff_seconds
        exponential = wait_exponential(base, limits.pull_pause_seconds)
        self._backoff = exponential + wait_random(0, base)
        self._retrying = Retrying(
            sleep=lambda pause: sleep(float(pause)),  # it is of a type of tenacity's
            stop=stop_after_attempt(limits.pull_tries),
            wait=self._pause,
            retry=retry_if_exception(self._is_worth_it),
            before_sleep=self._say,
            reraise=True,
        )
        self.has_succeeded = False
        """Whether any request has been answered well."""

    def ask(self, request: Callable[[], T]) -> T:
        """What the request gives. Raises what it raised last."""
        answer = self._retrying(request)
        self.has_succeeded = True
        return answer

    def may_come_back(self, error: Exception) -> bool:
        """Whether a request that failed for good may succeed later in this run."""
        return self.has_succeeded and self._is_worth_it(error)

    def _is_worth_it(self, error: BaseException) -> bool:
        if isinstance(error, Busy) and (error.pause or 0) > self._most:
            return False
        if isinstance(error, NoRoute | GivenUp):
            return False
        return isinstance(error, Unreachable | Unfit)

    @property
    def _most(self) -> float:
        return self._limits.pull_pause_seconds

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        wanted = error.pause if isinstance(error, Busy) else None
        return max(wanted or 0.0, self._backoff(state))

    def _say(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        pause = state.next_action.sleep if state.next_action else 0.0
        self._tell(f"asked again in {pause:.1f} s: {error}")
