"""Fields that related routes share, and functions that read times and pages."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from mock_server.api.envelope import View
from mock_server.api.operations import body_field, contract
from mock_server.domain import clock, errors
from mock_server.domain.access import Level
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import fold_in_steps
from mock_server.domain.objects.pending import Steps
from mock_server.domain.sandboxes.state import State
from mock_server.domain.validation.json_match import contains
from mock_server.fixture.document import Id

MissingParams = refusal(
    "MissingParams", "400 missingParams", "500 507004 missingParams"
)

T = TypeVar("T")
S = TypeVar("S", bound=Struct)

Name = Annotated[str, Meta(max_length=Published.name_chars)]
LongText = Annotated[str, Meta(max_length=Published.intro_chars)]
"""`ShortText`, `Name` and `LongText` are texts with different maximum lengths."""
SearchText = Annotated[str, Meta(max_length=Published.search_chars)]
ShortText = Annotated[str, Meta(max_length=Published.id_chars)]
Tags = Annotated[list[ShortText], Meta(max_length=Published.tags)]
Ids = Annotated[list[Id], Meta(max_length=Published.ids)]
Texts = Annotated[list[str], Meta(max_length=Published.ids)]
Parent = ShortText | UnsetType | None
"""The id of a folder; null and an empty text mean the top level."""
FormerDatasetType = Literal[
    "folder",
    "dataset",
    "websiteDataset",
    "externalFile",
    "apiDataset",
    "feishu",
    "yuque",
]

IDLE = body_field.FieldRules(is_idle=True).meta()
"""Marks a field that is checked, but has no effect."""
SHARE = body_field.FieldRules(is_idle=True, is_credential=True).meta()
"""Marks a share link, which is read before the other fields."""
IdleText = Annotated[LongText, IDLE] | UnsetType
IdleNumber = Annotated[float, IDLE] | UnsetType
IdleFlag = Annotated[bool, IDLE] | UnsetType
IdleSettings = Annotated[dict[str, Any], IDLE] | UnsetType
DatasetType = Literal[FormerDatasetType, "dingtalk"]
ChatId = Annotated[str, Meta(min_length=1, max_length=Published.name_chars)]


class IdQuery(contract.RequestFields):
    """The id of the object."""

    id: Id


class AnyIdQuery(contract.RequestFields):
    """The id of the object, as any text."""

    id: Name


class ShareAuth(Struct, rename="camel"):
    """A share link and its visitor."""

    share_id: str = ""
    out_link_uid: str = ""


LinkAuth = Annotated[ShareAuth, SHARE] | str | UnsetType
_AUTH = "$.outLinkAuthData"


def auth_of(auth: ShareAuth | str | UnsetType | None) -> ShareAuth:
    """Return the share link; in a query it is JSON text. Raises InvalidField."""
    if not isinstance(auth, str):
        return auth or ShareAuth()
    try:
        return msgspec.json.decode(auth, type=ShareAuth)
    except (msgspec.DecodeError, RecursionError):
        raise errors.InvalidField.of(auth, "an object as JSON", _AUTH) from None


def names_share(link: ShareAuth | str | UnsetType | None) -> bool:
    """Return whether a share link is named.

    Raises InvalidField if the field names a link without a visitor, or the reverse.
    """
    auth = auth_of(link)
    if bool(auth.share_id) is not bool(auth.out_link_uid):
        raise errors.InvalidField("shareId and outLinkUid", "one of them", _AUTH)
    return bool(auth.share_id)


class TargetFields(contract.RequestFields, kw_only=True):
    """The application of a chat session; `skillId` and `sourceType` have no effect."""

    app_id: Id | UnsetType = UNSET
    skill_id: Annotated[Id, IDLE] | UnsetType = UNSET
    source_type: Annotated[Literal["app", "chatAgentHelper"], IDLE] | UnsetType = UNSET

    def check(self) -> None:
        """Raise InvalidField for several targets, or a sourceType without an appId."""
        is_shared = names_share(getattr(self, "out_link_auth_data", UNSET))
        if sum(map(bool, (self.app_id, self.skill_id, is_shared))) > 1:
            several = "one of appId, skillId and outLinkAuthData"
            raise errors.InvalidField(several, "several", "$")
        if self.source_type == "chatAgentHelper" and not self.app_id:
            expected = "an appId with sourceType chatAgentHelper"
            raise errors.InvalidField(expected, "none", "$.appId")


class OptionalChatFields(TargetFields, kw_only=True):
    """The application or the share link of a chat session; neither is required."""

    out_link_auth_data: LinkAuth = UNSET


class ChatFields(OptionalChatFields, kw_only=True):
    """The application of a chat session."""

    app_id: Id


class CitedFields(OptionalChatFields, kw_only=True):
    """The chat reply that cites the object. It is checked, but has no effect."""

    app_id: Annotated[Id, IDLE] | UnsetType = UNSET
    chat_id: IdleText = UNSET
    chat_item_data_id: IdleText = UNSET

    def check_whole(self, *, is_required: bool = False) -> None:
        """Raise InvalidField if a reply is named in part, or is required but absent."""
        target = self.app_id or self.skill_id or names_share(self.out_link_auth_data)
        flags = [*map(bool, (target, self.chat_id, self.chat_item_data_id))]
        if (is_required or any(flags)) and not all(flags):
            expected = "a chat target, chatId and chatItemDataId together, or none"
            raise errors.InvalidField(expected, "some", "$")


class ChatQuery(ChatFields, kw_only=True):
    """A chat session of an application."""

    chat_id: ChatId


class PathStep(View):
    """One step of the path to a dataset or a collection."""

    parent_id: str
    parent_name: str


def copy_fields(struct_type: type[S], source: Struct, **values: Any) -> S:
    """Return a struct with the fields of `source` of the same names, and `values`."""
    names = _shared_names(struct_type, type(source))
    return struct_type(**({name: getattr(source, name) for name in names} | values))


@cache
def _shared_names(first: type[Struct], second: type[Struct]) -> tuple[str, ...]:
    return tuple(sorted({*first.__struct_fields__} & {*second.__struct_fields__}))


class EmptyData(Struct):
    """An object without fields."""


TrainingType = Literal["chunk", "qa", "imageParse", "backup", "template", "auto"]


class ChunkSettings(contract.RequestFields, kw_only=True, forbid_unknown_fields=False):
    """Settings for cutting a text into rows."""

    training_type: TrainingType | UnsetType = UNSET
    chunk_trigger_type: Literal["minSize", "forceChunk", "maxSize"] | UnsetType = UNSET
    chunk_trigger_min_size: float | UnsetType = UNSET
    data_enhance_collection_name: IdleFlag = UNSET
    chunk_setting_mode: Literal["auto", "custom"] | UnsetType = UNSET
    chunk_split_mode: Literal["paragraph", "size", "char"] | UnsetType = UNSET
    paragraph_chunk_ai_mode: (
        Annotated[Literal["auto", "force", "forbid"], IDLE] | UnsetType
    ) = field(name="paragraphChunkAIMode", default=UNSET)
    paragraph_chunk_deep: float | UnsetType = UNSET
    paragraph_chunk_min_size: IdleNumber = UNSET
    chunk_size: int | float | UnsetType = UNSET
    index_size: IdleNumber = UNSET
    chunk_splitter: ShortText | UnsetType = UNSET
    qa_prompt: IdleText = UNSET
    auto_indexes: IdleFlag = UNSET
    image_index: IdleFlag = UNSET
    index_prefix_title: IdleFlag = UNSET


class ProcessingFields(ChunkSettings, kw_only=True, forbid_unknown_fields=True):
    """Settings for processing a new collection."""

    metadata: IdleSettings = UNSET
    custom_pdf_parse: IdleFlag = UNSET


def time_of(
    value: str | UnsetType | None,
    name: str,
    refusal_type: type[errors.Refusal] = errors.InvalidField,
) -> int | None:
    """Return a time in milliseconds since 1970; None if null or missing.

    Raises `refusal_type`, with the field's `name`, for any other text.
    """
    if value is UNSET or value is None:
        return None
    try:
        return clock.parse_time(value)
    except ValueError:
        expected = "a time like 2024-01-31T12:00:00Z"
        raise refusal_type.of(value, expected, f"$.{name}") from None


def date_of(value: object, name: str) -> int | None:
    """Return a time in milliseconds since 1970, as FastGPT reads it; None if missing.

    A number has milliseconds, a text may be a day, and null is 0. Raises InvalidField.
    """
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


PageNumber = int | float | LongText | UnsetType
CastError = refusal("CastError", "400 invalidField", "500 500 error")
"""The refusal of a value that FastGPT's schema accepts, but not its database."""


