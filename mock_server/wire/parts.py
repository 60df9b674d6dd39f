"""Internals of uvicorn, h11 and zttp that this package uses, and their check.

These names are undocumented, so any release may change them. They are checked before a
server starts, not at the first request.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

HttpParser = Literal["zttp", "h11"]
OLDEST_UVICORN = "0.30"
NEWEST_UVICORN = "0.54"
"""Releases that the tests have run with; others may work as well."""


class UnfitUvicorn(Exception):
    """An unsuitable uvicorn; the message names what is missing."""


class Part(NamedTuple):
    """A class of another package, and its names that are used."""

    module: str
    name: str
    uses: str


_SERVER = (
    # A stop has phases, and loses no request that is being sent.
    Part(
        "uvicorn.server",
        "Server",
        "serve startup main_loop on_tick shutdown capture_signals handle_exit servers "
        "server_state config lifespan should_exit force_exit _captured_signals",
    ),
    # A stop is announced in each response, and waits for the last one.
    Part("uvicorn.server", "ServerState", "connections tasks default_headers"),
)
_STARTS = ("__init__", "startup")
_ZTTP, _H11 = "uvicorn.protocols.http.zttp_impl", "uvicorn.protocols.http.h11_impl"
# A request has a deadline, and is refused if its end is ambiguous.
_PROTOCOL = (
    "connection_made data_received eof_received connection_lost on_response_complete "
    "send_400_response transport loop app_state cycle conn"
)
# What a request has sent so far, and whether it has its response.
_CYCLE = (
    "scope body more_body response_started response_complete disconnected keep_alive "
    "waiting_for_100_continue flow"
)
# A response that is whole is sent in one piece.
_WHOLE = "body conn default_headers message_event on_response transport"
# Lines are checked before h11 normalises them; h11 then refuses all that zttp refuses.
_LINES = "_data _extract maybe_extract_lines maybe_extract_next_line"
PARTS: dict[HttpParser, tuple[Part, ...]] = {
    "zttp": (
        *_SERVER,
        Part(_ZTTP, "ZttpProtocol", _PROTOCOL),
        Part(_ZTTP, "RequestResponseCycle", f"{_CYCLE} {_WHOLE}"),
    ),
    "h11": (
        *_SERVER,
        Part(_H11, "H11Protocol", _PROTOCOL),
        Part(_H11, "RequestResponseCycle", _CYCLE),
        Part("h11._connection", "Connection", "_receive_buffer"),
        Part("h11._receivebuffer", "ReceiveBuffer", _LINES),
        Part("h11._util", "LocalProtocolError", ""),
    ),
}
"""The classes that a server needs, by parser."""


def best_parser() -> HttpParser:
    """Return zttp if it is installed and uvicorn knows it (since 0.52), else h11."""
    modules = ("zttp", _ZTTP)
    return "zttp" if all(map(find_spec, modules)) else "h11"


def check(parts: Iterable[Part]) -> None:
    """Check all of these parts. Raises UnfitUvicorn for the first missing name."""
    for part in parts:
        place = f"{part.module}.{part.name}"
        try:
            found = getattr(import_module(part.module), part.name)
        except (ImportError, AttributeError):
            raise _unfit(place) from None
        for missing in sorted(set(part.uses.split()) - _names(found)):
            raise _unfit(f"{place}.{missing}")


def _names(cls: type[Any]) -> set[str]:
    """Return the names of a class and those that its instances get at their start.

    Includes other names in these methods, which is harmless: a closer look takes 5 ms.
    """
    starts = (vars(cls)[name].__code__ for name in _STARTS if name in vars(cls))
    return {*dir(cls), *(name for code in starts for name in code.co_names)}


def _unfit(place: str) -> UnfitUvicorn:
    uvicorn, h11 = (import_module(name).__version__ for name in ("uvicorn", "h11"))
    return UnfitUvicorn(
        f"Expected uvicorn and h11 to be built as in uvicorn {OLDEST_UVICORN} to "
        f"{NEWEST_UVICORN}, got uvicorn {uvicorn} and h11 {h11} without {place} - "
        "at the installed packages"
    )
