"""The words in which hints and explanations speak of list requests."""

from collections.abc import Sequence

from mock_server.domain.choices import Choices
from mock_server.domain.errors import cut, quoted
from mock_server.domain.index import ANYWHERE, Within
from mock_server.domain.list_request import OMITTED, ListV2


def shown(text: str) -> str:
    """A text in quotes, its beginning if it is long."""
    return quoted(cut(text))


def amount(count: int) -> str:
    """`1 collection`, `1,000 collections`."""
    return f"{count:,} collection" + ("" if count == 1 else "s")


def verb(count: int, plural: str) -> str:
    """`matches` of one, `match` of several."""
    return f"{plural}es" if count == 1 else plural


def place(within: Within) -> str:
    """Which collections are in a part: those `at the top level`, `in folder "a"`."""
    if within is ANYWHERE:
        return "of the dataset"
    return "at the top level" if within is None else f"in folder {shown(within)}"


def parent_words(request: ListV2) -> str:
    """What a request says about the folder: `parentId null`, `no parentId`."""
    parent = request.parent_id
    if parent is OMITTED:
        return "no parentId"
    return f"parentId {'null' if parent is None else shown(parent)}"


def scope_choice(request: ListV2, choices: Choices) -> str:
    """The choice by which a request is kept to a folder; "" if the spec says it."""
    is_whole = choices.search_scope == "dataset"
    if request.search_text and (is_whole or request.parent_id is not OMITTED):
        return f" (choice search_scope={choices.search_scope})"
    if request.parent_id is OMITTED:
        return f" (choice parent_omitted={choices.parent_omitted})"
    if request.parent_id == "":
        return f" (choice parent_empty_string={choices.parent_empty_string})"
    return ""


def filter_words(request: ListV2, choices: Choices) -> str:
    """What a request looks for: `searchText "a" with selectFolder true`."""
    parts = [search_words(request, choices)] if request.search_text else []
    if request.folders_only:
        parts.append("selectFolder true")
    if request.tags:
        parts.append(tags_words(request.tags))
    return " with ".join(parts)


def search_words(request: ListV2, choices: Choices) -> str:
    """`searchText "a"`, with the choice that keeps it from the tags."""
    is_narrow = choices.search_fields != "name_and_tags"
    narrowed = f" (choice search_fields={choices.search_fields})" * is_narrow
    return f"searchText {shown(request.search_text)}{narrowed}"


_TAGS = 3


def tags_words(tags: Sequence[str]) -> str:
    """`filterTags ["a", "b"]`, of many the first."""
    more = ", …" if len(tags) > _TAGS else ""
    return f"filterTags [{', '.join(map(shown, tags[:_TAGS]))}{more}]"


def joined(parts: Sequence[str], last: str) -> str:
    """`a, b or c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
