"""The runs of tests under other values of the choices: `--mock-server-choices`."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from mock_server.choices import profile, table
from mock_server.fixture.profile import profile_of


def selected(words: str) -> list[tuple[str, Any]]:
    """The choices with the values that `all`, `NAME` or `NAME=VALUE` select. Raises ValueError."""
    pairs = [
        (name, value)
        for name, (values, _) in table().items()
        # A number within a range behaves like its first and its last value.
        for value in (values if isinstance(values[0], str) else (values[0], values[-1]))
    ]
    found = []
    for word in words.split(","):
        matching = [it for it in pairs if word in ("all", it[0], f"{it[0]}={it[1]}")]
        if not matching:
            name = word.partition("=")[0]
            known = [f"{name}={it[1]}" for it in pairs if it[0] == name] or ["all", *table()]
            raise ValueError(f"Expected {', '.join(known)}, got {word!r}")
        found += matching
    return found


def differing(words: str, base: str | Path, fixed: Collection[str]) -> list[tuple[str, Any]]:
    """The selected values that a profile does not have, without choices that a test fixes."""
    name, of_file = profile_of(base)
    choices = profile(name, **of_file)
    return [
        (name, value)
        for name, value in selected(words)
        if name not in fixed and getattr(choices, name) != value
    ]
