"""The table of choices: every behaviour that the spec leaves open has a row here.

Each row is a field of `Choices`: its type lists the values, its default is the value
of profile `documented` (the spec read strictly), and `row` adds the value of profile
`deployed` (what the service behind the spec does), the spec's section, a sentence and
the values that tolerate a departure from the spec. Documentation, command line, admin
API and tests are driven by this table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from msgspec import Struct

from mock_server.domain.errors import all_problems, did_you_mean
from mock_server.domain.limits import Limits
from mock_server.domain.profiles import PROFILES, Profile

Value = str | int
T = TypeVar("T")


class UnknownChoice(ValueError):
    """A name that is no choice, or a value that the choice does not have."""


def row(
    documented: T,
    deployed: T,
    section: str,
    sentence: str,
    *,
    tolerates: tuple[T, ...] = (),
) -> T:
    """A field of `Choices`.

    `tolerates` are the values under which something is served that others refuse: a
    departure from the spec that has the choice's name, or what the sentence says. Other
    choices say what happens, not what is allowed.
    """
    about = {"deployed": deployed, "section": section, "sentence": sentence}
    default: T = field(default=documented, metadata=about | {"tolerates": tolerates})
    return default


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices in force; a default is the value of profile `documented`."""

    def __hash__(self) -> int:
        # Few are ever looked up together; all fields would take 2 µs.
        return hash((self.list_order, self.page_size_default))

    page_size_default: int = row(
        10, 10, "4.2", "Items per page when `pageSize` is omitted."
    )
    page_size_over_limit: Literal["reject", "clamp"] = row(
        "reject",
        "clamp",
        "8",
        "A `pageSize` over the largest is an error, or counts as that.",
        tolerates=("clamp",),
    )
    offset_missing: Literal["reject", "accept"] = row(
        "reject",
        "accept",
        "4.2",
        "Without `offset` the request is an error, or starts at `pageNum` (else 0).",
        tolerates=("accept",),
    )
    numeric_strings: Literal["reject", "accept"] = row(
        "reject",
        "accept",
        "4.2",
        'Digits in a string (`"10"`) as `offset` or `pageSize`.',
        tolerates=("accept",),
    )
    list_order: Literal["update_time_desc", "name", "fixture"] = row(
        "update_time_desc",
        "update_time_desc",
        "4.2",
        "The order of `list`; ties are always ordered by `_id`.",
    )
    parent_omitted: Literal["any", "root"] = row(
        "any", "root", "4.2", "Without `parentId`: no filter, or the top level."
    )
    parent_empty_string: Literal["unknown", "root"] = row(
        "unknown",
        "root",
        "4.2",
        '`parentId` `""`: an id that no collection has, or the top level.',
        tolerates=("unknown", "root"),
    )
    parent_unknown: Literal["not_found", "empty"] = row(
        "not_found",
        "empty",
        "4.2",
        "A `parentId` that no collection has is an error, or an empty list.",
        tolerates=("empty",),
    )
    search_scope: Literal["folder", "dataset"] = row(
        "folder",
        "dataset",
        "4.2",
        "`searchText` with `parentId`: both apply, or the whole dataset is searched, "
        "whatever the `parentId`.",
        tolerates=("dataset",),
    )
    search_fields: Literal["name_and_tags", "name"] = row(
        "name_and_tags", "name", "4.2", "What `searchText` is matched against."
    )
    chat_unknown: Literal["not_found", "create", "ignore"] = row(
        "not_found",
        "ignore",
        "4.1",
        "A pin of an unknown chat is an error, creates it, or changes nothing.",
        tolerates=("create", "ignore"),
    )
    top_missing: Literal["reject", "ignore"] = row(
        "reject",
        "ignore",
        "4.1",
        "Without `top`: an error, or accepted (then `title`, `customTitle` count too).",
        tolerates=("ignore",),
    )
    method_mismatch: Literal["reject", "accept"] = row(
        "reject",
        "accept",
        "4",
        "Another method than the spec's: 405, or served.",
        tolerates=("accept",),
    )
    content_type_missing: Literal["reject", "accept"] = row(
        "reject",
        "accept",
        "5",
        "Without `Content-Type`: 415, or taken for JSON.",
        tolerates=("accept",),
    )
    unknown_fields: Literal["ignore", "reject"] = row(
        "ignore",
        "ignore",
        "7",
        "Fields of the body that the spec does not have.",
        tolerates=("ignore",),
    )
    list_filters: Literal["ignore", "honour"] = row(
        "ignore",
        "honour",
        "4.2",
        "The fields `selectFolder` (folders only) and `filterTags` (any of these).",
        tolerates=("honour",),
    )
    unknown_key: Literal["accept", "reject"] = row(
        "accept",
        "accept",
        "5",
        "Any key, while the fixture declares none.",
        tolerates=("accept",),
    )
    error_form: Literal["plain", "service"] = row(
        "plain", "service", "7", "`code` is the HTTP status, or the service's own."
    )
    error_http_status: Literal["mapped", "always_500", "always_200"] = row(
        "mapped", "mapped", "7", "The HTTP status of errors."
    )
    legacy_paths: Literal["off", "on"] = row(
        "off",
        "on",
        "4.1",
        "Older paths of chat routes, such as `/api/core/chat/updateHistory`.",
        tolerates=("on",),
    )
    item_fields: Literal["documented", "extended"] = row(
        "documented",
        "extended",
        "2.2",
        "Items with the 13 documented fields, or with `createTime` and others too.",
    )
    tags_empty: Literal["list", "absent"] = row(
        "list", "list", "2.2", "An item without tags has `[]`, or no `tags`."
    )
    page_size_max: Literal[30, 100] = row(
        30,
        100,
        "8",
        "The largest `pageSize` that is served; the service has 100 since 4.12.1.",
        tolerates=(100,),
    )
    neighbours: Literal["off", "on"] = row(
        "off",
        "on",
        "1",
        "Routes of the service that the interface description does not show.",
        tolerates=("on",),
    )
    credentials: Literal["bearer", "login_too"] = row(
        "bearer",
        "login_too",
        "5",
        "An API key, or without one a login: header `token`, cookie `fastgpt_token`.",
        tolerates=("login_too",),
    )
    training: Literal["instant", "stepped"] = row(
        "instant",
        "stepped",
        "1",
        "What neighbours add is trained at once, or step by step on the clock.",
    )
    query_delete: Literal["accept", "needs_json_type"] = row(
        "accept",
        "accept",
        "1",
        "A `DELETE` with `?id=` and without a JSON content type.",
        tolerates=("accept",),
    )

    def but(self, **values: Any) -> "Choices":
        """The same, but for these values, which have to be of the table."""
        return replace(self, **values)


