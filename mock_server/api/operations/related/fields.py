"""Fields that related routes share, and how to read ids, times and pages."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from mock_server.api.envelope import View
from mock_server.api.operations import body_field, contract
from mock_server.domain import clock, errors
from mock_server.domain.access import Level
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import folded_beginning
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id

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
Texts = Annotated[list[str], Meta(max_length=Published.ids)]
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

IDLE = body_field.About(is_idle=True).meta()
"""Marks a field that is checked, but changes nothing."""
SHARE = body_field.About(is_idle=True, is_credential=True).meta()
"""Marks a share link, which is read before the other fields."""
Text = Annotated[Long, IDLE] | UnsetType
Number = Annotated[float, IDLE] | UnsetType
Flag = Annotated[bool, IDLE] | UnsetType
Settings = Annotated[dict[str, Any], IDLE] | UnsetType
DatasetType = Literal[FormerDatasetType, "dingtalk"]
ChatId = Annotated[str, Meta(min_length=1, max_length=Published.name_chars)]


class IdQuery(contract.RequestFields):
    """The id of the object."""

    id: Id


class AnyIdQuery(contract.RequestFields):
    """The id of the object, in any form."""

    id: Name


class ShareAuth(Struct, rename="camel"):
    """A share link, and its visitor."""

    share_id: str = ""
    out_link_uid: str = ""


LinkAuth = Annotated[ShareAuth, SHARE] | str | UnsetType
_AUTH = "$.outLinkAuthData"


def auth_of(auth: ShareAuth | str | UnsetType | None) -> ShareAuth:
    """Read a share link, which is JSON in a query. Raises InvalidField."""
    if not isinstance(auth, str):
        return auth or ShareAuth()
    try:
        return msgspec.json.decode(auth, type=ShareAuth)
    except (msgspec.DecodeError, RecursionError):
        raise errors.InvalidField.of(auth, "an object as JSON", _AUTH) from None


def share_of(given: ShareAuth | str | UnsetType | None) -> bool:
    """Return whether a share link is named. Raises InvalidField for half of it."""
    auth = auth_of(given)
    if bool(auth.share_id) is not bool(auth.out_link_uid):
        raise errors.InvalidField("shareId and outLinkUid", "one of them", _AUTH)
    return bool(auth.share_id)


class TargetFields(contract.RequestFields, kw_only=True):
    """The application of a chat session; other targets are ignored."""

    app_id: Id | UnsetType = UNSET
    skill_id: Annotated[Id, IDLE] | UnsetType = UNSET
    source_type: Annotated[Literal["app", "chatAgentHelper"], IDLE] | UnsetType = UNSET

    def check(self) -> None:
        """Raise InvalidField for more than one target."""
        is_shared = share_of(getattr(self, "out_link_auth_data", UNSET))
        if sum(map(bool, (self.app_id, self.skill_id, is_shared))) > 1:
            several = "one of appId, skillId and outLinkAuthData"
            raise errors.InvalidField(several, "several", "$")
        if self.source_type == "chatAgentHelper" and not self.app_id:
            expected = "an appId with sourceType chatAgentHelper"
            raise errors.InvalidField(expected, "none", "$.appId")


class OptionalChatFields(TargetFields, kw_only=True):
    """The application of a chat session, or a share link, or neither."""

    out_link_auth_data: LinkAuth = UNSET


class ChatFields(OptionalChatFields, kw_only=True):
    """The application of a chat session."""

    app_id: Id


class CitedFields(OptionalChatFields, kw_only=True):
    """The reply of a chat session that cites the object; ignored."""

    app_id: Annotated[Id, IDLE] | UnsetType = UNSET
    chat_id: Text = UNSET
    chat_item_data_id: Text = UNSET

    def check_whole(self, *, is_given: bool = False) -> None:
        """Raise InvalidField if a reply is named only in part."""
        target = self.app_id or self.skill_id or share_of(self.out_link_auth_data)
        given = [*map(bool, (target, self.chat_id, self.chat_item_data_id))]
        if (is_given or any(given)) and not all(given):
            expected = "a chat target, chatId and chatItemDataId together, or none"
            raise errors.InvalidField(expected, "some", "$")


class ChatQuery(ChatFields, kw_only=True):
    """A chat session."""

    chat_id: ChatId


class PathStep(View):
    """One step of the path to a dataset or a collection."""

    parent_id: str
    parent_name: str


def shown(kind: type[V], record: Struct, **made: Any) -> V:
    """Return a view of a record: its fields of the same name, and `made`."""
    names = _alike(kind, type(record))
    return kind(**({name: getattr(record, name) for name in names} | made))


@cache
def _alike(kind: type[Struct], other: type[Struct]) -> tuple[str, ...]:
    return tuple(sorted({*kind.__struct_fields__} & {*other.__struct_fields__}))


class Nothing(Struct):
    """An object without fields."""


TrainingType = Literal["chunk", "qa", "imageParse", "backup", "template", "auto"]


class ChunkSettings(contract.RequestFields, kw_only=True, forbid_unknown_fields=False):
    """Settings for cutting a text into rows."""

    training_type: TrainingType | UnsetType = UNSET
    chunk_trigger_type: Literal["minSize", "forceChunk", "maxSize"] | UnsetType = UNSET
    chunk_trigger_min_size: float | UnsetType = UNSET
    data_enhance_collection_name: Flag = UNSET
    chunk_setting_mode: Literal["auto", "custom"] | UnsetType = UNSET
    chunk_split_mode: Literal["paragraph", "size", "char"] | UnsetType = UNSET
    paragraph_chunk_ai_mode: (
        Annotated[Literal["auto", "force", "forbid"], IDLE] | UnsetType
    ) = field(name="paragraphChunkAIMode", default=UNSET)
    paragraph_chunk_deep: float | UnsetType = UNSET
    paragraph_chunk_min_size: Number = UNSET
    chunk_size: int | float | UnsetType = UNSET
    index_size: Number = UNSET
    chunk_splitter: Long | UnsetType = UNSET
    qa_prompt: Text = UNSET
    auto_indexes: Flag = UNSET
    image_index: Flag = UNSET
    index_prefix_title: Flag = UNSET


class ProcessingFields(ChunkSettings, kw_only=True, forbid_unknown_fields=True):
    """Settings for processing a new collection."""

    metadata: Settings = UNSET
    custom_pdf_parse: Flag = UNSET


def time_of(
    value: str | UnsetType | None,
    name: str,
    refused: type[errors.Refusal] = errors.InvalidField,
) -> int | None:
    """Return a time in milliseconds, None if there is none. Raises `refused`."""
    if value is UNSET or value is None:
        return None
    try:
        return clock.parse_time(value)
    except ValueError:
        expected = "a time like 2024-01-31T12:00:00Z"
        raise refused.of(value, expected, f"$.{name}") from None


def date_of(value: object, name: str) -> int | None:
    """Return a time as the service reads it, in any form. Raises InvalidField."""
    if value is None:
        return 0
    if isinstance(value, int | float) and clock.MIN_TIME <= value <= clock.MAX_TIME:
        return int(value)
    text = value if isinstance(value, str) else ""
    if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        value = f"{text}T00:00:00Z"
    if value is UNSET or isinstance(value, str):
        return time_of(value, name)
    raise errors.InvalidField.of(value, "a time", f"$.{name}")


PageNumber = int | float | Long | UnsetType
CastError = refusal("CastError", "400 invalidField", "500 500 error")
"""Refusal by the service's database, not its schema."""


