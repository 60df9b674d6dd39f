"""Arguments of the form `FIELD=VALUE`, where a VALUE is JSON, or else text."""

from collections.abc import Collection, Sequence
from typing import Any

import click
import msgspec
from msgspec import Struct, inspect


def fields_of(texts: Sequence[str], are_text: Collection[str] = ()) -> dict[str, Any]:
    """The values by their fields. Of those that `are_text`, digits are text too.

    Raises BadParameter.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"Expected FIELD=VALUE, got {text!r}")
        if name in found:
            raise click.BadParameter(f"Expected {name} once, got it again")
        found[name] = value_of(value, is_text=name in are_text)
    return found


def value_of(text: str, *, is_text: bool = False) -> Any:
    """The value of a text; one that `is_text` is a string of JSON, null, or as is."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return text  # so that it needs no quotes within those of the shell
    return value if not is_text or value is None or isinstance(value, str) else text


def text_fields(*structs: type[Struct]) -> set[str]:
    """The names of the fields that are texts, or can be."""
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
