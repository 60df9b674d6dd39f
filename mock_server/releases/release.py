"""What a release of FastGPT does otherwise than the operations, which do as FastGPT 4.16 does.

A release is one table. It follows the profile, whatever choices a test replaces. By its row

    unchecked={"app.list": {"parentId": FailedField}}

it has no schema for `app.list`: a request with `"parentId": 5` fails as in the database, with 500,
where FastGPT 4.16 refuses it with 400; any other field of a wrong type counts as absent.
"""

import re
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

from msgspec import UNSET, Struct, json

from mock_server import errors
from mock_server.errors import InvalidField, Refusal
from mock_server.store.account import objects_in

Fields = dict[str, Any]
UncheckedFields = Mapping[str, Any]
"""Field that a release does not check -> what becomes of a wrong value.

A refusal: what the value is refused with. `str`, `bool`: it is made a text, or true unless it is
empty. None: it counts as absent. Another value takes its place. `*` are all other fields, which
count as absent without it; `NAME?` is a field that is missing, null, 0 or empty. A field that is
needed and has come to be absent fails.
"""


class Release(Struct, frozen=True, kw_only=True):
    """The differences of a release, each by the name of its operation."""

    paths: Mapping[str, str] = {}
    """Path of this release -> the path of the operation; empty for a path that it lacks."""
    login_only: Collection[str] = ()
    """Operations that API keys may not call."""
    in_body: Collection[str] = ()
    """Operations that read the body alone, whatever the query has."""
    unchecked: Mapping[str, UncheckedFields] = {}
    """Operation without a schema -> its fields."""
    checked: Mapping[str, Mapping[str, type[Refusal] | tuple[str, ...]]] = {}
    """Operation -> field that this release alone checks -> its values, or the refusal of any."""
    refusals: Mapping[str, Mapping[type[Refusal], Any]] = {}
    """Operation -> refusal -> the one in its place, or the data of a success."""
    absent: Mapping[str, Collection[str]] = {}
    """Operation -> the paths of fields that its data lacks; `PATH?` lacks a false one."""
    added: Mapping[str, Mapping[str, Any]] = {}
    """Operation -> further fields of its data by their paths, each with its value."""
    data: Mapping[str, Any] = {}
    """Operation -> the data of its success."""
    takes_any_file: Collection[str] = ()
    """Operations that make a collection of a file that cannot be read, whose training fails."""
    has_error_types: bool = True
    """Whether an error of the user has an `errorType`."""
    keeps_titles: bool = True
    """Whether a chat keeps the title of its first question, and completions send it."""
    names_new_chats: bool = True
    """Whether a completion without `chatId` sends the id of its new chat."""
    ends_with_done: bool = True
    """Whether [DONE] comes after the results of v1."""
    is_data_id_shared: bool = True
    """Whether a question has the `dataId` of its reply, which no other reply of the chat has."""
    collection_types: Collection[str] = ("folder", "virtual")
    """The types that a new collection may have."""
    counts_history: bool = False
    """Whether a reply in a list of records has the number of records that its model has read."""
    limits_search_text: bool = True
    """Whether a searchText of more than 100 characters is refused."""
    knows_any_key: bool = True
    """Whether a bearer without `-`, which is no API key, counts as an unknown one."""
    latest_rows_first: bool = True
    """Whether, of rows with one chunkIndex, the latest is listed first."""

    def changes(self, operation_name: str, path: str) -> bool:
        """Whether an operation with this path differs from the table."""
        by_name = [self.login_only, self.in_body, self.unchecked, self.checked, self.refusals]
        by_name += [self.absent, self.added, self.data, self.takes_any_file]
        is_named = any(operation_name in names for names in by_name)
        return is_named or path in (*self.paths, *self.paths.values())

    def mended(self, operation_name: str, fields: Fields, refusal: InvalidField) -> Fields:
        """The fields without the mistake that was refused, as the release takes them.

        Raises the refusal that the release has in its place.
        """
        rules = self.unchecked[operation_name]
        name = re.split(r"[.\[]", refusal.where.removeprefix("$."))[0]
        rule = rules.get(name, rules.get("*"))
        if not fields.get(name):
            rule = rules.get(f"{name}?", rule)
        if isinstance(rule, type) and issubclass(rule, Refusal):
            raise rule(refusal.mistake, where=refusal.where)
        mended = {it: value for it, value in fields.items() if it != name}
        if not isinstance(rule, type | None):
            mended[name] = rule
        elif rule is not None and name in fields:
            mended[name] = rule(fields[name])
        # What was taken before is refused again: 1 is not True here, although they are equal.
        if mended.get(name, UNSET) is fields.get(name, UNSET):
            raise errors.FailedField(refusal.mistake, where=refusal.where)
        return mended

    def check(self, operation_name: str, fields: Fields) -> None:
        """Raises the refusal of a field, or of a value, that this release alone refuses."""
        for name, values in self.checked.get(operation_name, {}).items():
            if name not in fields:
                continue
            if isinstance(values, type):
                raise values(f"no {name}", fields[name], f"$.{name}")
            if fields[name] not in values:
                raise errors.FailedField(" or ".join(values), fields[name], f"$.{name}")

    def instead_of(self, operation_name: str, refusal: Refusal) -> Any:
        """The refusal of the release in place of another, or the data of a success."""
        instead = self.refusals.get(operation_name, {}).get(type(refusal), refusal)
        # What is not looked at fails later, as an id that the database cannot convert.
        is_unchecked = instead is refusal and refusal.service == errors.NOT_AN_ID
        if is_unchecked and operation_name in self.unchecked:
            instead = errors.FailedField
        if isinstance(instead, type):
            return instead(refusal.mistake, where=refusal.where)
        return instead

    def shown(self, operation_name: str, data: Any) -> Any:
        """The data of an operation as the release sends them."""
        if operation_name in self.data:
            return self.data[operation_name]
        absent = self.absent.get(operation_name, ())
        added = self.added.get(operation_name, {})
        if not absent and not added:
            return data
        value = json.decode(json.encode(data))
        for path in absent:
            for parent, name in places_of(value, path.removesuffix("?")):
                if not (path.endswith("?") and parent.get(name)):
                    parent.pop(name, None)
        for path, constant in added.items():
            for parent, name in places_of(value, path):
                parent.setdefault(name, constant)
        return value


def places_of(value: Any, path: str) -> list[tuple[Fields, str]]:
    """Where a path such as `list.tags` leads to: the objects, each with the name of the field."""
    steps = path.split(".")
    parents = [value]
    for step in steps:
        # The next step goes on from an object, or from each object of a list.
        nested = chain.from_iterable(it if isinstance(it, list) else [it] for it in parents)
        objects = objects_in([*nested])
        parents = [it.get(step) for it in objects]
    return [(it, step) for it in objects]
