"""Why a page is empty, in a sentence for the journal.

What is counted is counted while the request is answered, and is true of that moment;
it looks at counts that are there, and once through a dataset that is small. The words
are made when somebody reads them. What would help for certain is told by `why`.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain import list_words as words
from mock_server.domain.choices import Choices
from mock_server.domain.dataset import FolderTree
from mock_server.domain.errors import SHOWN_CHARS
from mock_server.domain.index import ANYWHERE
from mock_server.domain.journal import Hint
from mock_server.domain.limits import Limits
from mock_server.domain.list_request import OMITTED, ListV2, part_of, search_of


def hint_of(
    tree: FolderTree,
    inside: int,
    request: ListV2,
    choices: Choices,
    total: int,
    limits: Limits,
) -> Hint:
    """Why a page with none of the `total` matching collections is empty.

    `inside` are in the part of the dataset that was asked for.
    """
    size, elsewhere = len(tree), None
    if not total and inside < size <= limits.hinted_collections:
        search = search_of(request, choices)
        if search is not None:
            everywhere = tree.listing(ANYWHERE, choices.list_order)
            elsewhere = len(everywhere.find(search, limits.cached_searches))
    page = EmptyPage(request, choices, size, inside, total, elsewhere)
    # A journal keeps what is short; of what is long, the text that cuts it.
    is_long = request.tags or len(request.search_text) > SHOWN_CHARS
    return page.text() if is_long else page.text


class EmptyPage(Struct, frozen=True, gc=False):
    """An empty page of a dataset of `size` collections, `inside` of them asked for.

    `elsewhere` would match in the whole dataset, if that has been counted.
    """

    request: ListV2
    choices: Choices
    size: int
    inside: int
    total: int
    elsewhere: int | None

    def text(self) -> str:
        """The reason, and the nearest settings that may help."""
        request, others = self.request, self.size - self.inside
        if self.total:
            return past_end(request, self.total)
        if not self.size:
            return "the dataset holds no collections"
        settings = words.joined(wider(request, self.choices), "or")
        if not others or not settings:
            return self._found()
        if self.elsewhere == 0:
            return f"{self._found()}, nor of the other {others:,}"
        scope = words.scope_choice(request, self.choices)
        keeper = f"{words.parent_words(request)}{scope} keeps out the other {others:,}"
        if search_of(request, self.choices) is None:
            then = "they are listed"
        elif self.elsewhere is None:
            then = "they are looked through too"
        else:
            then = f"{self.elsewhere:,} {words.verb(self.elsewhere, 'match')}"
        return f"{self._found()}; {keeper}: {settings}, {then}"

    def _found(self) -> str:
        where = words.place(part_of(self.request, self.choices))
        if not self.inside:
            return f"there are no collections {where}"
        one, many = "the only collection", f"the {words.amount(self.inside)}"
        looked_through = one if self.inside == 1 else many
        asked = words.filter_words(self.request, self.choices)
        return f"{asked} matches none of {looked_through} {where}"


def past_end(request: ListV2, total: int) -> str:
    """That the page begins after the last of those that match."""
    last = (total - 1) // request.page_size * request.page_size
    return (
        f"offset {request.offset} is past the end: {words.amount(total)} "
        f"{words.verb(total, 'match')}, and the last page is at offset {last}"
    )


def wider(request: ListV2, choices: Choices) -> list[str]:
    """The settings by which the request would ask for the whole dataset."""
    found = []
    everywhere = choices.but(search_scope="dataset")
    if part_of(request, everywhere) is ANYWHERE:
        found.append("with choice search_scope=dataset")
    any_folder = choices.but(parent_omitted="any")
    if part_of(request, any_folder) is ANYWHERE:
        found.append("with choice parent_omitted=any")
    if part_of(replace(request, parent_id=OMITTED), choices) is ANYWHERE:
        found.append("without parentId")
    return found
