"""Lists the internal names of uvicorn and h11 that this package uses, and checks them.

The names are undocumented, so any release may change them. The check runs before a
server starts, so that no request fails later.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

HttpParser = Literal["zttp", "h11"]
OLDEST_UVICORN = "0.30"
NEWEST_UVICORN = "0.54"
"""The oldest and the newest release that the tests use; newer ones may work."""


class UnsupportedUvicorn(Exception):
    """The installed uvicorn or h11 is unsuitable; the message has the missing name."""


class UsedClass(NamedTuple):
    """A class of another package, and the names in it that are used."""

    module: str
    name: str
    used_names: str


_SERVER = (
    # For a stop in phases, which loses no request.
    UsedClass(
        "uvicorn.server",
        "Server",
        "serve startup main_loop on_tick shutdown capture_signals handle_exit servers "
        "server_state config lifespan should_exit force_exit _captured_signals",
    ),
    # For a stop that each response announces, and that waits for the last response.
    UsedClass("uvicorn.server", "ServerState", "connections tasks default_headers"),
)
_START_METHODS = ("__init__", "startup")
_ZTTP, _H11 = "uvicorn.protocols.http.zttp_impl", "uvicorn.protocols.http.h11_impl"
# For the deadline of a request, and for refusing one whose end is ambiguous.
_PROTOCOL_NAMES = (
    "connection_made data_received eof_received connection_lost on_response_complete "
    "send_400_response transport loop app_state cycle conn _unset_keepalive_if_required"
)
# For the state of a request and its response.
_CYCLE_NAMES = (
    "scope body more_body response_started response_complete disconnected keep_alive "
    "waiting_for_100_continue flow"
)
# For sending a whole response in one piece.
_WHOLE_RESPONSE_NAMES = "body conn default_headers message_event on_response transport"
# For checking lines before h11 normalises them.
_LINE_NAMES = "_data _extract maybe_extract_lines maybe_extract_next_line"
USED_CLASSES: dict[HttpParser, tuple[UsedClass, ...]] = {
    "zttp": (
        *_SERVER,
        UsedClass(_ZTTP, "ZttpProtocol", _PROTOCOL_NAMES),
        UsedClass(
            _ZTTP, "RequestResponseCycle", f"{_CYCLE_NAMES} {_WHOLE_RESPONSE_NAMES}"
        ),
    ),
    "h11": (
        *_SERVER,
        UsedClass(_H11, "H11Protocol", _PROTOCOL_NAMES),
        UsedClass(_H11, "RequestResponseCycle", _CYCLE_NAMES),
        UsedClass("h11._connection", "Connection", "_receive_buffer"),
        UsedClass("h11._receivebuffer", "ReceiveBuffer", _LINE_NAMES),
        UsedClass("h11._util", "LocalProtocolError", ""),
    ),
}
"""The classes that a server needs, by parser."""


def best_parser() -> HttpParser:
    """Return zttp if it is installed and uvicorn knows it (since 0.52), else h11."""
    modules = ("zttp", _ZTTP)
    return "zttp" if all(map(find_spec, modules)) else "h11"


def check(used_classes: Iterable[UsedClass]) -> None:
    """Check these classes. Raises UnsupportedUvicorn for the first missing name."""
    for used_class in used_classes:
        place = f"{used_class.module}.{used_class.name}"
        try:
            found_class = getattr(import_module(used_class.module), used_class.name)
        except (ImportError, AttributeError):
            raise _missing_error(place) from None
        for missing in sorted(set(used_class.used_names.split()) - _names(found_class)):
            raise _missing_error(f"{place}.{missing}")


def _names(cls: type[Any]) -> set[str]:
    """Return the names of a class, and those that its first methods may set.

    For speed, these are all names in these methods; too many names do no harm.
    """
    start_codes = (
        vars(cls)[name].__code__ for name in _START_METHODS if name in vars(cls)
    )
    return {*dir(cls), *(name for code in start_codes for name in code.co_names)}


def _missing_error(place: str) -> UnsupportedUvicorn:
    uvicorn, h11 = (import_module(name).__version__ for name in ("uvicorn", "h11"))
    return UnsupportedUvicorn(
        f"Expected uvicorn {OLDEST_UVICORN} to {NEWEST_UVICORN}, got uvicorn {uvicorn} "
        f"and h11 {h11} without {place} - at the installed packages"
    )
