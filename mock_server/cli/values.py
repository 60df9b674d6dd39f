"""Parses faults and fields in options and arguments, and explains their mistakes."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
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


def parse_faults(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> list[Fault]:
    """Called by click; returns the faults of `KIND[:FIELD=VALUE[,...]]` texts.

    Raises BadValue.
    """
    place = place_of(ctx, param)
    faults = [fault for text in values for fault in _parse_fault(text, place)]
    if len(faults) > DEFAULT_LIMITS.faults:
        expected = f"Expected at most {DEFAULT_LIMITS.faults} faults"
        raise BadValue(f"{expected}, got {len(faults)} - at {place}")
    return faults


def _parse_fault(text: str, place: str) -> Sequence[Fault]:
    """Return the fault of a text, or all faults if it is a preset. Raises BadValue."""
    name, _, rest = text.partition(":")
    name = name.strip()
    separation = "one --fault for each"
    if place != "--fault":
        separation = "`;` between faults, and quote them all for a shell"
    if mistake := name_mistake(name, separation):
        raise BadValue(f"{mistake} - at {place}")
    if field := _number_field(name, rest):
        raise BadValue(f"Expected {name}:{field}, got {text!r} - at {place}")
    place = f"{place} {name}"
    text_names = text_fields(KINDS[name]) if name in KINDS else ()
    fields = _split_fields(rest, place, text_names, separation)
    # These fields would override the name in front of the colon.
    if fields.keys() & {"kind", "preset"}:
        raise BadValue(f"Expected {name} alone, got a kind or preset too - at {place}")
    if mistake := preset_mistake(name, fields):
        raise BadValue(f"{mistake} - at {place}")

    def refuse(mistake: Mistake) -> None:
        where = ":" + dotted(mistake.path)[2:] if mistake.path else ""
        raise BadValue(f"{mistake.message} - at {place}{where}")

    kind = "preset" if name in PRESETS else "kind"
    return read_faults({kind: name, **fields}, refuse, responses=ANY_ROUTE)


def _split_fields(
    text: str, place: str, text_names: Collection[str], separation: str
) -> Mapping[str, Any]:
    """Return the fields of `FIELD=VALUE,...`; a value is JSON or else text.

    `separation` says how to write several faults. Raises BadValue.
    """
    fields: dict[str, Any] = {}
    while text := text.strip():
        word = re.split("[,:]", text)[0].strip()
        if word in KINDS or word in PRESETS:
            noun = "kind of fault" if word in KINDS else "preset"
            expected = f"Expected FIELD=VALUE, got {text!r} - at {place}"
            raise BadValue(f"{expected} ({word} is a {noun}: write {separation})")
        name, equals, rest = text.partition("=")
        if not equals:
            raise BadValue(f"Expected FIELD=VALUE, got {text!r} - at {place}")
        name = name.strip()
        if name in fields:
            raise BadValue(f"Expected {name} once, got it again - at {place}")
        if mistake := "" if name in text_names else json_mistake(rest):
            raise BadValue(f"{mistake} - at {place}:{name}")
        fields[name], text = _value(rest)
    return fields


def _value(text: str) -> tuple[Any, str]:
    """Return the value at the start of a text, and the text behind its comma."""
    try:
        value, end = _DECODER.raw_decode(text)
        rest = text[end:].lstrip()
        if not rest or rest[0] == ",":
            return value, rest[1:]
    except (ValueError, RecursionError):
        pass  # a text that is not JSON needs no second quotes in a shell
    plain, _, rest = text.partition(",")
    return plain.strip(), rest


def name_mistake(text: str, separation: str = "") -> str:
    """Return the message for a text that is neither a kind nor a preset, else "".

    `separation` says how to write several faults, whose fields stand behind a colon. If
    it is empty, fields are separate arguments.
    """
    if text in KINDS or text in PRESETS:
        return ""
    match = _FIRST_NAME.match(text)
    name, mark = match.groups() if match else ("", "")
    if name in KINDS or name in PRESETS:
        rest = text[match.end() :].strip() if match else ""
        rest = _number_field(name, rest) or rest
        if not separation:
            form = f"{name} {rest.replace(',', ' ')}"
            return f"Expected fields behind a space ({form}), got {text!r}"
        if (mark in (",", ";") and "=" not in rest) or rest in {*KINDS, *PRESETS}:
            return f"Expected {separation}, got {text!r}"
        form = f"{name}:{','.join(rest.replace(',', ' ').split())}"
        return f"Expected fields behind a colon ({form}), got {text!r}"
    hint = did_you_mean(re.sub("^(kind|preset)=", "", text), [*KINDS, *PRESETS])
    field = text.partition("=")[0]
    owner = next((kind for kind in KINDS if field in KINDS[kind].own_fields()), "")
    if owner and "=" in text:
        hint = f" (did you mean {owner}{':' if separation else ' '}{text}?)"
    if text.isdigit():
        hint = f" (did you mean error{':' if separation else ' '}status={text}?)"
    kinds, presets = ", ".join(KINDS), ", ".join(PRESETS)
    expected = f"a kind of fault ({kinds}) or a preset ({presets})"
    return f"Expected {expected}, got {text!r}{hint}"


def _number_field(name: str, text: str) -> str:
    """Return a lone number as a field of the kind, such as `status=500`, else ""."""
    text = as_ms(text.strip())
    if name not in KINDS or not text.isdigit():
        return ""
    items = KINDS[name].own_fields().items()
    numbers = [each for each, value in items if not isinstance(value, str)]
    field = "ms" if "ms" in numbers else [*numbers, "times"][0]
    return f"{field}={text}"


def preset_mistake(name: str, fields: Collection[str]) -> str:
    """Return the message for fields that a preset cannot have, else ""."""
    wrong = [field for field in fields if field != "seed"]
    if name not in PRESETS or not wrong:
        return ""
    reason = "its faults have their own fields"
    return f"Expected only seed for the preset {name}, got {wrong[0]} ({reason})"


def parse_fields(
    words: Sequence[str], text_names: Collection[str] = (), known: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the values of `FIELD=VALUE` words by field. Raises BadParameter.

    In the fields `text_names`, numbers are texts too. The message for a lone number
    suggests the first of the `known` fields.
    """
    fields: dict[str, Any] = {}
    for word, next_word in zip_longest(words, words[1:], fillvalue="VALUE"):
        name, equals, value = word.partition("=")
        if not equals:
            form = f"operation={word}" if "operation" in known else ""
            if word in known:
                form = f"{word}={'VALUE' if '=' in next_word else next_word}"
            elif word[:1].isdigit():
                form = f"{''.join(known[:1])}={as_ms(word)}"
            hint = f" (did you mean {form}?)" if form else ""
            raise click.BadParameter(f"Expected FIELD=VALUE, got {word!r}{hint}")
        if name in fields:
            raise click.BadParameter(f"Expected {name} once, got it again")
        fields[name] = parse_value(value, is_text=name in text_names)
        if fields[name] != value or name in text_names:
            continue
        if mistake := json_mistake(value):
            raise click.BadParameter(f"{mistake} - at {name}")
        if re.search(r",(\w+=|$)", value):
            fix = "write a space between fields, no comma"
            raise click.BadParameter(f"Expected FIELD=VALUE, got {word!r} ({fix})")
    return fields


_LIKE_JSON = re.compile(r"\s*(\{\s*['\w]|\[\s*')")


def json_mistake(text: str) -> str:
    """Return the message for JSON without double quotes, else "".

    A placeholder such as `{{path.id}}` is a valid text.
    """
    if not _LIKE_JSON.match(text):
        return ""
    fixed, example = text.replace("'", '"'), '{"key": "x"}'
    with suppress(ValueError, RecursionError):
        example = fixed[: _DECODER.raw_decode(fixed)[1]]
    hint = f"JSON has double quotes, and for a shell single ones around: '{example}'"
    return f"Expected JSON, got {text!r} ({hint})"


def parse_value(text: str, *, is_text: bool = False) -> Any:
    """Return a text's JSON value or the text; if `is_text`, only a string or null."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text  # a text that is not JSON needs no second quotes in a shell
    return value if not is_text or value is None or isinstance(value, str) else text


def text_fields(*structs: type[Struct]) -> set[str]:
    """Return the names of the fields that can be texts."""
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
