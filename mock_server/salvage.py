"""Conversion of plain data that says in words, and where, what is wrong.

It goes on after a mistake that is only noted, so that all mistakes are found at once.
`in_words` says what was expected: `a whole number from 400 to 599 or null`.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Self, TypeGuard, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, UnsetType, structs

from mock_server.clock import A_TIME, ms_of
from mock_server.errors import InvalidField, did_you_mean, shortened
from mock_server.redaction import is_secret

LOST = object()
"""Stands for a value of which nothing could be converted."""
OLD_NAMES = {"responses": "answers"}
"""Fields by the names that they had in earlier versions."""
MAX_WRONG = 100  # names in which a missing one is looked for
Where = tuple[str | int, ...]
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
UNITS = {"a text": " characters", "a list": " items"}
"""Of what a length counts."""
MAX_OR = 5
fields_of = cache(structs.fields)
"""The fields of a struct, whose annotations are evaluated once."""


class Place(Struct, frozen=True, eq=False, kw_only=True):
    """Where a value is in a request, which its first mistake refuses."""

    path: Where = ()
    is_strict: bool = True
    """Whether a text is no number, as in JSON; in a query it may be one."""
    sent: Sequence[str] = ()
    """All names that were sent, for those that are misspelled."""

    @property
    def mistakes(self) -> int:
        """How many were reported without a refusal."""
        return 0

    @property
    def is_secret(self) -> bool:
        """Whether the value is not to be shown."""
        return bool(self.path) and is_secret(str(self.path[-1]))

    def below(self, *steps: str | int) -> Self:
        return structs.replace(self, path=self.path + steps)

    def report(self, message: str, hint: str = "", *, at_key: bool = False) -> None:
        """Report a mistake in the value, or in the last key of the path. Raises InvalidField."""
        path = self.path[:-1] if at_key else self.path
        raise InvalidField(message.removeprefix("Expected "), where=json_path(path), hint=hint)

    def written(self, value: Any) -> str:
        """A number, true or false as a document has it; nothing of a secret in a request."""
        if self.is_secret:
            return ""
        return msgspec.json.encode(value).decode()


def json_path(path: Where) -> str:
    """A path in words of JSON: `$.apps[0].id`."""
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}"
    return text


def salvage(value: Any, kind: Any, place: Place) -> Any:
    """The value as an instance of a type, without what is wrong in it; or LOST."""
    try:
        found = msgspec.convert(value, kind, strict=place.is_strict)
        if isinstance(found, datetime):
            ms_of(found)
        return found
    except (msgspec.ValidationError, ValueError) as error:
        cause = error.__cause__
    before = place.mistakes
    left = _salvage_parts(value, [*map(bare, alternatives(kind))], place)
    if place.mistakes > before:
        return left
    # A check of the type's own says itself what it expects.
    if cause is not None:
        place.report(str(cause))
    else:
        _report_wrong(value, kind, place)
    return LOST


def _salvage_parts(value: Any, branches: list[Any], place: Place) -> Any:
    """What is right in an object or an array; or LOST."""
    kinds = [*filter(is_struct, branches)]
    if isinstance(value, dict) and kinds:
        return _salvage_struct(value, kinds, place)
    for branch in branches:
        if isinstance(value, dict) and get_origin(branch) is dict:
            return _salvage_dict(value, branch, place)
        if isinstance(value, list) and get_origin(branch) in (tuple, list):
            return _salvage_list(value, get_args(branch)[0], place)
    return LOST


def _salvage_struct(value: dict[str, Any], kinds: list[type[Struct]], place: Place) -> Any:
    tag_field = kinds[0].__struct_config__.tag_field
    kind: type[Struct] | None = kinds[0]
    if len(kinds) > 1 or tag_field in value:
        kind = _tagged(value, kinds, place)
    if kind is None:
        return LOST
    fields = {each.encode_name: each for each in fields_of(kind)}
    unknown = [name for name in value if name not in fields and name != tag_field]
    if kind.__struct_config__.forbid_unknown_fields:
        for name in unknown:
            _report_unknown(name, kind, [*fields], place.below(name))
    found: dict[str, Any] = {}
    for name, each in fields.items():
        item = LOST
        if name in value:
            item = salvage(value[name], each.type, place.below(name))
        elif each.required:
            _report_missing(name, [*unknown, *place.sent][:MAX_WRONG], place.below(name))
        # An entry to which others may refer is kept without its name.
        if item is LOST and each.required and each.type is str:
            item = ""
        if item is not LOST:
            found[each.name] = item
    # A required field may be lost, or fields may contradict each other.
    try:
        return kind(**found)
    except (TypeError, ValueError):
        return LOST


def _report_unknown(name: str, kind: type[Struct], fields: list[str], place: Place) -> None:
    """Report a field that a type does not have. `HOLDERS` of a type says where one belongs."""
    hint = f" (fields: {', '.join(fields)})"
    holder = getattr(kind, "HOLDERS", {}).get(name)
    if holder:
        hint = f" (it stands below {holder!r})"
    likely = did_you_mean(OLD_NAMES.get(name, name), fields)
    place.report(f"Expected no field {name!r}", likely or hint, at_key=True)


def _report_missing(name: str, others: list[str], place: Place) -> None:
    """Report that a required field is not there, or has another name."""
    message = f"Expected the field {name!r}, which is missing"
    for other in others:
        likely = did_you_mean(other, [name])
        if likely and other != name:
            place.report(f"{message}, got {other!r}", likely)
            return
    place.report(message)


def _tagged(value: dict[str, Any], kinds: list[type[Struct]], place: Place) -> type[Struct] | None:
    """The struct that the field `kind` of a row of a script names, None if it names none."""
    tags = {str(it.__struct_config__.tag): it for it in kinds}
    kind = value.get("kind")
    if "kind" not in value:
        place.below("kind").report(f"Expected the field 'kind', {one_of([*tags])}")
    elif not isinstance(kind, str) or kind not in tags:
        _report_wrong(kind, Literal[tuple(tags)], place.below("kind"))
    return tags.get(str(kind))


def _salvage_dict(value: dict[str, Any], kind: Any, place: Place) -> Any:
    of_keys, of_items = get_args(kind)
    for key in value:
        try:
            msgspec.convert(key, of_keys)
        except msgspec.ValidationError:
            _report_wrong(key, of_keys, place.below(key), at_key=True)
    left = {}
    for key, item in value.items():
        found = salvage(item, of_items, place.below(key))
        if found is not LOST:
            left[key] = found
    return left


def _salvage_list(value: list[Any], kind: Any, place: Place) -> Any:
    items = [salvage(item, kind, place.below(at)) for at, item in enumerate(value)]
    first = bare(alternatives(kind)[0])
    if not is_struct(first):
        return tuple(it for it in items if it is not LOST)
    # An empty object in place of a lost one: the others keep their positions.
    required = [it.name for it in fields_of(first) if it.required]
    for at, item in enumerate(items):
        if item is LOST:
            items[at] = first(**dict.fromkeys(required, ""))
    return tuple(items)


def _report_wrong(value: Any, kind: Any, place: Place, *, at_key: bool = False) -> None:
    """Report a value that a type does not have, with what helps to correct it."""
    kinds = [*map(bare, alternatives(kind))]
    message = f"Expected {in_words(kind)}"
    # A number in place of a text lacks quotes, as 1.50 does for a version.
    written = ""
    if str in kinds and isinstance(value, int | float):
        written = place.written(value)
    if written:
        message += f', got {written}, which needs quotes: "{written}"'
    elif not place.is_secret:
        message += f", got {shortened(value)}"
    # Of the values that a type lists, one may be meant.
    names: list[str] = []
    for each in kinds:
        if get_origin(each) is Literal:
            names += get_args(each)
    place.report(message, did_you_mean(value, names), at_key=at_key)


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
    plain = bare(kind)
    if get_origin(plain) not in (Union, UnionType):
        return [kind]
    return [*chain.from_iterable(map(alternatives, get_args(plain)))]


def bare(kind: Any) -> Any:
    """A type without annotations."""
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    return kind


def is_struct(kind: object) -> TypeGuard[type[Struct]]:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _one_in_words(kind: Any) -> str:
    plain = bare(kind)
    if get_origin(plain) is Literal:
        return one_of(get_args(plain))
    if is_struct(plain):
        return WORDS[dict]
    word = WORDS[get_origin(plain) or plain]
    for each in getattr(kind, "__metadata__", ()):
        if isinstance(each, Meta):
            word = each.description or word + _bounds(each, UNITS.get(word, ""))
    return word


def _bounds(meta: Meta, unit: str) -> str:
    """The bounds of a number, or of a length, which has a unit."""
    start = " of" if unit else " from"
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
