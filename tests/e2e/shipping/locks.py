"""The locks of what the image and the zipapp are made of."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement

from tests.support import ROOT

RUNTIME = ROOT / ".ci" / "requirements.txt"
TOOLS = ROOT / ".ci" / "tools.txt"


def pins(path: Path = RUNTIME) -> list[tuple[Requirement, str]]:
    """What a lock pins, each with what is below it: hashes, and who needs it."""
    parts = re.split(r"^(?=[a-z])", path.read_text(), flags=re.MULTILINE)[1:]
    return [(Requirement(part.partition("\\")[0]), part) for part in parts]


def locked(path: Path = RUNTIME) -> dict[str, str]:
    """The version of each package that a lock pins for machines like this one."""
    here = {name: str(value) for name, value in default_environment().items()}
    pinned = [
        pin for pin, _ in pins(path) if not pin.marker or pin.marker.evaluate(here)
    ]
    return {pin.name: str(pin.specifier).removeprefix("==") for pin in pinned}
