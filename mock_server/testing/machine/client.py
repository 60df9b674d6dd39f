"""Defines the client under test of a `ClientMachine`, and its default test data."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from mock_server.domain.choices.table import Value
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.fixture.source.files import FixtureLike

Document = Mapping[str, Any]

FIXTURE: Document = {
    "keys": [
        {"key": "owner-key", "permission": "owner"},
        {"key": "guest-key", "permission": "none"},
    ],
    "apps": [
        {"id": "app-1", "chats": [{"chatId": "one"}, {"chatId": "two", "top": True}]},
        {"id": "app-2", "chats": [{"chatId": "one"}]},
    ],
    "datasets": [
        {
            "id": "few",
            "collections": [
                {
                    "_id": "guides",
                    "name": "Guides",
                    "children": [
                        {"_id": "install", "name": "Install", "tags": ["setup"]},
                        {"_id": "größe", "name": "Größe & (a+)+$", "tags": ["FAQ"]},
                    ],
                },
                {"_id": "faq", "name": "FAQ", "type": "link"},
            ],
        },
        {
            "id": "many",
            "collections": [
                {
                    "_id": "item-{n:02}",
                    "name": "Article {n}",
                    "repeat": 64,
                    "updateTime": {"start": "2024-01-01T00:00:00Z", "step": "1h"},
                },
                {
                    "_id": "archive",
                    "name": "Archive",
                    "children": [
                        {"_id": "old-{n:02}", "name": "Old {n:02}", "repeat": 31}
                    ],
                },
            ],
        },
    ],
}
"""Lists of a few, of 31 and of 65 items; names for searches; two API keys."""

SEARCH_TEXTS = ("faq", "old 3", "größe", "(a+)+$", "nothing has this")
"""The search texts."""

CHOICES: Mapping[str, Value | Sequence[Value]] = {
    "page_size_default": (10, 1, 30),
    "list_order": ("update_time_desc", "name", "fixture"),
    "parent_omitted": ("any", "root"),
    "parent_unknown": ("not_found", "empty"),
    "chat_unknown": ("not_found", "ignore"),
    "search_fields": ("name_and_tags", "name"),
    "search_scope": ("folder", "dataset"),
    "error_form": ("plain", "service"),
    "error_http_status": ("mapped", "always_500", "always_200"),
    "item_fields": ("documented", "extended"),
    "tags_empty": ("list", "absent"),
}
"""Choices for which a client that follows the spec works with every value."""

FAULTS: Sequence[Document] = (
    {"kind": "error", "status": 503},
    {"kind": "error", "status": 500, "phase": "after"},
    {"kind": "error", "status": 429, "retryAfter": 1},
    {"kind": "error", "status": 404},
    {"kind": "error", "status": 200, "code": 500},
    {"kind": "reset"},
    {"kind": "reset", "phase": "after"},
    {"kind": "empty"},
    {"kind": "truncate"},
    {"kind": "malformed_json"},
    {"kind": "wrong_total", "by": 1},
    {"kind": "alter", "set": {"type": "hologram", "newField": None}},
)

PAGING_FAULTS: Sequence[Document] = (
    {"kind": "page_drift", "insert": 1},
    {"kind": "page_drift", "remove": 1},
    {"kind": "duplicate_item"},
)
"""Faults that change a list while it is read."""

LIST_KINDS = ("page_drift", "duplicate_item", "wrong_total")
"""Kinds that only affect lists of several pages."""
PAGE_KINDS = (*LIST_KINDS, "alter")
"""Kinds that only affect pages."""
HARMLESS_KINDS = ("alter", "delay", "dribble")
"""Kinds that leave a response correct."""
OWN_VIOLATIONS = ("parent_unknown", "chat_unknown", "unknown_key")
"""Violations that the machine causes itself, by its arguments of calls."""
_MANY_TIMES = 40
"""More tries than any client should make."""


def fault_plans(
    kinds: Sequence[Document], attempts: int | None, with_list_faults: bool
) -> list[list[Document]]:
    """Return each fault once and many times, for the first or the second request.

    Faults of a kind are in a list, the simplest first. If a client makes several
    `attempts`, the list has as many faults as the client should survive, too.
    """
    survivable_times = max(1, (attempts or 1) - 1)
    plans: dict[str, list[Document]] = {}
    for times, skip in (1, 0), (1, 1), (survivable_times, 0), (_MANY_TIMES, 0):
        if skip and not with_list_faults:
            continue
        counts = ({"times": times} if times > 1 else {}) | (
            {"skip": skip} if skip else {}
        )
        for each in kinds:
            if _is_survivable(each["kind"], times, skip):
                plans.setdefault(each["kind"], []).append({**each, **counts})
    return list(plans.values())


def _is_survivable(kind: str, times: int, skip: int) -> bool:
    if kind == "page_drift":
        # Only once, because a list that keeps changing can never be read. Not on the
        # first page, because no client could notice the change.
        return times == 1 and skip > 0
    return kind != "duplicate_item" or times == 1


Item = str | Mapping[str, Any]
"""A collection: its id, or an object with the id as `_id` or `id`."""


class Client:
    """A client under test: attributes are its promises, methods its calls."""

    fixture: ClassVar[FixtureLike | FixtureData] = FIXTURE
    """The fixture to serve: a document, or the path of a file."""
    profile: ClassVar[str] = "documented"
    """The profile, which `choices` change."""
    choices: ClassVar[Mapping[str, Value | Sequence[Value]]] = CHOICES
    """Choices with their value, or the values to choose from."""
    faults: ClassVar[Sequence[Mapping[str, Any]]] = FAULTS
    """Faults that a call may have, as `POST faults` takes them."""
    drift: ClassVar[Sequence[Mapping[str, Any]]] = PAGING_FAULTS
    """Faults that change a list between two pages; add them to `faults`."""
    attempts: ClassVar[int | None] = None
    """The number of tries until a call succeeds. None promises nothing."""
    retried: ClassVar[Collection[int | str]] = (429, 503, "reset", "empty")
    """The HTTP statuses and kinds of faults after which the client retries."""
    waits: ClassVar[bool] = True
    """True if the client waits for the time of a Retry-After header."""
    in_order: ClassVar[bool] = True
    """True if the client returns lists in the order of the service."""
    errors: ClassVar[tuple[type[BaseException], ...]] = (Exception,)
    """The only exceptions that the client raises when a call has failed."""
    allowed: ClassVar[Collection[str]] = ()
    """Names of violations that the client may cause."""
    most_requests: ClassVar[int] = 200
    """The maximum number of requests of a call; a call that sends more is stopped."""

    def start(self, url: str, key: str) -> None:
        """Create the client. Called again for another caller's API key."""
        raise NotImplementedError(f"{type(self).__name__} has no `start(url, key)`")

    def stop(self) -> None:
        """Close the client, if that is needed."""

    def pin(self, app_id: str, chat_id: str, top: bool) -> object:
        """Pin or unpin a chat session; raise an error unless that has succeeded."""
        raise NotImplementedError

    def list_folder(self, dataset_id: str, parent_id: str | None) -> Iterable[Item]:
        """Return a folder's direct content, from all pages; None is the top level."""
        raise NotImplementedError

    def search(self, dataset_id: str, text: str) -> Iterable[Item]:
        """Return all collections of a dataset, in any folder, that match the text."""
        raise NotImplementedError

    def list_page(
        self, dataset_id: str, parent_id: str | None, offset: int, page_size: int
    ) -> Iterable[Item]:
        """Return one page of a folder's direct content."""
        raise NotImplementedError


METHOD_NAMES = "pin", "list_folder", "search", "list_page"
"""The methods that are tested; a subclass has at least one of them."""
