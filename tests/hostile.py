"""Small fixture files that mean harm: bombs, deep nests, unsafe tags."""

from __future__ import annotations


def alias_bomb(levels: int) -> str:
    """350 bytes that stand for 9 ** levels values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        items = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"a{level}: &a{level} [{items}]")
    return "\n".join(lines)


HOSTILE = {
    "alias_bomb": alias_bomb(9),
    "wide_alias_bomb": "a: &a [" + "x, " * 1000 + "]\nb: [" + "*a, " * 1000 + "]",
    "merge_bomb": "a: &a {x: 1}\n" + "".join(f"m{n}: {{<<: *a}}\n" for n in range(999)),
    "recursive_alias": "apps: &a [*a]",
    "anchors": "".join(f"a{n}: &a{n} x\n" for n in range(10_000)),
    "flow_depth": "[" * 100_000,
    "flow_depth_closed": "[" * 2_000 + "]" * 2_000,
    "map_depth": "{a: " * 50_000,
    "block_depth": "".join(" " * n + "-\n" for n in range(400)),
    "compact_depth": "- " * 20_000 + "x",
    "question_depth": "? " * 20_000 + "x",
    "python_tag": "apps: !!python/object/apply:os.system ['true']",
    "python_name": "apps: !!python/name:os.system",
    "binary": "clock: !!binary aGk=",
    "set": "apps: !!set {a, b}",
    "timestamp": "clock: !!timestamp 2024-01-01T00:00:00Z",
    "own_tag": "%TAG ! tag:example.com,2026:\n---\napps: !x []",
    "two_documents": "apps: []\n---\napps: []",
    "tab": "apps:\n\t- id: a",
    "nul": "apps: []\n# \x00",
    "duplicate_keys": "apps: []\napps: []",
    "integer_key": "apps: [{1: 2}]",
    "long_integer": "clock: " + "9" * 5_000,
    "repeat_bomb": "datasets: [{id: d, collections: [{name: x, repeat: 2000000, "
    "children: [{name: y, repeat: 2000000}]}]}]",
    "long_scalar": "apps: '" + "x" * 500_000,
}