_FEW_VALUES = 3
"""Numbers that are listed one by one; more of them are shown as a range."""


class Choice(Struct, frozen=True):
    """One row of the table, as documents and commands show it."""

    name: str
    section: str
    values: tuple[Value, ...]
    documented: Value
    deployed: Value
    sentence: str

    def parse(self, value: Value) -> Value:
        """The value as the table has it: `"7"` is 7. Raises UnknownChoice."""
        # Command lines and environment variables give texts, JSON gives numbers too.
        for known in self.values:
            if str(known) == str(value) and not isinstance(value, bool):
                return known
        expected = f"Expected {self.name} to be {self.values_text()}"
        texts = [each for each in self.values if isinstance(each, str)]
        hint = did_you_mean(str(value), texts)
        raise UnknownChoice(f"{expected}, got {value!r}{hint}")

    def values_text(self) -> str:
        """The values in words: `reject or clamp`, `1 to 30`."""
        if isinstance(self.values[0], int) and len(self.values) > _FEW_VALUES:
            return f"{self.values[0]} to {self.values[-1]}"
        return " or ".join(str(value) for value in self.values)


@cache
def table() -> Mapping[str, Choice]:
    """All choices by name, in the order of `Choices`.

    A choice whose type lists no values is a number of items of a page.
    """
    hints, documented = get_type_hints(Choices), Choices()
    return {
        entry.name: Choice(
            name=entry.name,
            values=get_args(hints[entry.name]) or tuple(range(1, Limits.page_size + 1)),
            documented=getattr(documented, entry.name),
            deployed=entry.metadata["deployed"],
            section=entry.metadata["section"],
            sentence=entry.metadata["sentence"],
        )
        for entry in fields(Choices)
    }


def as_profile(name: str) -> Profile:
    """The profile of that name. Raises UnknownChoice."""
    for profile in PROFILES:
        if profile == name:
            return profile
    names = " or ".join(PROFILES)
    raise UnknownChoice(f"Expected the profile to be {names}, got {name!r}")


def choose(
    profile: str = "documented",
    choices: Mapping[str, Value] | None = None,
) -> Choices:
    """The choices of a profile, with single ones replaced, by name.

    Raises UnknownChoice for a profile, a name or a value that does not exist.
    """
    profile = as_profile(profile)
    values = {name: getattr(known, profile) for name, known in table().items()}
    return with_choices(Choices(**values), choices or {})


def with_choices(base: Choices, choices: Mapping[str, Value]) -> Choices:
    """`base` with single choices replaced, by name.

    Raises UnknownChoice for names and values that do not exist.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in choices.items():
        try:
            values[name] = choice(name).parse(value)
        except UnknownChoice as error:
            problems.append(str(error))
            # Of a thousand, further ones are not even found.
            if len(problems) > Limits.told_problems:
                break
    if problems:
        raise UnknownChoice(all_problems(problems))
    return base.but(**values)


def choice(name: str) -> Choice:
    """The choice of that name. Raises UnknownChoice, with a hint."""
    if name in table():
        return table()[name]
    hint = did_you_mean(name, table())
    raise UnknownChoice(f"Expected the name of a choice, got {name!r}{hint}")
