"""The choices as the documentation lists them, and what each of them lets pass."""

from __future__ import annotations

from typing import NamedTuple

Value = str | int
Choices = dict[str, Value]


class Choice(NamedTuple):
    """The values of a choice, and those of both profiles.

    `tolerant` are the values with which something is served that others refuse.
    """

    values: tuple[Value, ...]
    documented: Value
    deployed: Value
    tolerant: tuple[Value, ...] = ()


def strict(tolerant: str) -> Choice:
    """Refused as documented, served as deployed."""
    return Choice(("reject", tolerant), "reject", tolerant, (tolerant,))


CHOICES: dict[str, Choice] = {
    "page_size_default": Choice(tuple(range(1, 31)), 10, 10),
    "page_size_over_limit": strict("clamp"),
    "offset_missing": strict("accept"),
    "numeric_strings": strict("accept"),
    "list_order": Choice(
        ("update_time_desc", "name", "fixture"), "update_time_desc", "update_time_desc"
    ),
    "parent_omitted": Choice(("any", "root"), "any", "root"),
    "parent_empty_string": Choice(
        ("unknown", "root"), "unknown", "root", ("unknown", "root")
    ),
    "parent_unknown": Choice(("not_found", "empty"), "not_found", "empty", ("empty",)),
    "search_scope": Choice(("folder", "dataset"), "folder", "dataset", ("dataset",)),
    "search_fields": Choice(("name_and_tags", "name"), "name_and_tags", "name"),
    "chat_unknown": Choice(
        ("not_found", "create", "ignore"), "not_found", "ignore", ("create", "ignore")
    ),
    "top_missing": strict("ignore"),
    "method_mismatch": strict("accept"),
    "content_type_missing": strict("accept"),
    "unknown_fields": Choice(("ignore", "reject"), "ignore", "ignore", ("ignore",)),
    "list_filters": Choice(("ignore", "honour"), "ignore", "honour", ("honour",)),
    "unknown_key": Choice(("accept", "reject"), "accept", "accept", ("accept",)),
    "error_form": Choice(("plain", "service"), "plain", "service"),
    "error_http_status": Choice(
        ("mapped", "always_500", "always_200"), "mapped", "mapped"
    ),
    "legacy_paths": Choice(("off", "on"), "on", "on", ("on",)),
    "item_fields": Choice(("documented", "extended"), "documented", "extended"),
    "tags_empty": Choice(("list", "absent"), "list", "list"),
    "page_size_max": Choice((30, 100), 30, 100, (100,)),
    "related_routes": Choice(("off", "on"), "on", "on", ("on",)),
    "credentials": Choice(
        ("bearer", "login_too"), "bearer", "login_too", ("login_too",)
    ),
    "training": Choice(("instant", "stepped"), "instant", "stepped"),
    "query_delete": Choice(
        ("accept", "needs_json_type"), "accept", "accept", ("accept",)
    ),
    "version": Choice(("4.14", "4.16"), "4.16", "4.16"),
}


def chosen(profile: str, others: Choices) -> Choices:
    """The choices of a profile, with others in place of some."""
    return {name: getattr(row, profile) for name, row in CHOICES.items()} | others


def tolerates(choices: Choices, name: str) -> bool:
    """Whether a choice lets pass what its other values refuse."""
    return choices[name] in CHOICES[name].tolerant


def remedies(choices: Choices, *names: str) -> list[str]:
    """The values, not in force, that would serve what is refused."""
    return [
        f"{name}={value}"
        for name in names
        for value in CHOICES[name].tolerant
        if value != choices[name]
    ]


def served_with(*needed: str) -> str:
    """What the message of a refusal ends with, if a choice could change it."""
    return f" (served with the choice {' or '.join(needed)})" if needed else ""
