"""Types in words, as messages say what was expected: `a whole number from 400 to 599 or null`."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from msgspec import Meta, Struct, UnsetType

from mock_server.clock import A_TIME

WORDS: dict[Any, str] = {
    Any: "any value",
    bool: "true or false",
    bytes: "a text in base64",
    datetime: A_TIME,
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    NoneType: "null",
    str: "a text",
    tuple: "a list",
}
LENGTHS = {"a text": (" of", " characters"), "a list": (" of", " items")}
MAX_OR = 5


def in_words(kind: Any) -> str:
    """What values a type has. The description of a `Meta` says it where a pattern cannot."""
    kinds = [it for it in alternatives(kind) if it is not UnsetType]
    # Several structs are one word.
    words = dict.fromkeys(map(_one_in_words, kinds))
    return " or ".join(words)


def one_of(names: Sequence[object]) -> str:
    """A choice between names: `before or after`, `one of` many."""
    texts = [*map(str, names)]
    if len(texts) > MAX_OR:
        return f"one of {', '.join(texts)}"
    return " or ".join(texts)


def alternatives(kind: Any) -> list[Any]:
    """The types of a union, each with its annotations; of another type, itself."""
    own = bare(kind)
    if get_origin(own) not in (Union, UnionType):
        return [kind]
    return [*chain.from_iterable(map(alternatives, get_args(own)))]


def bare(kind: Any) -> Any:
    """A type without annotations."""
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    return kind


def is_struct(kind: object) -> TypeGuard[type[Struct]]:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _one_in_words(kind: Any) -> str:
    own = bare(kind)
    if get_origin(own) is Literal:
        return one_of(get_args(own))
    if is_struct(own):
        return WORDS[dict]
    word = WORDS[get_origin(own) or own]
    for each in getattr(kind, "__metadata__", ()):
        if isinstance(each, Meta):
            word = each.description or word + _bounds(each, *LENGTHS.get(word, (" from", "")))
    return word


def _bounds(meta: Meta, start: str, unit: str) -> str:
    """The bounds of a number, or of a length."""
    given = {"at least": meta.ge, "more than": meta.gt, "at most": meta.le}
    if unit:
        given = {"at least": meta.min_length, "at most": meta.max_length}
    bounds = {name: f"{it:.15g}" for name, it in given.items() if it is not None}
    if not bounds:
        return ""
    if bounds.keys() == {"at least", "at most"}:
        return f"{start} {' to '.join(bounds.values())}{unit}"
    words = [f"{name} {number}" for name, number in bounds.items()]
    return f" of {' and '.join(words)}{unit}"
