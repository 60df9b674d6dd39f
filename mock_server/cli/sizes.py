"""Sizes as people write them: plain bytes, or with a unit."""

from __future__ import annotations

import re
from typing import Any

import click

_SIZE = re.compile("([0-9]{1,18})(|B|KiB|MiB|GiB|TiB)", re.ASCII)
_BYTES = {
    unit: 1024**power for power, unit in enumerate(("", "KiB", "MiB", "GiB", "TiB"))
}
_BYTES["B"] = 1


class Size(click.types.StringParamType):
    """A number of bytes, such as `512MiB`, `2GiB` or `1000000`."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The bytes, as an integer."""
        match = _SIZE.fullmatch(str(value))
        if match is None or int(match[1]) == 0:
            self.fail(f"Expected a size like 512MiB or 2GiB, got {value!r}", param, ctx)
        return int(match[1]) * _BYTES[match[2]]
