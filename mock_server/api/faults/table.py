"""The table of kinds. Documents, commands and the console show it."""

from collections.abc import Mapping
from typing import Any

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
from mock_server.api.operations.declared import name_schema


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
    def rules(self) -> list[Mapping[str, Any]]:
        """What the type does not say of the fields, as JSON Schemas."""
        names = ("*", *self.definition.operations())
        # What a kind has a meaning for by a trait is no declared response.
        operations = {"enum": [*names]} if self.definition.trait else name_schema(names)
        return [{"properties": {"operation": operations}}, self.definition.schema]

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


Fields = Mapping[str, Any]
_LONG: Fields = {"times": 10_000, "ttl": 600}


class Preset(Struct, frozen=True):
    """What it is like, and the faults that make it so."""

    sentence: str
    faults: tuple[Fields, ...]


PRESETS: Mapping[str, Preset] = {
    "flaky": Preset(
        "One request in five fails: an error, a reset, or a lost answer.",
        (
            {"kind": "error", "probability": 0.1, **_LONG},
            {"kind": "reset", "probability": 0.06, **_LONG},
            {
                "kind": "error",
                "status": 502,
                "phase": "after",
                "probability": 0.06,
                **_LONG,
            },
        ),
    ),
    "slow": Preset(
        "Answers take 300 ms in the median, some of them seconds.",
        ({"kind": "delay", "median": 300, "sigma": 0.8, **_LONG},),
    ),
    "rate-limited": Preset(
        "Ten requests in ten seconds for each key.",
        ({"kind": "rate_limit", "limit": 10, "window": 10, "ttl": 600},),
    ),
    "offline": Preset(
        "Every call of an operation meets a reset.",
        ({"kind": "reset", **_LONG},),
    ),
    "eventually-consistent": Preset(
        "Every other list lags: items appear or vanish between pages, totals are off; "
        "some writes are forgotten.",
        (
            {"kind": "page_drift", "insert": 1, "probability": 0.2, **_LONG},
            {"kind": "page_drift", "remove": 1, "probability": 0.2, **_LONG},
            {"kind": "wrong_total", "by": 1, "probability": 0.2, **_LONG},
            {"kind": "lost_write", "probability": 0.1, **_LONG},
        ),
    ),
    "unknown-types": Preset(
        "Items have a type and a trainingType that nobody has heard of.",
        (
            {
                "kind": "alter",
                "set": {"type": "hologram", "trainingType": "osmosis"},
                **_LONG,
            },
        ),
    ),
    "extra-fields": Preset(
        "Items have a field more than is documented.",
        ({"kind": "alter", "set": {"newInNextVersion": {"a": [1]}}, **_LONG},),
    ),
    "missing-fields": Preset(
        "Items lack fields that are documented.",
        ({"kind": "alter", "remove": ["tags", "updateTime", "permission"], **_LONG},),
    ),
    "null-fields": Preset(
        "Fields of items are null that never should be.",
        (
            {
                "kind": "alter",
                "set": {"name": None, "tags": None, "updateTime": None},
                **_LONG,
            },
        ),
    ),
}


def faults_of(preset: str, seed: int) -> list[dict[str, Any]]:
    """The faults of a preset, each with that seed. Raises KeyError."""
    return [{**fields, "seed": seed} for fields in PRESETS[preset].faults]
