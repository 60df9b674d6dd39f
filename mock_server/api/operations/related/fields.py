"""Fields that related routes share, and how they are read: ids, times, pages."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.envelope import View
from mock_server.api.operations import contract
from mock_server.domain import clock, errors
from mock_server.domain.access import Level
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import fold, foldable
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id, Time

MissingParams = refusal(
    "MissingParams", "400 missingParams", "500 507004 missingParams"
)

T = TypeVar("T")
V = TypeVar("V", bound=Struct)

Name = Annotated[str, Meta(max_length=Published.name_chars)]
Long = Annotated[str, Meta(max_length=Published.intro_chars)]
SearchText = Annotated[str, Meta(max_length=Published.search_chars)]
Label = Annotated[str, Meta(max_length=Published.id_chars)]
Tags = Annotated[list[Label], Meta(max_length=Published.tags)]
Ids = Annotated[list[Id], Meta(max_length=Published.ids)]
Parent = Label | UnsetType | None
"""A folder by its id; null and an empty text are the top level."""
FormerDatasetType = Literal[
    "folder",
    "dataset",
    "websiteDataset",
    "externalFile",
    "apiDataset",
    "feishu",
    "yuque",
]
DatasetType = Literal[
    "folder",
    "dataset",
    "websiteDataset",
    "externalFile",
    "apiDataset",
    "feishu",
    "yuque",
    "dingtalk",
]
CastTime = Time | Annotated[int, Meta(ge=clock.MIN_TIME, le=clock.MAX_TIME)] | UnsetType
"""A time, also as a day or in milliseconds since 1970."""

# What is taken, but changes nothing here.
Text = Label | UnsetType | None
Number = int | float | UnsetType | None
Flag = bool | UnsetType | None
Settings = dict[str, Any] | UnsetType | None


class IdQuery(contract.RequestFields):
    """What is asked for, by its id."""

    id: Id


class ChatQuery(contract.RequestFields):
    """Which chat session."""

    app_id: Id
    chat_id: Id


class PathStep(View):
    """One step of the way to a dataset or a collection."""

    parent_id: str
    parent_name: str


def shown(kind: type[V], record: Struct, **made: Any) -> V:
    """A record as a view shows it: fields of the same name, and those that are made."""
    names = _alike(kind, type(record))
    return kind(**({name: getattr(record, name) for name in names} | made))


@cache
def _alike(kind: type[Struct], other: type[Struct]) -> tuple[str, ...]:
    return tuple(sorted({*kind.__struct_fields__} & {*other.__struct_fields__}))


class Nothing(Struct):
    """An object without fields."""


class ProcessingFields(contract.RequestFields, kw_only=True):
    """How a new collection is to be processed; nothing here depends on it."""

    metadata: Settings = UNSET
    custom_pdf_parse: Flag = UNSET
    training_type: Text = UNSET
    chunk_trigger_type: Text = UNSET
    chunk_trigger_min_size: Number = UNSET
    chunk_setting_mode: Text = UNSET
    chunk_split_mode: Text = UNSET
    paragraph_chunk_ai_mode: Text = UNSET
    paragraph_chunk_deep: Number = UNSET
    paragraph_chunk_min_size: Number = UNSET
    chunk_size: Number = UNSET
    index_size: Number = UNSET
    chunk_splitter: Text = UNSET
    qa_prompt: Long | UnsetType | None = UNSET
    auto_indexes: Flag = UNSET
    image_index: Flag = UNSET
    index_prefix_title: Flag = UNSET


def time_of(value: str | UnsetType | None, name: str) -> int | None:
    """A time in milliseconds, None if none is given. Raises InvalidField."""
    if value is UNSET or value is None:
        return None
    try:
        return clock.parse_time(value)
    except ValueError:
        expected = "a time like 2024-01-31T12:00:00Z"
        raise errors.InvalidField.of(value, expected, f"$.{name}") from None


def cast_time(value: str | int | UnsetType, name: str) -> int | None:
    """As `time_of`, also of a day, or of milliseconds. Raises InvalidField."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        with suppress(ValueError):
            return clock.parse_time(f"{value}T00:00:00Z")
    return time_of(value, name)


PageNumber = (
    Annotated[int, Meta(ge=-Published.integer, le=Published.integer)]
    | Annotated[str, Meta(max_length=16)]
    | UnsetType
    | None
)


class PagedFields(contract.RequestFields, kw_only=True):
    """The fields by which most lists are paged; digits in strings are numbers."""

    offset: PageNumber = UNSET
    page_num: PageNumber = UNSET
    page_size: PageNumber = UNSET


def paging_of(
    fields: PagedFields, most: int = Published.related_page_size
) -> tuple[int, int]:
    """Offset and size of a page, as the service's shared parser reads them.

    Without `pageSize` the others are ignored. An `offset` of 0 gives way to `pageNum`.
    More than `most` items count as that. As all that concerns fields, it comes before
    anything is looked for: MissingParams, InvalidField.
    """
    if fields.page_size is UNSET:
        return 0, 10
    size = min(_number(fields.page_size, "pageSize"), most)
    if size == 0:
        raise MissingParams.of(fields.page_size, "a number of at least 1", "$.pageSize")
    offset = _number(fields.offset, "offset")
    number = 0 if offset else _number(fields.page_num, "pageNum")
    return offset or max(0, number - 1) * size, size


def page_of(
    matching: Sequence[T], paging: tuple[int, int], level: Level = Level.READ
) -> Page[T]:
    """A page of what matches."""
    offset, size = paging
    items = matching[offset : offset + size]
    return Page(items, len(matching), level, matching, offset, size)


_LEAST_CHARS = 40  # what else it takes to compare one


def having(
    term: str,
    objects: Iterable[T],
    texts_of: Callable[[T], tuple[str, str]],
    state: State,
) -> list[T]:
    """Those with a folded term in a text; of very many texts the first are compared.

    Then a hint says so.
    """
    found: list[T] = []
    room = state.limits.listed_search_chars
    for each in objects:
        if room <= 0:
            state.hint("only the first texts were compared (limit listed_search_chars)")
            break
        first, left = foldable((texts := texts_of(each))[0], room)
        second, left = foldable(texts[1], max(left, 0))
        if term in fold(first) or term in fold(second):
            found.append(each)
        room = min(left, room - _LEAST_CHARS)
    return found


def _number(value: PageNumber, name: str) -> int:
    """A field as a number; what is missing, null or empty is 0: InvalidField."""
    if value is UNSET or value is None or value == "":
        return 0
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and value >= 0:
        return value
    raise errors.InvalidField.of(value, "an integer of at least 0", f"$.{name}")
