"""The stored objects: apps, chats (spec 2.1), collections (spec 2.2), rows and others.

Objects never change: a change creates a new object, which replaces the old object in
the store.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level, Permissions
from mock_server.domain.clock import DEFAULT_TIME
from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.replies import Pace, StoredReply

DEFAULT_TMB_ID = "65422be6aa44b7da77729ec9"
DEFAULT_TEAM_ID = "65422be6aa44b7da77729ec8"
"""The team that owns all datasets."""


class Chat(Struct, frozen=True, gc=False):
    """A chat. `top` is True if it is pinned; `update_time` is in milliseconds.

    A chat that began over a share link belongs to `share_id`, the id of the link, and
    to `out_link_uid`, the uid of the visitor.
    """

    app_id: str
    chat_id: str
    title: str = ""
    custom_title: str = ""
    top: bool = False
    update_time: int = DEFAULT_TIME
    share_id: str | None = None
    out_link_uid: str | None = None


FOLDER = "folder"
"""The type of a folder of apps or datasets."""
APP_FOLDERS = (FOLDER, "toolFolder", "httpPlugin")
"""Types of apps that can contain other apps."""

CollectionType = Literal[
    "folder", "virtual", "file", "link", "externalFile", "apiFile", "images"
]
"""Types of collections that FastGPT has; a fixture may have others."""
Speaker = Literal["Human", "AI", "System"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)


class ChatRecord(Struct, frozen=True, gc=False):
    """A record of a chat: one message.

    `id` is the `dataId`, which several records may share. Times are in milliseconds;
    only a deleted record has a `delete_time`. `parts`, of a reply that is more than a
    text, and `feedback` are stored as JSON, which takes little memory.
    """

    id: str
    obj: Speaker
    text: str
    time: int = DEFAULT_TIME
    parts: bytes = b""
    feedback: bytes = b""
    delete_time: int | None = None


class Feedback(Struct, rename="camel", omit_defaults=True):
    """Feedback on a reply. A field that is null counts as given, too."""

    user_good_feedback: str | UnsetType | None = UNSET
    user_bad_feedback: str | UnsetType | None = UNSET

    def to_json(self) -> bytes:
        """Return the feedback as JSON for a record; b"" if no field is given."""
        return b"" if self == Feedback() else msgspec.json.encode(self)


class App(Struct, frozen=True):
    """An app. `chats` and `records` are loaded data, by chat id.

    Completions use the `replies` in turn, and stream them at `pace`; `question_guide`
    has suggested questions. `type` may be one of APP_FOLDERS; `parent_id` is the id of
    such a folder. `update_time` is in milliseconds.
    """

    id: str
    name: str = ""
    permissions: Permissions = field(default_factory=dict)
    chats: LoadedChats = field(default_factory=LoadedChats)
    records: Mapping[str, Sequence[ChatRecord]] = field(default_factory=dict)
    replies: tuple[StoredReply, ...] = ()
    pace: Pace | None = None
    question_guide: tuple[str, ...] = ()
    parent_id: str | None = None
    type: str = "simple"
    intro: str = ""
    avatar: str = ""
    tmb_id: str = DEFAULT_TMB_ID
    update_time: int = DEFAULT_TIME

    def level_of(self, caller: Caller) -> Level:
        """Return the level of a visitor, else the level declared here for the key.

        For a key without a declared level, return `caller.level`.
        """
        if caller.visitor is not None:
            return caller.visitor.level_on(self.id)
        return self.permissions.get(caller.key, caller.level)


class Collection(Struct, frozen=True, eq=False, gc=False):
    """A collection: the fields of spec 2.2 without `permission`, which callers have.

    Times are in milliseconds. Items of listV2 show `create_time` to `raw_link` only
    with choice item_fields=extended, and never `file_size`, the size of an uploaded
    file in bytes.
    """

    # `eq=False`: a collection equals only itself and is hashed by identity. JSON texts
    # are cached by collection, and comparing fields is slower than encoding them.
    # `gc=False`: collections are in no reference cycle, so the collector need not scan
    # millions of them.

    id: str
    name: str
    parent_id: str | None = None
    tmb_id: str = DEFAULT_TMB_ID
    type: str = "virtual"
    update_time: int = DEFAULT_TIME
    data_amount: int = 0
    training_amount: int = 0
    external_file_id: str = ""
    tags: tuple[str, ...] = ()
    forbid: bool = False
    training_type: str = "chunk"
    create_time: int | None = None
    has_error: bool = False
    file_id: str | None = None
    raw_link: str | None = None
    file_size: int | None = None

    @property
    def training_mode(self) -> str:
        """The kind of training that the rows of the collection get."""
        return "qa" if self.training_type == "qa" else "chunk"

    def updated(self, now: int) -> "Collection":
        """Return the collection as changed at `now` (ms); its creation time stays."""
        created = self.update_time if self.create_time is None else self.create_time
        return replace(self, update_time=now, create_time=created)


class Row(Struct, frozen=True, gc=False):
    """A data row of a collection: a question or text `q`, and an optional answer `a`.

    `indexes` are further texts by which searches find the row; `update_time` is in
    milliseconds.
    """

    id: str
    q: str
    a: str = ""
    chunk_index: int = 0
    indexes: tuple[str, ...] = ()
    update_time: int = DEFAULT_TIME

    def __post_init__(self) -> None:
        # Texts keep their hashes, so nobody has to hash those of many rows at once.
        hash(self.q), hash(self.a)


class User(Struct, frozen=True):
    """A user who can log in, with the permissions of `member` (None: all of them)."""

    username: str
    password: str
    member: str | None = None


class ApiKey(Struct, frozen=True, gc=False):
    """An API key that a login created. `KeyRing.created_key` returns its text.

    The key has the permissions of `member`. Times are in milliseconds;
    `max_usage_points` of -1 means without limit.
    """

    id: str
    name: str = "Api Key"
    member: str = DEFAULT_TMB_ID
    app_id: str | None = None
    create_time: int = DEFAULT_TIME
    expired_time: int | None = None
    max_usage_points: int | float = -1
    auth_proxy: bool = False


class LoginCode(Struct, frozen=True, gc=False):
    """A code that a login has to send before the time `ends_at` (milliseconds)."""

    text: str
    ends_at: int
