"""The table of kinds. Documents, commands and the console show it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from mock_server.api.faults.alter import Alter
from mock_server.api.faults.delay import Delay
from mock_server.api.faults.dribble import Dribble
from mock_server.api.faults.duplicate_item import DuplicateItem
from mock_server.api.faults.empty import Empty
from mock_server.api.faults.error import Error
from mock_server.api.faults.fault import Fault, kind_of
from mock_server.api.faults.garbage import Garbage
from mock_server.api.faults.hang import Hang
from mock_server.api.faults.lost_write import LostWrite
from mock_server.api.faults.malformed_json import MalformedJson
from mock_server.api.faults.page_drift import PageDrift
from mock_server.api.faults.rate_limit import RateLimited
from mock_server.api.faults.reset import Reset
from mock_server.api.faults.truncate import Truncate
from mock_server.api.faults.wrong_total import WrongTotal


class Kind(Struct, frozen=True):
    """One kind, by the class of its faults."""

    definition: type[Fault]

    @property
    def name(self) -> str:
        """What a fault calls it."""
        return kind_of(self.definition)

    @property
    def sentence(self) -> str:
        """What it does, in words."""
        return " ".join((self.definition.__doc__ or "").split())

    @property
    def fields(self) -> Mapping[str, object]:
        """Its own fields and their defaults, NODEFAULT for what must be there."""
        common = {each.name for each in msgspec.structs.fields(Fault)}
        return {
            each.encode_name: each.default
            for each in msgspec.structs.fields(self.definition)
            if each.name not in common
        }


_TABLE: tuple[type[Fault], ...] = (
    Error,
    Delay,
    Hang,
    Reset,
    Empty,
    Garbage,
    Truncate,
    MalformedJson,
    Dribble,
    RateLimited,
    LostWrite,
    PageDrift,
    DuplicateItem,
    WrongTotal,
    Alter,
)
KINDS = {kind_of(each): Kind(each) for each in _TABLE}
