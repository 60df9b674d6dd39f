"""Parse the faults and fields in options and arguments; explain their mistakes."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import click
import msgspec
from msgspec import Struct, inspect

from mock_server.api.faults.fault import Fault
from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS, read_faults
from mock_server.api.operations.answered_path import ANY_ROUTE
from mock_server.cli.options import place_of
from mock_server.cli.output import BadValue
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.messages import as_ms, did_you_mean
from mock_server.domain.validation.walk import Mistake, dotted

_FIRST_NAME = re.compile(r"\s*([\w-]+)\s*([\s:,;=]?)")
_DECODER = json.JSONDecoder()


def faults(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> list[Fault]:
    """Called by click; returns the faults of `KIND[:FIELD=VALUE[,...]]` texts.

    Raises BadValue.
    """
    place = place_of(ctx, param)
    found = [fault for text in values for fault in _faults(text, place)]
    if len(found) > DEFAULT_LIMITS.faults:
        expected = f"Expected at most {DEFAULT_LIMITS.faults} faults"
        raise BadValue(f"{expected}, got {len(found)} - at {place}")
    return found


def _faults(text: str, place: str) -> Sequence[Fault]:
    """Return the fault, or all faults of the preset, in a text. Raises BadValue."""
    name, _, rest = text.partition(":")
    name = name.strip()
    several = "one --fault for each"
    if place != "--fault":
        several = "`;` between faults, and quote them all for a shell"
    if mistake := mistake_of(name, several):
        raise BadValue(f"{mistake} - at {place}")
    if meant := _meant(name, rest):
        raise BadValue(f"Expected {name}:{meant}, got {text!r} - at {place}")
    place = f"{place} {name}"
    are_text = text_fields(KINDS[name]) if name in KINDS else ()
    fields = _fields(rest, place, are_text, several)
    # These fields would override the name in front of the colon.
    if fields.keys() & {"kind", "preset"}:
        raise BadValue(f"Expected {name} alone, got a kind or preset too - at {place}")
    if mistake := mistake_of_preset(name, fields):
        raise BadValue(f"{mistake} - at {place}")

    def refuse(mistake: Mistake) -> None:
        where = ":" + dotted(mistake.path)[2:] if mistake.path else ""
        raise BadValue(f"{mistake.message} - at {place}{where}")

    kind = "preset" if name in PRESETS else "kind"
    return read_faults({kind: name, **fields}, refuse, responses=ANY_ROUTE)


def _fields(
    text: str, place: str, are_text: Collection[str], several: str
) -> Mapping[str, Any]:
    """Return the fields of `FIELD=VALUE,...`; a value is JSON or else text.

    `several` says how to give several faults. Raises BadValue.
    """
    fields: dict[str, Any] = {}
    while text := text.strip():
        word = re.split("[,:]", text)[0].strip()
        if word in KINDS or word in PRESETS:
            what = "kind of fault" if word in KINDS else "preset"
            expected = f"Expected FIELD=VALUE, got {text!r} - at {place}"
            raise BadValue(f"{expected} ({word} is a {what}: write {several})")
        name, equals, rest = text.partition("=")
        if not equals:
            raise BadValue(f"Expected FIELD=VALUE, got {text!r} - at {place}")
        name = name.strip()
        if name in fields:
            raise BadValue(f"Expected {name} once, got it again - at {place}")
        if hint := "" if name in are_text else not_json(rest):
            raise BadValue(f"{hint} - at {place}:{name}")
        fields[name], text = _value(rest)
    return fields


def _value(text: str) -> tuple[Any, str]:
    """Return the value that a text begins with, and the text after its comma."""
    try:
        value, end = _DECODER.raw_decode(text)
        rest = text[end:].lstrip()
        if not rest or rest[0] == ",":
            return value, rest[1:]
    except (ValueError, RecursionError):
        pass  # no JSON: then it needs no quotes within those of the shell
    plain, _, rest = text.partition(",")
    return plain.strip(), rest


def mistake_of(text: str, several: str = "") -> str:
    """Return why a text is no kind and no preset; "" if it is one.

    `several` says how to give several faults, where fields follow behind a colon; if it
    is empty, fields are arguments of their own.
    """
    if text in KINDS or text in PRESETS:
        return ""
    found = _FIRST_NAME.match(text)
    name, mark = found.groups() if found else ("", "")
    if name in KINDS or name in PRESETS:
        rest = text[found.end() :].strip() if found else ""
        rest = _meant(name, rest) or rest
        if not several:
            form = f"{name} {rest.replace(',', ' ')}"
            return f"Expected fields behind a space ({form}), got {text!r}"
        if (mark in (",", ";") and "=" not in rest) or rest in {*KINDS, *PRESETS}:
            return f"Expected {several}, got {text!r}"
        form = f"{name}:{','.join(rest.replace(',', ' ').split())}"
        return f"Expected fields behind a colon ({form}), got {text!r}"
    hint = did_you_mean(re.sub("^(kind|preset)=", "", text), [*KINDS, *PRESETS])
    if text.isdigit():
        hint = f" (did you mean error{':' if several else ' '}status={text}?)"
    kinds, presets = ", ".join(KINDS), ", ".join(PRESETS)
    expected = f"a kind of fault ({kinds}) or a preset ({presets})"
    return f"Expected {expected}, got {text!r}{hint}"


def _meant(name: str, text: str) -> str:
    """Return a lone number as a field of a kind, `status=500`; else an empty text."""
    text = as_ms(text.strip())
    if name not in KINDS or not text.isdigit():
        return ""
    own = KINDS[name].own_fields().items()
    numbers = [each for each, value in own if not isinstance(value, str)] or ["times"]
    field = "ms" if "ms" in numbers else numbers[0]
    return f"{field}={text}"


def mistake_of_preset(name: str, given: Collection[str]) -> str:
    """Return why a preset cannot have these fields; "" if it can, or is a kind."""
    strange = [field for field in given if field != "seed"]
    if name not in PRESETS or not strange:
        return ""
    why = "its faults have their own fields"
    return f"Expected only seed for the preset {name}, got {strange[0]} ({why})"


def fields_of(
    texts: Sequence[str], are_text: Collection[str] = (), known: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the values by field; in the fields `are_text`, digits are text too.

    A value alone is likely meant for the first of the `known` fields. Raises
    BadParameter.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            meant = f"{''.join(known[:1])}={as_ms(text)}"
            meant = f"{text}=VALUE" if text in known else meant
            hint = f" (did you mean {meant}?)" if known else ""
            raise click.BadParameter(f"Expected FIELD=VALUE, got {text!r}{hint}")
        if name in found:
            raise click.BadParameter(f"Expected {name} once, got it again")
        found[name] = value_of(value, is_text=name in are_text)
        if found[name] != value or name in are_text:
            continue
        if why := not_json(value):
            raise click.BadParameter(f"{why} - at {name}")
        if re.search(r",(\w+=|$)", value):
            how = "write a space between fields, no comma"
            raise click.BadParameter(f"Expected FIELD=VALUE, got {text!r} ({how})")
    return found


_LIKE_JSON = re.compile(r"\s*(\{\s*['\w]|\[\s*')")


def not_json(text: str) -> str:
    """Return a hint for a text like JSON without double quotes, else an empty text.

    `{{path.id}}` is a text, and may be in the place of any JSON.
    """
    if not _LIKE_JSON.match(text):
        return ""
    meant, example = text.replace("'", '"'), '{"key": "x"}'
    with suppress(ValueError, RecursionError):
        example = meant[: _DECODER.raw_decode(meant)[1]]
    how = f"JSON has double quotes, and for a shell single ones around: '{example}'"
    return f"Expected JSON, got {text!r} ({how})"


def value_of(text: str, *, is_text: bool = False) -> Any:
    """Return a text's JSON value; if `is_text`, a string, null or the text itself."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return text  # so that it needs no quotes within those of the shell
    return value if not is_text or value is None or isinstance(value, str) else text


def text_fields(*structs: type[Struct]) -> set[str]:
    """Return the names of the fields that are texts, or can be."""
    infos = (inspect.type_info(each) for each in structs)
    return {
        field.encode_name
        for info in infos
        if isinstance(info, inspect.StructType)
        for field in info.fields
        if _is_text(field.type)
    }


def _is_text(kind: inspect.Type) -> bool:
    match kind:
        case inspect.StrType():
            return True
        case inspect.Metadata(type=inner):
            return _is_text(inner)
        case inspect.UnionType(types=kinds):
            return any(map(_is_text, kinds))
    return False
