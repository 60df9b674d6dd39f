"""What stands in the cells of generated tables: code, fields, amounts, signatures."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import NODEFAULT, Struct

from mock_server.domain.limits import Published

Schema = Mapping[str, Any]
LARGEST = 2**53 - 1
"""The largest integer that JSON readers keep exact: the bound of what has no other."""


def code(value: object) -> str:
    """A value as code in a cell."""
    return f"`{value}`".replace("|", "\\|")


def listed(values: Iterable[object]) -> str:
    """Values as code, with dots between them."""
    return ", ".join(map(code, values))


_parsed = cache(ast.parse)


def attributes(source: str, name: str) -> Iterator[tuple[str, str]]:
    """The attributes of a class, and the text that stands below each."""
    for node in _parsed(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            for field, text in zip(node.body, [*node.body[1:], None], strict=True):
                if isinstance(field, ast.AnnAssign):
                    yield ast.unparse(field.target), _text(text)


def _text(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return " ".join(str(node.value.value).split())
    return ""


def amount(name: str, value: float) -> str:
    """A limit with its unit, which its name tells."""
    if name.endswith(("_bytes", "_size")) and not name.endswith("page_size"):
        for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if value % size == 0:
                return f"{value // size:g} {unit}"
        return f"{value:,} bytes"
    if name.endswith(("_seconds", "_ttl")):
        return f"{value:,g} s" if value < 10_000 else f"{value:,.0f} s"
    return f"{value:,} ms" if name.endswith("_ms") else f"{value:,}"


def fields_of(
    kind: type[Struct], base: type[Struct] | None = None
) -> list[tuple[str, str, str]]:
    """The fields of a type that its base has not: name, values, default."""
    schema = msgspec.json.schema(kind)
    definitions = schema["$defs"]
    properties = definitions[schema["$ref"].rpartition("/")[2]]["properties"]
    inherited = {each.name for each in msgspec.structs.fields(base)} if base else set()
    return [
        (
            code(field.encode_name),
            takes(properties[field.encode_name], definitions),
            default(field),
        )
        for field in msgspec.structs.fields(kind)
        if field.name not in inherited
    ]


def with_texts(
    kind: type[Struct], base: type[Struct] | None = None
) -> list[tuple[str, str, str, str]]:
    """As `fields_of`, with the text that stands below each field in the class."""
    names = {each.name: each.encode_name for each in msgspec.structs.fields(kind)}
    texts = {
        code(names[name]): text
        for owner in reversed(kind.__mro__[: kind.__mro__.index(Struct)])
        for name, text in attributes(_source(owner), owner.__name__)
        if name in names
    }
    return [(*cells, texts[cells[0]]) for cells in fields_of(kind, base)]


def _source(kind: type) -> str:
    return Path(inspect.getfile(kind)).read_text("utf-8")


def default(field: msgspec.structs.FieldInfo) -> str:
    """The default of a field; empty if it has none, or is absent then."""
    if field.default_factory is not NODEFAULT:
        return ""
    if field.required:
        return "required"
    if field.default is None or not isinstance(field.default, bool | int | float | str):
        return ""
    if isinstance(field.default, float):
        return code(f"{field.default:g}")
    return code(msgspec.json.encode(field.default).decode())


_WORDS = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
    "array": "list",
    "null": "`null`",
}


_MANY = 8
"""More values than these are counted, not listed."""


def takes(schema: Schema, definitions: Schema) -> str:
    """What a JSON Schema allows, in words."""
    if "$ref" in schema:
        schema = definitions.get(schema["$ref"].rpartition("/")[2], {"type": "object"})
    if "anyOf" in schema:
        parts = [each for each in schema["anyOf"] if each != {"type": "null"}]
        return " or ".join(dict.fromkeys(takes(each, definitions) for each in parts))
    if "oneOf" in schema and "type" not in schema:
        return listed(each["const"] for each in schema["oneOf"])
    if "enum" in schema:
        values = schema["enum"]
        return listed(values) if len(values) <= _MANY else f"one of {len(values)} names"
    kind = schema.get("type")
    if kind == "string":
        return _string(schema)
    if kind == "array" and "items" in schema:
        return _many(schema["items"])
    return _bounded(
        _WORDS.get(str(kind), "any value"), schema.get("minimum"), schema.get("maximum")
    )


def _string(schema: Schema) -> str:
    if schema.get("format") == "date-time":
        return "time"
    if schema.get("contentMediaType") == "application/json":
        return "JSON"
    low, high = schema.get("minLength"), schema.get("maxLength")
    if low is None and high in (None, Published.fixture_text_chars):
        return "text"
    return f"text ({_bounded('', low, high).strip()})"


def _many(schema: Schema) -> str:
    return {"string": "texts"}.get(schema.get("type", ""), "objects")


def _bounded(word: str, low: float | None, high: float | None) -> str:
    if high is not None and high >= LARGEST:
        low, high = (None if low is None or low <= -LARGEST else low), None
    if low is not None and high is not None:
        return f"{word} {grouped(low)}–{grouped(high)}"
    if high is not None:
        return f"{word} up to {grouped(high)}"
    return word if low is None else f"{word} from {grouped(low)}"


def grouped(number: float) -> str:
    """A number with commas, and without a fraction that is zero."""
    return f"{int(number) if number == int(number) else number:,}"


def members(kind: type) -> Iterator[tuple[str, str]]:
    """The public methods of a class with their arguments, its properties, and the
    first paragraph that is said of each.
    """
    for name in vars(kind):
        member = getattr(kind, name)
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f".{name}", _meaning(member)
        elif callable(member):
            yield f".{name}({_signature(member)})", _meaning(member)


def _meaning(member: object) -> str:
    return " ".join((inspect.getdoc(member) or "").split())


def _signature(function: Callable[..., Any]) -> str:
    parts = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        text = str(parameter.replace(annotation=inspect.Parameter.empty))
        parts.append(text.replace(" ", ""))
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.insert(-1, "*")
    return ", ".join(parts)