class PagedFields(contract.RequestFields, kw_only=True):
    """The paging fields of most lists; strings of digits count as numbers."""

    offset: PageNumber = UNSET
    page_num: PageNumber = UNSET
    page_size: PageNumber = UNSET


class PagedChatFields(OptionalChatFields, kw_only=True):
    """The page, and the application or share link of the items."""

    offset: PageNumber = UNSET
    page_num: PageNumber = UNSET
    page_size: PageNumber = UNSET


PAGING = (MissingParams, CastError)
"""The refusals of wrong paging fields."""


def paging_of(
    fields: PagedFields | PagedChatFields, limit: int = Published.related_page_size
) -> tuple[int, int]:
    """Return the offset and the size of a page, as FastGPT reads them.

    Without `pageSize` this is (0, 10). An `offset` other than 0 wins over `pageNum`. A
    size above `limit` counts as `limit`. Call this before any object is looked up, like
    all checks of fields. Raises PAGING.
    """
    if fields.page_size is UNSET:
        return 0, 10
    size = min(_number(fields.page_size, "pageSize"), limit)
    if size == 0:
        raise MissingParams.of(fields.page_size, "a number of at least 1", "$.pageSize")
    offset = _number(fields.offset, "offset")
    number = 0 if offset else _number(fields.page_num, "pageNum")
    return offset or max(0, number - 1) * size, size


