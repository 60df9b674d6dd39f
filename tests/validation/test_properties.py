"""For any data and any type, there are mistakes exactly if msgspec refuses."""

import re
from typing import Annotated, Any, Literal, Union

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Struct, UnsetType, inspect

from mock_server.domain.errors import InvalidField
from mock_server.domain.validation.convert import convert, with_integers
from mock_server.domain.validation.walk import is_valid, mistakes

SIMPLE: list[Any] = [
    *(str, int, float, bool, None, Any, Literal["ab", "b"]),
    Annotated[str, Meta(min_length=1, max_length=2)],
    Annotated[str, Meta(max_length=0)],
    Annotated[str, Meta(pattern="^a")],
    Annotated[int, Meta(ge=0, le=3)],
    Annotated[int, Meta(le=0)],
    Annotated[float, Meta(ge=0.5, le=3)],
]
UNIONS: list[Any] = [
    *(str | None, int | None, bool | None, int | str, bool | int | None),
    Annotated[str, Meta(max_length=1)] | None,
    Annotated[int, Meta(ge=1)] | bool | str,
]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 4)
    | st.sampled_from([0.0, 0.25, 2.0, 2.5, 4.0, 1e300])
    | st.sampled_from(["", "a", "ab", "b", "abc", "1"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), below, max_size=3)
    ),
    max_leaves=8,
)


def lists_of(kind: Any) -> st.SearchStrategy[Any]:
    bounds = st.sampled_from([Meta(), Meta(max_length=1), Meta(min_length=1)])
    return bounds.map(lambda meta: Annotated[list[kind], meta])


@st.composite
def structs(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> Any:
    fields: list[Any] = []
    for name in draw(st.lists(st.sampled_from("abc"), unique=True)):
        kind = draw(below)
        optional = (name, Union[kind, UnsetType], UNSET)  # noqa: UP007 - `None | X`
        fields.append(draw(st.sampled_from([(name, kind), optional])))
    forbids = draw(st.booleans())
    return msgspec.defstruct("S", fields, kw_only=True, forbid_unknown_fields=forbids)


types = st.recursive(
    st.sampled_from([*SIMPLE, *UNIONS]),
    lambda below: (
        below.flatmap(lists_of)
        | below.map(lambda kind: dict[str, kind])  # type: ignore[valid-type]
        | structs(below)
    ),
    max_leaves=4,
)


def converts(value: object, kind: Any) -> bool:
    try:
        with_integers(value, kind)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.ci
@given(values, types)
@example(True, bool | None)
@example("a", Annotated[str, Meta(max_length=0)])
def test_there_are_mistakes_exactly_if_msgspec_refuses(
    value: object, kind: Any
) -> None:
    assert (not list(mistakes(value, kind))) is converts(value, kind)


@given(values, st.sampled_from([*SIMPLE, *UNIONS]).flatmap(lists_of))
def test_arrays_are_valid_exactly_if_msgspec_takes_them(
    value: object, kind: Any
) -> None:
    assert is_valid(value, inspect.type_info(kind)) is converts(value, kind)


@given(st.dictionaries(st.sampled_from("abc"), values), structs(types))
def test_a_refusal_tells_the_first_mistake(
    fields: dict[str, object], kind: type[Struct]
) -> None:
    first = next(mistakes(fields, kind), None)
    if first is None:
        assert isinstance(convert(fields, kind), kind)
    else:
        with pytest.raises(InvalidField, match=re.escape(f"{first.message} - at $")):
            convert(fields, kind)
