"""Ready lists of faults under names that say what they are like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

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
        "some pins are forgotten.",
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
