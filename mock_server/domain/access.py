"""API keys, the callers behind them, and permission levels.

The spec does not say how keys are issued, or which permission an operation needs (spec
5). The levels and their bits are those of the deployed service.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from enum import IntEnum

from msgspec import Struct

KEY_PATTERN = "[!-+\\--~]+"
"""Regular expression of an API key: visible ASCII except the comma, which joins the
values of repeated headers (RFC 9110 5.3)."""

NAME_PATTERN = "[A-Za-z0-9._-]{1,64}"
"""Regular expression of the name of a sandbox or a snapshot."""

MIN_REDACTABLE_LENGTH = 8
"""Minimum length of a redacted key; redacting shorter keys would garble texts."""

ISSUED_KEY_PREFIX = "fastgpt-sbx-"
"""Prefix of every key that a sandbox issues, and of no other key."""
_DIGITS, _SANDBOX_DIGITS, _USER_DIGITS = 20, 12, 8
KEY_ID_DIGITS = 24
"""Number of hex digits of the id of a key that a login created."""


class Level(IntEnum):
    """A permission level; its number is the bitmask in `permission.value`.

    Each level has all bits of the lower ones: `level >= Level.READ` is true if the
    caller may read.
    """

    NONE = 0
    READ = 4
    WRITE = 6
    MANAGE = 7
    OWNER = 4294967295  # all 32 bits


Permissions = Mapping[str, Level]
"""The declared levels by API key, for one app or dataset and everything in it."""


class Share(Struct, frozen=True):
    """A share link, over which anybody may chat with an app.

    It shows quotes if `show_cite`, and workflow steps if `show_running_status`.
    """

    id: str
    app_id: str
    name: str = ""
    show_cite: bool = False
    show_running_status: bool = False


class Visitor(Struct, frozen=True):
    """The user of a share link; `share` is None if the link is unknown."""

    uid: str
    share: Share | None = None

    def level_on(self, app_id: str) -> Level:
        """Return WRITE for the app of the link, else NONE."""
        is_own = self.share is not None and self.share.app_id == app_id
        return Level.WRITE if is_own else Level.NONE

    def owns(self, share_id: str | None, uid: str | None) -> bool:
        """Return True if a chat with this link id and uid belongs to the visitor."""
        return self.share is not None and (self.share.id, self.uid) == (share_id, uid)


class Caller(Struct, frozen=True):
    """The identity behind an API key, a login or a share link.

    `level` applies where an app or dataset declares no level for the key. A login has a
    `username`, and the `key` of its member, if any. `app_id` is the app for which the
    key was created; `named_app` is the app id that the client sent after the key. A
    `visitor` has no key.
    """

    key: str
    member: str | None = None
    level: Level = Level.OWNER
    username: str | None = None
    app_id: str | None = None
    visitor: Visitor | None = None
    named_app: str | None = None


_APP_ID = re.compile("[0-9a-f]{24}")
APP_SUFFIX_CHARS = 25
"""Length of the dash and the app id that may follow an API key."""


def split_key(key: str) -> tuple[str, str] | None:
    """Split `KEY-APPID` into an API key and an app id; None if there is no app id.

    `key` must have more than APP_SUFFIX_CHARS characters.
    """
    bare, suffix = key[:-APP_SUFFIX_CHARS], key[-APP_SUFFIX_CHARS:]
    dash, app_id = suffix[0], suffix[1:]
    return (bare, app_id) if dash == "-" and _APP_ID.fullmatch(app_id) else None


def bare_key(key: str) -> str:
    """Return a key without the app id that may follow it."""
    parts = split_key(key) if len(key) > APP_SUFFIX_CHARS else None
    return parts[0] if parts else key


_WORD = re.compile("[A-Za-z]{0,15}")


def secret_part(key: str) -> str:
    """Return a key without the app id that may follow it, unless that is a word.

    `customer-65d8a1f0c3b2a94e7f106a01` may be a key as a whole, and other texts contain
    the word.
    """
    bare = bare_key(key)
    return key if _WORD.fullmatch(bare) else bare


NOBODY = Caller("", None, Level.NONE)
"""The caller of a request without an accepted credential."""


def owner_key(declared: Mapping[str, Caller], is_any_accepted: bool) -> str | None:
    """Return an API key with all permissions, or None.

    `is_any_accepted`: without declared keys, any key works (choice unknown_key).
    """
    if not declared:
        # Any key would do: return a key that looks like those of the service.
        return "fastgpt-owner" if is_any_accepted else None
    owners = (each.key for each in declared.values() if each.level is Level.OWNER)
    return next(owners, None)


class KeyRing:
    """The API keys and tokens of a sandbox: they are issued and checked here.

    There is a key for the owner, and a key for each declared key. A key is
    `fastgpt-sbx-`, 12 hex digits for the sandbox, and 20 for the key. Keys and tokens
    are not stored, but derived from a secret.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.prefix = ISSUED_KEY_PREFIX + self._digits("sandbox")[:_SANDBOX_DIGITS]
        """Prefix of all keys and tokens of this sandbox."""
        self.owner = self.prefix + self._digits("owner")

    def issued_key(self, declared: str) -> str:
        """Return the API key to send instead of a declared key."""
        return self.prefix + self._digits(f"declared {declared}")

    def callers(self, declared: Mapping[str, Caller]) -> dict[str, Caller]:
        """Return the declared callers and the owner, by issued key."""
        callers = {self.issued_key(key): caller for key, caller in declared.items()}
        return callers | {self.owner: Caller(self.owner)}

    def issued_share_id(self, share_id: str) -> str:
        """Return the id to send instead of the id of a declared share link."""
        return self.prefix + self._digits(f"share {share_id}")

    def login_token(self, username: str) -> str:
        """Return the login token of a user: a user id, a colon, and 32 characters.

        The 32 characters start with the prefix of this sandbox, so look-ups and
        redaction of issued keys work for tokens too. They are never an issued key.
        """
        digits = self._digits(f"user {username}")[:_USER_DIGITS]
        return f"{user_id(username)}:{self.prefix}{digits}"

    def seal(self, text: str) -> str:
        """Return a token that contains `text`, and that only this sandbox can make.

        The token starts with the prefix of this sandbox, so it is redacted like a key.
        """
        digits = self._digits(f"sealed {text}")
        return f"{self.prefix}{digits}{text.encode().hex()}"

    def unseal(self, token: str) -> str | None:
        """Return the text in a token that `seal` returned, or None."""
        try:
            text = bytes.fromhex(token[len(self.prefix) + _DIGITS :]).decode()
        except ValueError:
            return None
        encoded = token.encode("utf-8", "replace")
        is_own = hmac.compare_digest(self.seal(text).encode(), encoded)
        return text if is_own else None

    def created_key(self, key_id: str) -> str:
        """Return the text of an API key that a login created, from its id.

        The id has 24 hex digits. The key contains it, so keys need not be stored.
        """
        return f"{self.prefix}{key_id}{self._digits(f'created {key_id}')}"

    def created_key_id(self, key: str) -> str | None:
        """Return the id of an API key that a login created; None for other texts."""
        start = len(self.prefix)
        key_id = key[start : start + KEY_ID_DIGITS]
        return key_id if key_id and key == self.created_key(key_id) else None

    def _digits(self, purpose: str) -> str:
        digest = hashlib.sha256(f"{self._secret} {purpose}".encode())
        return digest.hexdigest()[:_DIGITS]


def user_id(username: str) -> str:
    """Return the id of a user, 24 hex digits that depend only on the name."""
    return hashlib.sha256(f"user {username}".encode()).hexdigest()[:24]


def prefix_of(key: str) -> str:
    """Return the part of an issued key or token that is its sandbox's prefix."""
    return key[: len(ISSUED_KEY_PREFIX) + _SANDBOX_DIGITS]
