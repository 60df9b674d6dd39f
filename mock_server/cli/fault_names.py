"""Names of faults as they are typed, with the mistakes that are made with them."""

import re
from collections.abc import Collection

from mock_server.api.faults.table import KINDS, PRESETS
from mock_server.domain.errors import did_you_mean

_FIRST_NAME = re.compile(r"\s*([\w-]+)\s*([\s:,;=]?)")


def mistake_of(text: str, several: str = "") -> str:
    """What is wrong with a text that is to be a kind or a preset; "" if it is one.

    `several` says how to give several faults, where fields follow behind a colon; if
    it is empty, fields are arguments of their own.
    """
    if text in KINDS or text in PRESETS:
        return ""
    found = _FIRST_NAME.match(text)
    name, mark = found.groups() if found else ("", "")
    if name in KINDS or name in PRESETS:
        rest = text[found.end() :].strip() if found else ""
        if not several:
            form = f"{name} {rest.replace(',', ' ')}"
            return f"Expected fields behind a space ({form}), got {text!r}"
        if mark in (",", ";") or rest in KINDS or rest in PRESETS:
            return f"Expected {several}, got {text!r}"
        form = f"{name}:{','.join(rest.split())}"
        return f"Expected fields behind a colon ({form}), got {text!r}"
    hint = did_you_mean(text, [*KINDS, *PRESETS])
    kinds, presets = ", ".join(KINDS), ", ".join(PRESETS)
    expected = f"a kind of fault ({kinds}) or a preset ({presets})"
    return f"Expected {expected}, got {text!r}{hint}"


def mistake_of_preset(name: str, given: Collection[str]) -> str:
    """What is wrong with fields of a preset; "" if nothing is, or it is a kind."""
    strange = [field for field in given if field != "seed"]
    if name not in PRESETS or not strange:
        return ""
    why = "its faults have their own fields"
    return f"Expected only seed for the preset {name}, got {strange[0]} ({why})"
