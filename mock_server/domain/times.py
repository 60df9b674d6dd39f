"""Times as whole milliseconds since 1970 UTC, and their one written form."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)

DEFAULT_TIME = 1704067200000
"""2024-01-01T00:00:00.000Z: the time of everything that declares none."""
MIN_TIME = -62135596800000
MAX_TIME = 253402300799999
"""9999-12-31T23:59:59.999Z, the last time that can be written."""


def parse_time(text: str) -> int:
    """Milliseconds of an RFC 3339 date-time with seconds and an offset.

    Raises ValueError for every other form and for years outside 1 to 9999.
    """
    if not _RFC3339.fullmatch(text):
        raise ValueError("not an RFC 3339 date-time")
    ms = (datetime.fromisoformat(text.upper()) - _EPOCH) // _MS
    if not MIN_TIME <= ms <= MAX_TIME:
        raise ValueError("a year outside 1 to 9999")
    return ms


def format_time(ms: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ`, the one form in which times are written."""
    moment = (_EPOCH + ms * _MS).replace(tzinfo=None)
    return moment.isoformat(timespec="milliseconds") + "Z"
