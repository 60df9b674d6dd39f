"""Calls of a client, watched: endless ones are stopped, what is logged is read."""

from __future__ import annotations

import ctypes
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

_POLL_SECONDS = 0.1


class Stopped(BaseException):
    """Raised in a call that is stopped; no client catches it by mistake."""


class Watch:
    """In a `with` block, raises Stopped there once something is too much.

    `is_too_much` is asked from another thread, ten times a second.
    """

    def __init__(self, is_too_much: Callable[[], bool]) -> None:
        self._is_too_much = is_too_much
        self._lock, self._over = threading.Lock(), threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(_POLL_SECONDS):
            if self._is_too_much():
                with self._lock:
                    if not self._over.is_set():
                        _raise_in(self._watched)
                return


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(Stopped)
    )


class _Texts(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


@contextmanager
def logged() -> Iterator[list[str]]:
    """What is logged while the context lasts, at the levels in force."""
    handler, root = _Texts(), logging.getLogger()
    root.addHandler(handler)
    try:
        yield handler.texts
    finally:
        root.removeHandler(handler)
