"""Hints for the journal that explain why a page is empty.

Collections are counted while the request is handled; the text is built when the journal
is read. A hint names settings that may help; `why` has tried the fixes that it reports.
"""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from mock_server.domain.choices.reading import choices_read, choices_text, other_values
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import Hint
from mock_server.domain.limits import Limits
from mock_server.domain.listing.request import ListV2, scope_of, search_of
from mock_server.domain.messages import SHOWN_CHARS, cut, quoted
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.index import ANYWHERE, Scope

_A_FOLDER = (
    "the dataset is a folder that contains only datasets: send the id of one of them"
)


def empty_page_hint(
    dataset: Dataset,
    scope_size: int,
    request: ListV2,
    choices: Choices,
    total: int,
    limits: Limits,
) -> Hint:
    """Return the hint for a page that shows none of the `total` matching collections.

    `scope_size` is the number of collections in the requested scope (see `scope_of`).
    """
    tree = dataset.tree
    size, dataset_matches = len(tree), None
    if not total and scope_size < size <= limits.hinted_collections:
        search = search_of(request, choices)
        if search is not None:
            listing = tree.listing(ANYWHERE, choices.list_order)
            dataset_matches = len(listing.find(search, limits.cached_searches))
    is_folder = dataset.type == "folder"
    page = EmptyPage(
        request, choices, size, scope_size, total, dataset_matches, is_folder
    )
    # For a long request, store only the shortened text, to save memory in the journal.
    is_long = request.tags or len(request.search_text) > SHOWN_CHARS
    return page.text() if is_long else page.text


class EmptyPage(Struct, frozen=True, gc=False):
    """An empty page of a dataset: its request, and numbers of collections.

    `size` counts the collections of the dataset, `scope_size` those in the requested
    scope, `total` the matches there, and `dataset_matches` those in the whole dataset
    (None if they were not counted). `is_folder`: the dataset is a folder of datasets.
    """

    request: ListV2
    choices: Choices
    size: int
    scope_size: int
    total: int
    dataset_matches: int | None
    is_folder: bool

    def text(self) -> str:
        """Return the reason, and the nearest settings that may help."""
        request, hidden = self.request, self.size - self.scope_size
        if self.total:
            last = (self.total - 1) // request.page_size * request.page_size
            match = f"{amount_text(self.total)} {verb_form(self.total, 'match')}"
            reason = f"offset {request.offset} is past the end: {match}"
            return f"{reason}, and the last page is at offset {last}"
        if not self.size:
            return _A_FOLDER if self.is_folder else "the dataset holds no collections"
        settings = join_words(wider_settings(request, self.choices), "or")
        if not hidden or not settings:
            return self._match_text()
        if self.dataset_matches == 0:
            text = self._match_text()
            if not self.scope_size:
                return f"{text}, and none of the other {hidden:,} matches"
            return f"{text}, nor any of the other {hidden:,}"
        scope = scope_choice(request, self.choices)
        cause = f"{parent_words(request)}{scope} hides the other {hidden:,}"
        if search_of(request, self.choices) is None:
            effect = "they are listed"
        elif self.dataset_matches is None:
            effect = "they are searched too"
        else:
            effect = (
                f"{self.dataset_matches:,} {verb_form(self.dataset_matches, 'match')}"
            )
        return f"{self._match_text()}; {cause}: {settings}, {effect}"

    def _match_text(self) -> str:
        scope_name = scope_text(scope_of(self.request, self.choices))
        if not self.scope_size:
            return f"there are no collections {scope_name}"
        filters = filter_words(self.request, self.choices)
        if self.scope_size == 1:
            return f"{filters} does not match the only collection {scope_name}"
        amount = amount_text(self.scope_size)
        return f"{filters} matches none of the {amount} {scope_name}"


def wider_settings(request: ListV2, choices: Choices) -> list[str]:
    """Return settings in words, each of which makes the request list all folders."""
    names = choices_read(lambda watched: scope_of(request, watched), choices)
    settings = [
        f"with choice {name}={value}"
        for name, value in other_values(choices, names)
        if scope_of(request, choices.replaced(**{name: value})) is ANYWHERE
    ]
    if scope_of(replace(request, parent_id=UNSET), choices) is ANYWHERE:
        settings.append("without parentId")
    return settings


def quote(text: str) -> str:
    """Return a text in quotes, shortened if it is long."""
    return quoted(cut(text))


def amount_text(count: int) -> str:
    """Return `1 collection` or `1,000 collections`."""
    return f"{count:,} collection" + ("" if count == 1 else "s")


def verb_form(count: int, plural: str) -> str:
    """Return the verb for a number: `matches` for 1, else `match` (`plural`)."""
    return f"{plural}es" if count == 1 else plural


def scope_text(scope: Scope) -> str:
    """Return a scope in words: `at the top level`, `in folder "a"`."""
    if scope is ANYWHERE:
        return "of the dataset"
    return "at the top level" if scope is None else f"in folder {quote(scope)}"


def parent_words(request: ListV2) -> str:
    """Return the request's folder in words: `parentId null`, `no parentId`."""
    parent = request.parent_id
    if parent is UNSET:
        return "no parentId"
    return f"parentId {'null' if parent is None else quote(parent)}"


def scope_choice(request: ListV2, choices: Choices) -> str:
    """Return ` (choice a=b)` if a choice limits the request to a folder, else ""."""
    names = choices_read(lambda watched: scope_of(request, watched), choices)
    return choices_text(choices, names[-1:])


def filter_words(request: ListV2, choices: Choices) -> str:
    """Return the filters in words: `searchText "a" with selectFolder true`."""
    parts = [text] if (text := search_words(request, choices)) else []
    if request.folders_only:
        parts.append("selectFolder true")
    if request.tags:
        parts.append(tags_words(request.tags))
    return " with ".join(parts)


def search_words(request: ListV2, choices: Choices) -> str:
    """Return `searchText "a"` and the choices that change its matches; "" for none."""
    search, documented = search_of(request, choices), Choices()

    def changes_search(name: str) -> bool:
        changed_choices = choices.replaced(**{name: getattr(documented, name)})
        return search_of(request, changed_choices) != search

    names = choices_read(lambda watched: search_of(request, watched), choices)
    in_force = choices_text(choices, filter(changes_search, names))
    if not request.search_text:
        return in_force.strip(" ()")
    return f"searchText {quote(request.search_text)}{in_force}"


_MAX_TAGS = 3


def tags_words(tags: Sequence[str]) -> str:
    """Return `filterTags ["a", "b"]`, shortened if there are more than three tags."""
    more = ", …" if len(tags) > _MAX_TAGS else ""
    return f"filterTags [{', '.join(map(quote, tags[:_MAX_TAGS]))}{more}]"


def join_words(parts: Sequence[str], last: str) -> str:
    """Return `a, b or c`; `last` is the word before the last part."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
