"""The data: applications with chats (spec 2.1), collections (spec 2.2), their rows.

Records never change once they are made: a change makes a new one, and the store keeps
it in place of the old.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level, Permissions
from mock_server.domain.clock import DEFAULT_TIME
from mock_server.domain.replies import DeclaredReply, Pace

DEFAULT_TMB_ID = "65422be6aa44b7da77729ec9"
DEFAULT_TEAM_ID = "65422be6aa44b7da77729ec8"
"""The team that all datasets belong to."""


class Chat(Struct, frozen=True, gc=False):
    """A chat session. `top` is its pin state; `update_time` is in milliseconds.

    One that was made over a share link belongs to that and to the visitor's uid.
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
"""The type of what holds applications, or datasets."""
APP_FOLDERS = (FOLDER, "toolFolder", "httpPlugin")
"""The types of applications that hold others."""

Speaker = Literal["Human", "AI", "System"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)


class ChatRecord(Struct, frozen=True, gc=False):
    """One message of a chat session, as the service's record has it.

    Several may have the same `id`, which is its `dataId`. Times are in milliseconds;
    one that is deleted has a `delete_time`. `parts` are those of a reply that is more
    than a text, `feedback` is what its reader has said of it: JSON, which many records
    together hold in little room.
    """

    id: str
    obj: Speaker
    text: str
    time: int = DEFAULT_TIME
    parts: bytes = b""
    feedback: bytes = b""
    delete_time: int | None = None


class Feedback(Struct, rename="camel", omit_defaults=True):
    """What the reader of a reply has said of it; null is said, too."""

    user_good_feedback: str | UnsetType | None = UNSET
    user_bad_feedback: str | UnsetType | None = UNSET

    def written(self) -> bytes:
        """Return it as JSON, as a record has it; nothing of nothing."""
        return b"" if self == Feedback() else msgspec.json.encode(self)


class App(Struct, frozen=True):
    """An application, and what the fixture gives it: chat sessions and their records.

    Both are by chat id. `replies` are said in turn by its completions, streamed at its
    `pace`; the questions of `question_guide` are proposed afterwards. `type` may be a
    folder's, which holds applications; `parent_id` is such a folder's id. `update_time`
    is in milliseconds.
    """

    id: str
    name: str = ""
    permissions: Permissions = field(default_factory=dict)
    chats: Mapping[str, Chat] = field(default_factory=dict)
    records: Mapping[str, Sequence[ChatRecord]] = field(default_factory=dict)
    replies: tuple[DeclaredReply, ...] = ()
    pace: Pace | None = None
    question_guide: tuple[str, ...] = ()
    parent_id: str | None = None
    type: str = "simple"
    intro: str = ""
    avatar: str = ""
    tmb_id: str = DEFAULT_TMB_ID
    update_time: int = DEFAULT_TIME

    def level_of(self, caller: Caller) -> Level:
        """What a caller may do with it: its own permission, else the key's level."""
        if caller.visitor is not None:
            return caller.visitor.level_on(self.id)
        return self.permissions.get(caller.key, caller.level)


class Collection(Struct, frozen=True, eq=False, gc=False):
    """A collection, all fields of spec 2.2 but `permission`, which is the caller's.

    Times are in milliseconds. `create_time` to `raw_link` are the deployed service's
    (choice item_fields=extended). `file_size`, in bytes, is of an uploaded file; items
    of listV2 do not show it.
    """

    # Without `eq`, a collection is equal to itself alone and hashed by identity: JSON
    # texts are cached by it, and comparing fields would take longer than encoding them.
    # Without `gc`: there may be millions, in no cycles, and the collector walks them.

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

    def updated(self, now: int) -> "Collection":
        """The collection as updated at a time; that of its creation stays."""
        created = self.update_time if self.create_time is None else self.create_time
        return replace(self, update_time=now, create_time=created)


class Row(Struct, frozen=True, gc=False):
    """A data row of a collection: a question or text `q`, and perhaps an answer `a`.

    `indexes` are further texts under which it is found; `update_time` is in
    milliseconds.
    """

    id: str
    q: str
    a: str = ""
    chunk_index: int = 0
    indexes: tuple[str, ...] = ()
    update_time: int = DEFAULT_TIME


class User(Struct, frozen=True):
    """Somebody who can log in; `member` is whose permissions that gives."""

    username: str
    password: str
    member: str | None = None


class ApiKey(Struct, frozen=True, gc=False):
    """An API key that a login has created, without its text, which follows from its id.

    Its `member` says what it may do. Times are in milliseconds; -1 points are any
    number.
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
    """A code that a login has to repeat before a time in milliseconds."""

    text: str
    ends: int
