"""Mistakes of a caller, raised by the caller's own line."""

from types import TracebackType

__tracebackhide__ = True


class RaisedHere:
    """In a `with` block, errors of these kinds lose the frames below it.

    For what is wrong with what the caller has given: no frame of ours would help to
    mend it, and test reports would show those instead of the caller's line.
    """

    def __init__(self, *kinds: type[Exception]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, self._kinds):
            raise error.with_traceback(None) from None
