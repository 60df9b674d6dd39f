"""The presets: named lists of faults."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

Fields = Mapping[str, Any]


class Preset(Struct, frozen=True):
    """A named list of faults, and a sentence about it in English and Chinese."""

    sentence: str
    chinese: str
    faults: tuple[Fields, ...]


def _for_test_run(*faults: Fields) -> tuple[Fields, ...]:
    """Return the faults with 10,000 firings and a lifetime of 600 seconds."""
    return tuple({**each, "times": 10_000, "ttl": 600} for each in faults)


PRESETS: Mapping[str, Preset] = {
    "flaky": Preset(
        "One request in five fails: an error, a reset, or a lost response.",
        "每五个请求有一个失败：错误、连接重置或应答丢失。",
        _for_test_run(
            {"kind": "error", "probability": 0.1},
            {"kind": "reset", "probability": 0.06},
            {"kind": "error", "status": 502, "phase": "after", "probability": 0.06},
        ),
    ),
    "slow": Preset(
        "Responses take 300 ms in the median, some take seconds.",
        "应答时间的中位数为 300 毫秒，有些长达数秒。",
        _for_test_run({"kind": "delay", "median": 300, "sigma": 0.8}),
    ),
    "rate-limited": Preset(
        "Each key may send ten requests in ten seconds.",
        "每个密钥每十秒十个请求。",
        ({"kind": "rate_limit", "limit": 10, "window": 10, "ttl": 600},),
    ),
    "offline": Preset(
        "Every request is reset.",
        "每次调用操作都会遇到连接重置。",
        _for_test_run({"kind": "reset"}),
    ),
    "eventually-consistent": Preset(
        "Every other list lags: items appear or vanish between pages, totals are off; "
        "some writes are lost.",
        "每两次列表就有一次滞后：条目在翻页间出现或消失，总数不准；部分写入丢失。",
        _for_test_run(
            {"kind": "page_drift", "insert": 1, "probability": 0.2},
            {"kind": "page_drift", "remove": 1, "probability": 0.2},
            {"kind": "wrong_total", "by": 1, "probability": 0.2},
            {"kind": "lost_write", "probability": 0.1},
        ),
    ),
    "unknown-types": Preset(
        "Items have an unknown type and trainingType.",
        "条目带有从未见过的 type 和 trainingType。",
        _for_test_run(
            {"kind": "alter", "set": {"type": "hologram", "trainingType": "osmosis"}}
        ),
    ),
    "extra-fields": Preset(
        "Items have an undocumented field.",
        "条目比文档多一个字段。",
        _for_test_run({"kind": "alter", "set": {"newInNextVersion": {"a": [1]}}}),
    ),
    "missing-fields": Preset(
        "Items lack documented fields.",
        "条目缺少文档中的字段。",
        _for_test_run(
            {"kind": "alter", "remove": ["tags", "updateTime", "permission"]}
        ),
    ),
    "null-fields": Preset(
        "Fields that must not be null are null.",
        "条目中不应为 null 的字段变成了 null。",
        _for_test_run(
            {"kind": "alter", "set": {"name": None, "tags": None, "updateTime": None}}
        ),
    ),
}


def faults_of(preset: str, seed: int) -> list[Fields]:
    """Return the faults of a preset, each with this seed. Raises KeyError."""
    return [{**fields, "seed": seed} for fields in PRESETS[preset].faults]
