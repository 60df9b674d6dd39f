"""Convert plain data to msgspec types; report all mistakes in one InvalidField.

Valid data is converted in one fast step. Only data that msgspec refuses is walked, so
that the message can name all mistakes with their places.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, inspect

from mock_server.domain.errors import InvalidFields
from mock_server.domain.messages import all_problems
from mock_server.domain.validation import walk

T = TypeVar("T")
S = TypeVar("S", bound=Struct)


def convert(
    fields: Mapping[str, object],
    target_type: type[S],
    root: str = "$",
    *,
    strict: bool = True,
) -> S:
    """Return a JSON object as a struct of the type `target_type`.

    Unless `strict`, numbers and booleans may be strings. Raises InvalidField with all
    mistakes; their paths start with `root`.
    """
    try:
        return msgspec.convert(fields, target_type, strict=strict)
    except msgspec.ValidationError as error:
        refusal = str(error)
    plain = dict(fields)
    if not strict:
        # The walk accepts no numbers or booleans in strings, so convert those first.
        for kind, as_kind in (
            (inspect.IntType, walk.as_number),
            (inspect.BoolType, walk.as_boolean),
        ):
            names = fields_that_accept(target_type, kind) & plain.keys()
            plain |= {name: as_kind(plain[name]) for name in names}
    problems = all_problems(
        f"{mistake.message} - at {root}{walk.dotted(mistake.path)[1:]}"
        for mistake in walk.mistakes(plain, target_type)
    )
    if problems:
        raise InvalidFields(problems)
    # The walk found no mistake, so msgspec has only refused integers such as 3.0.
    try:
        return with_integers(fields, target_type, is_checked=True)
    except msgspec.ValidationError:
        raise InvalidFields(refusal) from None


def with_integers(
    value: object, target_type: type[T], *, is_checked: bool = False
) -> T:
    """Return plain data as the type `target_type`; 3.0 counts as an integer.

    JSON Schema says so (2020-12, Validation 6.1.1). If the walk has found no mistake,
    pass `is_checked`, which is much faster. Raises msgspec's ValidationError.
    """
    if is_checked:
        # This would also accept numbers in strings, which the walk has refused. It
        # refuses floats over 2**53.
        with suppress(msgspec.ValidationError):
            return msgspec.convert(value, target_type, strict=False)
    plain_type: type = target_type
    converted = _fitted(value, walk.type_info(plain_type), is_cut=False)
    return msgspec.convert(converted, target_type)


def fitted(value: object, target_type: Any) -> object:
    """Return plain data for a type: 3.0 as an integer, and long texts cut, but ids."""
    return _fitted(value, walk.type_info(target_type), is_cut=True)


def _fitted(value: object, expected: inspect.Type, *, is_cut: bool) -> object:
    fit = partial(_fitted, is_cut=is_cut)
    match walk.without_metadata(expected), value:
        case inspect.UnionType() as union, _:
            kind = walk.alternative_for(value, union)
            return value if kind is None else fit(value, kind)
        case inspect.IntType(), float():
            return walk.integral_as_int(value)
        case inspect.StrType(min_length=None, max_length=int(high)), str() if is_cut:
            return value[:high]
        case inspect.ListType(item_type=kind), list():
            return [fit(each, kind) for each in value]
        case inspect.DictType(value_type=kind), dict():
            return {name: fit(each, kind) for name, each in value.items()}
        case inspect.StructType(fields=fields), dict():
            kinds = {field.encode_name: field.type for field in fields}
            return {
                name: fit(each, kinds[name]) if name in kinds else each
                for name, each in value.items()
            }
    return value


def fields_that_accept(
    struct_type: type[Struct], kind: type[inspect.Type]
) -> frozenset[str]:
    """Return the JSON names of the fields of a struct that accept values of a kind."""
    info = walk.type_info(struct_type)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return frozenset(each.encode_name for each in fields if accepts(each, kind))


def accepts(field: inspect.Field, kind: type[inspect.Type]) -> bool:
    """Return True if a field accepts values of a kind, alone or among other types."""
    base = walk.without_metadata(field.type)
    types = walk.alternatives(base) if isinstance(base, inspect.UnionType) else [base]
    return any(isinstance(each, kind) for each in types)
