"""Who calls, and what the caller may do: API keys, permission levels.

The spec leaves open how keys are issued and which permission an operation needs
(spec 5); levels and their bits are the deployed service's.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from enum import IntEnum

from msgspec import Struct

KEY_PATTERN = "[!-+\\--~]+"
"""An API key, as a regular expression: visible ASCII but the comma, which joins the
values of repeated headers (RFC 9110 5.3)."""

NAME_PATTERN = "[A-Za-z0-9._-]{1,64}"
"""The name of a sandbox or a snapshot, as a regular expression."""

MIN_REDACTABLE_LENGTH = 8
"""Shorter keys are not redacted in texts: that would garble ordinary words."""

ISSUED_KEY_PREFIX = "fastgpt-sbx-"
"""What every key begins with that a sandbox issues, and no other."""
_DIGITS, _SANDBOX_DIGITS, _USER_DIGITS = 20, 12, 8
KEY_ID_DIGITS = 24


class Level(IntEnum):
    """A permission level; its number is the bitmask that `permission.value` shows.

    Each level has all bits of those below it, so `level >= Level.READ` says whether
    reading is allowed.
    """

    NONE = 0
    READ = 4
    WRITE = 6
    MANAGE = 7
    OWNER = 4294967295  # all 32 bits


Permissions = Mapping[str, Level]
"""By API key: its level on one app or dataset and on everything below it."""


class Share(Struct, frozen=True):
    """A link by whose id anybody may chat with an app; it may hide how replies come."""

    id: str
    app_id: str
    name: str = ""
    show_cite: bool = False
    show_running_status: bool = False


class Visitor(Struct, frozen=True):
    """Who comes by a share link; its `share` is None if there is no such link."""

    uid: str
    share: Share | None = None

    def level_on(self, app_id: str) -> Level:
        """What the visitor may do with an app: chat, if the link is for it."""
        is_own = self.share is not None and self.share.app_id == app_id
        return Level.WRITE if is_own else Level.NONE

    def owns(self, share_id: str | None, uid: str | None) -> bool:
        """Whether what belongs to this link and uid is the visitor's."""
        return self.share is not None and (self.share.id, self.uid) == (share_id, uid)


class Caller(Struct, frozen=True):
    """The holder of an API key: one that a fixture declares, or any other.

    `level` holds where an app or dataset says nothing else for the key. Who has logged
    in has a `username`, and the key whose member the user is, if there is one. A key
    that was created for an app has its `app_id`; one that is sent with the id of an app
    behind it names that (`named_app`). A `visitor` has no key.
    """

    key: str
    member: str | None = None
    level: Level = Level.OWNER
    username: str | None = None
    app_id: str | None = None
    visitor: Visitor | None = None
    named_app: str | None = None


_APP_ID = re.compile("[0-9a-f]{24}")
APP_CHARS = 25
"""Of the id of an app behind a key, and the dash before it."""


def split_key(key: str) -> tuple[str, str] | None:
    """A key and the id of an app that stands behind it: `KEY-ID`; None without one.

    Only a key of more than APP_CHARS may have one.
    """
    bare, dash, app_id = key[:-25], key[-25], key[-24:]
    return (bare, app_id) if dash == "-" and _APP_ID.fullmatch(app_id) else None


NOBODY = Caller("", None, Level.NONE)
"""The caller of a request that has not been admitted."""


def owner_key(declared: Mapping[str, Caller], any_key: bool) -> str | None:
    """A key with all permissions, None if there is none.

    `any_key` says whether undeclared keys count while none is declared (choice
    unknown_key).
    """
    if not declared:
        # Any key will do: one that looks like the service's.
        return "fastgpt-owner" if any_key else None
    owners = (each.key for each in declared.values() if each.level is Level.OWNER)
    return next(owners, None)


class KeyRing:
    """The keys that a sandbox issues: its own owner's, and one per declared key.

    They are derived from a secret, so none has to be stored: `fastgpt-sbx-`, 12 hex
    digits that name the sandbox, 20 that name the key.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.prefix = ISSUED_KEY_PREFIX + self._digits("sandbox")[:_SANDBOX_DIGITS]
        """What all keys of this sandbox begin with."""
        self.owner = self.prefix + self._digits("owner")

    def issued(self, declared: str) -> str:
        """The key to send in place of a declared one."""
        return self.prefix + self._digits(f"declared {declared}")

    def callers(self, declared: Mapping[str, Caller]) -> dict[str, Caller]:
        """The declared callers by the keys that are issued for them, and the owner."""
        callers = {self.issued(key): caller for key, caller in declared.items()}
        return callers | {self.owner: Caller(self.owner)}

    def shared(self, share_id: str) -> str:
        """The id to send in place of that of a declared share link."""
        return self.prefix + self._digits(f"share {share_id}")

    def token(self, username: str) -> str:
        """What a user gets who logs in: an id, a colon, and 32 characters.

        They begin as the keys of this sandbox do, so that whatever finds issued keys,
        to follow or to hide them, finds tokens too. Such a key itself there is not.
        """
        digits = self._digits(f"user {username}")[:_USER_DIGITS]
        return f"{user_id(username)}:{self.prefix}{digits}"

    def sealed(self, text: str) -> str:
        """A token that says a text, and that nobody else can make.

        It begins as the keys of this sandbox do, and is hidden as they are.
        """
        digits = self._digits(f"sealed {text}")
        return f"{self.prefix}{digits}{text.encode().hex()}"

    def opened(self, token: str) -> str | None:
        """The text of a token that this sandbox has sealed; None of any other."""
        try:
            text = bytes.fromhex(token[len(self.prefix) + _DIGITS :]).decode()
        except ValueError:
            return None
        given = token.encode("utf-8", "replace")
        is_own = hmac.compare_digest(self.sealed(text).encode(), given)
        return text if is_own else None

    def created(self, key_id: str) -> str:
        """The key that a login has created, by its id of 24 hex digits.

        The id stands in it, so that the key itself is stored nowhere.
        """
        return f"{self.prefix}{key_id}{self._digits(f'created {key_id}')}"

    def id_of(self, key: str) -> str | None:
        """The id of a key that may have been created; None for any other text."""
        start = len(self.prefix)
        key_id = key[start : start + KEY_ID_DIGITS]
        return key_id if key_id and key == self.created(key_id) else None

    def _digits(self, purpose: str) -> str:
        digest = hashlib.sha256(f"{self._secret} {purpose}".encode())
        return digest.hexdigest()[:_DIGITS]


def user_id(username: str) -> str:
    """The id of a user: 24 hex digits."""
    return hashlib.sha256(f"user {username}".encode()).hexdigest()[:24]


def prefix_of(key: str) -> str:
    """The part of an issued key that names its sandbox (`KeyRing.prefix`)."""
    return key[: len(ISSUED_KEY_PREFIX) + _SANDBOX_DIGITS]
