"""What only the world outside can tell; it is handed in, so that tests can turn it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class Outside(Struct, frozen=True):
    """`time` is the real time in milliseconds, `seconds` a clock that never jumps,
    `secret` a new unguessable text.
    """

    time: Callable[[], int]
    seconds: Callable[[], float]
    secret: Callable[[], str]
