"""JSON objects as structs, and the first mistake in words."""

from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, inspect

from mock_server.domain.errors import InvalidField
from mock_server.domain.validation.convert import (
    convert,
    fields_that_accept,
    with_integers,
)
from mock_server.domain.validation.walk import as_number, describe_type


class Point(Struct, rename="camel", forbid_unknown_fields=True):
    x_at: Annotated[int, Meta(ge=0)]
    label: str | None = None
    is_big: bool = False
    more: list["Point"] = []


def refusal(fields: dict[str, object], **options: Any) -> str:
    with pytest.raises(InvalidField) as error:
        convert(fields, Point, **options)
    return error.value.message


def test_a_mistake_is_told_with_its_place() -> None:
    deep: dict[str, object] = {"xAt": 1, "more": [{"xAt": 2}, {"xAt": -2}]}
    assert refusal(deep) == (
        "Expected an integer of at least 0, got -2 - at $.more[1].xAt"
    )
    assert refusal({"xAt": "2"}, root="query").endswith(" - at query.xAt")


def test_an_unknown_or_missing_field_is_told() -> None:
    assert refusal({"xAt": 1, "lable": "a"}) == (
        "unknown field 'lable' (did you mean 'label'?) - at $.lable"
    )
    assert refusal({}) == "Expected the field 'xAt' here, got none - at $"


def test_strings_are_numbers_only_when_it_is_not_strict() -> None:
    assert convert({"xAt": "12"}, Point, strict=False) == Point(12)
    assert refusal({"xAt": "12"}).startswith("Expected an integer of at least 0")
    assert 'got the string "1x"' in refusal({"xAt": "1x"}, strict=False)


@pytest.mark.parametrize("word", ["true", "False", "1", "0"])
def test_a_boolean_in_a_string_is_none_only_when_it_is_strict(word: str) -> None:
    refused: dict[str, object] = {"isBig": word, "xAt": "1x"}
    assert "isBig" in refusal(refused)
    assert "isBig" not in refusal(refused, strict=False)


def test_integral_floats_are_integers_at_any_depth() -> None:
    fields = {"xAt": 3.0, "more": [{"xAt": 4.0}]}
    assert convert(fields, Point) == Point(3, more=[Point(4)])
    assert with_integers([1.0, None], list[int | None]) == [1, None]
    for number in (1.0, 2.0**60):
        (converted,) = with_integers([number], list[int], is_checked=True)
        assert type(converted) is int
        assert converted == number
    assert refusal({"xAt": 1.5}).endswith("got 1.5 - at $.xAt")


@pytest.mark.parametrize(
    ("value", "number"),
    [("10", 10), (3.0, 3), ("-1", "-1"), ("1.0", "1.0"), ("", ""), (True, True),
     ("٣", "٣"), (None, None)],
)  # fmt: skip
def test_what_is_a_number(value: object, number: object) -> None:
    assert as_number(value) is number or as_number(value) == number
    assert type(as_number(value)) is type(number)


def test_fields_that_take_integers_are_named_as_in_json() -> None:
    assert fields_that_accept(Point, inspect.IntType) == {"xAt"}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Annotated[str, Meta(min_length=1, max_length=9)],
         "a string of 1 to 9 characters"),
        (Annotated[str, Meta(max_length=9)] | None,
         "a string of up to 9 characters or null"),
        (Annotated[str, Meta(pattern="^x$")], "a string like ^x$"),
        (Annotated[int, Meta(ge=1, le=30)], "an integer from 1 to 30"),
        (Annotated[float, Meta(ge=0, le=0.5)], "a number from 0 to 0.5"),
        (float, "a number"),
        (bool, "true or false"),
        (Point, "an object"),
    ],
)  # fmt: skip
def test_types_have_words(wanted: Any, words: str) -> None:
    assert describe_type(inspect.type_info(wanted)) == words
