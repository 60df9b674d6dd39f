"""Whether values are as types say, and types in the words of messages."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, inspect

from mock_server.domain.validation.walk import describe_type, is_valid, mistakes

Tags = Annotated[list[str], Meta(max_length=2)]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Tags, "an array of at most 2 strings"),
        (
            Annotated[list[Annotated[str, Meta(max_length=9)]], Meta(max_length=100)],
            "an array of at most 100 strings",
        ),
        (Annotated[list[int], Meta(max_length=2)], "an array"),
        (list[str], "an array"),
    ],
)
def test_arrays_of_strings_are_described_with_their_bound(
    wanted: Any, words: str
) -> None:
    assert describe_type(inspect.type_info(wanted)) == words


@pytest.mark.parametrize(
    ("value", "is_fit"),
    [
        ([], True),
        (["a", "b"], True),
        (["a", "b", "c"], False),
        (["a", 1], False),
        (["a", None], False),
        (["\ud800"], False),
        ("ab", False),
        (("a",), False),
        ({"a": "b"}, False),
    ],
)
def test_an_array_fits_by_its_items_and_its_length(value: object, is_fit: bool) -> None:
    assert is_valid(value, inspect.type_info(Tags)) is is_fit


def test_a_mistake_among_many_items_is_found() -> None:
    class Part(Struct):
        text: str

    parts = [*[{"text": "x"}] * 200, {"text": "\ud800"}, {"text": 5}, 6]
    found = [mistake.path for mistake in mistakes(parts, list[Part])]
    assert found == [(200, "text"), (201, "text"), (202,)]
    objects = [*[{"x": 1}] * 200, 7]
    found = [mistake.path for mistake in mistakes(objects, list[dict[str, Any]])]
    assert found == [(200,)]
    found = [
        each.path for each in mistakes([*objects, {"\ud800": 1}], list[dict[str, Any]])
    ]
    assert found == [(200,), (201, "\ud800")]


@pytest.mark.parametrize("count", [3, 40, 400, 10_000])
def test_the_last_of_many_items_of_any_type_is_checked(count: int) -> None:
    class Item(Struct):
        number: Annotated[int, Meta(ge=0, le=5)] = 0

    class Named(Struct):
        mixed: list[Annotated[str, Meta(max_length=3)] | Item]
        named: dict[str, Item]
        kinds: list[Literal["a", "b"]]

    value = {
        "mixed": [*["abc", {"number": 1.0}] * count, "abcd"],
        "named": {f"{n}": {"number": 5.0} for n in range(count)} | {"x": {"number": 6}},
        "kinds": [*"ab" * count, 1.0, "\ud800"],
    }
    assert [each.path for each in mistakes(value, Named)] == [
        ("mixed", 2 * count),
        ("named", "x", "number"),
        ("kinds", 2 * count),
        ("kinds", 2 * count + 1),
    ]


def test_the_items_of_an_optional_field_count_too() -> None:
    class Filters(Struct):
        tags: Tags | UnsetType = UNSET

    info = inspect.type_info(Filters)
    assert isinstance(info, inspect.StructType)
    (field,) = info.fields
    assert is_valid(["a"], field.type)
    assert not is_valid([5], field.type)
    assert describe_type(field.type) == "an array of at most 2 strings"


def test_a_text_that_may_not_be_empty_is_described_so() -> None:
    wanted = inspect.type_info(Annotated[str, Meta(min_length=1)])
    assert describe_type(wanted) == "a string of at least 1 character"


@pytest.mark.parametrize(
    ("count", "hint"),
    [(0, ""), (1, " (there are f0)"), (2, " (there are f0, f1)"), (25, "")],
)
def test_the_fields_are_told_where_they_are_few(count: int, hint: str) -> None:
    fields = [(f"f{n}", int, 0) for n in range(count)]
    kind = defstruct("Kind", fields, forbid_unknown_fields=True)
    (found,) = mistakes({"other": 1}, kind)
    assert found.message == f"unknown field 'other'{hint}"
