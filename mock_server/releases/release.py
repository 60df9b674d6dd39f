"""What a release of FastGPT does otherwise than the operations, which do as FastGPT 4.16 does.

A release is one table, a `Release`. It follows the profile, whatever choices a test replaces. By

    Release(
        unchecked={"app.list"},
        casts={"app.list": {"parentId": casts.identifier}},
        omitted_fields={"app.list": ["private"]},
    )

`app.list` has no schema: with `"parentId": 5` it fails as in the database, with 500, where FastGPT
4.16 answers 400. What it sends has no field `private`.
"""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

from msgspec import Struct, json

from mock_server import errors
from mock_server.errors import Refusal
from mock_server.releases.casts import Cast, cast_fields
from mock_server.store.account import objects_in

Fields = dict[str, Any]


class Release(Struct, frozen=True, kw_only=True):
    """The differences of a release, each by the name of its operation."""

    paths: Mapping[str, str] = {}
    """Path of this release -> the path of the operation; empty for a path that it lacks."""
    login_only: Collection[str] = ()
    """Operations that API keys may not call."""
    reads_body_alone: Collection[str] = ()
    """Operations that do not read the query if there is no body."""
    unchecked: Collection[str] = ()
    """Operations without a schema: what they cannot use fails with 500."""
    casts: Mapping[str, Mapping[str, Cast]] = {}
    """Operation -> field -> what becomes of its value, before it is checked."""
    ids_fail: Collection[str] = ()
    """Operations with a schema in which a text that cannot be an id fails with 500 all the same."""
    refusals: Mapping[str, Mapping[type[Refusal], Any]] = {}
    """Operation -> refusal -> the one in its place, or the data of a success."""
    omitted_fields: Mapping[str, Collection[str]] = {}
    """Operation -> the paths of fields that it does not send; `PATH?NAME` if NAME is false."""
    added_fields: Mapping[str, Mapping[str, Any]] = {}
    """Operation -> further fields that it sends by their paths, each with its value."""
    fixed_data: Mapping[str, Any] = {}
    """Operation -> the data of its success."""
    takes_any_source: Collection[str] = ()
    """Operations that make a collection of a file or a link that cannot be read."""
    has_error_types: bool = True
    """Whether an error of the user has an `errorType`."""
    keeps_titles: bool = True
    """Whether a chat keeps the title of its first question, and completions send it."""
    names_new_chats: bool = True
    """Whether a completion without `chatId` sends the id of its new chat."""
    ends_with_done: bool = True
    """Whether [DONE] comes after the results of v1."""
    joins_reasoning: bool = True
    """Whether reasoning and the text after it are one value of a reply, which shows a tool, too."""
    is_data_id_shared: bool = True
    """Whether a question has the `dataId` of its reply, which no other reply of the chat has."""
    collection_types: Collection[str] = ("folder", "virtual")
    """The types that a new collection may have."""
    keeps_all_settings: bool = False
    """Whether a new collection without a source keeps settings for the training of its text."""
    counts_history: bool = False
    """Whether a reply in a list of records has the number of records that its model has read."""
    cleans_texts: bool = True
    """Whether a text loses blanks around it before it is counted and cut into rows."""
    describes_files: bool = False
    """Whether a collection in detail has the type of its file, whose key keeps blanks."""
    limits_search_text: bool = True
    """Whether a searchText of more than 100 characters is refused."""
    knows_any_key: bool = True
    """Whether a bearer without `-`, which is no API key, counts as an unknown one."""
    latest_rows_first: bool = True
    """Whether, of rows with one chunkIndex, the latest is listed first."""
    pages_by_size: bool = False
    """Whether the lists of the spec take their page as those of chats do: only with a pageSize."""
    rewrites_rows: bool = False
    """Whether a changed row loses the indexes that are not sent, and keeps a text for an empty one.
    """

    def changes(self, operation_name: str, path: str) -> bool:
        """Whether an operation with this path differs from the table."""
        by_name = [self.login_only, self.reads_body_alone, self.casts, self.ids_fail, self.refusals]
        by_name += [self.omitted_fields, self.added_fields, self.fixed_data, self.takes_any_source]
        is_named = any(operation_name in names for names in by_name)
        return is_named or path in (*self.paths, *self.paths.values())

    def cast(self, operation_name: str, fields: Fields) -> Fields:
        """The fields as the release takes them. Raises what a value is refused with."""
        cast = cast_fields(fields, self.casts.get(operation_name, {}))
        for name, value in cast.items():
            if isinstance(value, type):
                raise value("what FastGPT takes", fields.get(name), f"$.{name}")
        return cast

    def replacement_of(self, operation_name: str, refusal: Refusal) -> Any:
        """The refusal of the release in place of another, or the data of a success."""
        replacement = self.refusals.get(operation_name, {}).get(type(refusal), refusal)
        # What is not looked at fails later, as an id that the database cannot convert.
        fails = operation_name in self.unchecked or (
            operation_name in self.ids_fail and not isinstance(refusal, errors.InvalidField)
        )
        if fails and replacement is refusal and refusal.service == errors.NOT_AN_ID:
            replacement = errors.FailedField
        if isinstance(replacement, type):
            return replacement(refusal.expectation, where=refusal.where)
        return replacement

    def response_data(self, operation_name: str, data: Any) -> Any:
        """The data of an operation as the release sends them."""
        if operation_name in self.fixed_data:
            return self.fixed_data[operation_name]
        omitted = self.omitted_fields.get(operation_name, ())
        added = self.added_fields.get(operation_name, {})
        if not omitted and not added:
            return data
        value = json.decode(json.encode(data))
        for field in omitted:
            path, _, condition = field.partition("?")
            for parent, name in places_of(value, path):
                if not parent.get(condition):
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
