"""Types of fields that the routes of datasets and collections share."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.operations import contract
from mock_server.domain import clock, errors
from mock_server.domain.limits import Limits
from mock_server.fixture.document import Id
from mock_server.views import View

Name = Annotated[str, Meta(max_length=Limits.name_chars)]
Long = Annotated[str, Meta(max_length=Limits.intro_chars)]
SearchText = Annotated[str, Meta(max_length=Limits.search_chars)]
Label = Annotated[str, Meta(max_length=Limits.id_chars)]
Tags = Annotated[list[Label], Meta(max_length=Limits.tags)]
Ids = Annotated[list[Id], Meta(max_length=Limits.ids)]
Parent = Label | UnsetType | None
"""A folder by its id; null and an empty text are the top level."""
DatasetType = Literal[
    "folder",
    "dataset",
    "websiteDataset",
    "externalFile",
    "apiDataset",
    "feishu",
    "yuque",
]

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
        got = errors.describe_value(value)
        message = f"Expected {expected}, got {got} - at $.{name}"
        raise errors.InvalidField(message) from None