def page_of(
    matching: Sequence[T], paging: tuple[int, int], level: Level = Level.READ
) -> Page[T]:
    """Return a page of the matching items; `paging` is its offset and its size."""
    offset, size = paging
    items = matching[offset : offset + size]
    return Page(items, len(matching), level, matching, offset, size)


_LEAST_CHARS = 40  # charged for an object with fewer characters
_CHARS_PER_STEP = 4_096


class Matches(Struct, Generic[T]):
    """The objects that match; `is_complete` is False if not all texts were compared."""

    objects: list[T]
    is_complete: bool = True

    def with_hint(self, state: State) -> list[T]:
        """Return the objects; give a hint if not all texts were compared."""
        if not self.is_complete:
            state.hint("only the first texts were compared (limit listed_search_chars)")
        return self.objects


def containing(
    term: str,
    objects: Iterable[T],
    texts_of: Callable[[T], tuple[str, str]],
    max_chars: int,
) -> Steps[Matches[T]]:
    """Return the objects that have a text which contains a case-folded term.

    At most `max_chars` characters are compared.
    """
    matches = Matches[T]([])
    step_end = max_chars - _CHARS_PER_STEP
    for each in objects:
        if max_chars <= 0:
            matches.is_complete = False
            break
        # An object with long texts counts as several steps.
        while max_chars < step_end:
            yield
            step_end -= _CHARS_PER_STEP
        text, other_text = texts_of(each)
        first, chars_left = yield from fold_in_steps(text, max_chars)
        second, chars_left = yield from fold_in_steps(other_text, max(chars_left, 0))
        if contains(first, term) or contains(second, term):
            matches.objects.append(each)
        max_chars = min(chars_left, max_chars - _LEAST_CHARS)
    return matches


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