class PagedFields(contract.RequestFields, kw_only=True):
    """The fields by which most lists are paged; digits in strings are numbers."""

    offset: PageNumber = UNSET
    page_num: PageNumber = UNSET
    page_size: PageNumber = UNSET


class PagedChatFields(OptionalChatFields, kw_only=True):
    """The page, and the application of the items."""

    offset: PageNumber = UNSET
    page_num: PageNumber = UNSET
    page_size: PageNumber = UNSET


PAGING = (MissingParams, CastError)


def paging_of(
    fields: PagedFields | PagedChatFields, most: int = Published.related_page_size
) -> tuple[int, int]:
    """Return offset and size of a page, as the service's shared parser reads them.

    Without `pageSize` the others are ignored. An `offset` of 0 yields to `pageNum`.
    More than `most` items count as `most`. Call this before any object is looked up,
    like all checks of fields. Raises PAGING.
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
    """Return a page of the matching items."""
    offset, size = paging
    items = matching[offset : offset + size]
    return Page(items, len(matching), level, matching, offset, size)


_LEAST_CHARS = 40  # cost of comparing one object, beside its texts


def having(
    term: str,
    objects: Iterable[T],
    texts_of: Callable[[T], tuple[str, str]],
    state: State,
) -> list[T]:
    """Return objects with a folded term in a text; limit the compared characters.

    If the limit is reached, add a hint.
    """
    found: list[T] = []
    room = state.limits.listed_search_chars
    for each in objects:
        if room <= 0:
            state.hint("only the first texts were compared (limit listed_search_chars)")
            break
        one, other = texts_of(each)
        first, left = folded_beginning(one, room)
        second, left = folded_beginning(other, max(left, 0))
        if term in first or term in second:
            found.append(each)
        room = min(left, room - _LEAST_CHARS)
    return found


def _number(value: Any, name: str) -> int:
    """Return a field as a number, 0 if missing or empty. Raises CastError."""
    if not value:
        return 0
    if (
        isinstance(value, str)
        and value.isascii()
        and value.isdigit()
        and len(value) < 17
    ):
        return int(value)
    if type(value) in (int, float) and 0 <= value <= Published.integer:
        return int(value)
    raise CastError.of(value, "an integer of at least 0", f"$.{name}")
