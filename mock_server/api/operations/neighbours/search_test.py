"""`searchTest`: the data rows of a dataset that are nearest to a text."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import neighbour
from mock_server.domain import clock, errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page
from mock_server.domain.records import Collection, Row
from mock_server.domain.similarity import parts_of, score, tokens_of
from mock_server.domain.state import State
from mock_server.fixture.document import Id, Time
from mock_server.views import View

Mode = Literal["embedding", "fullTextRecall", "mixedRecall"]
_SCORE_TYPES = {
    "embedding": "embedding",
    "fullTextRecall": "fullText",
    "mixedRecall": "rrf",
}


class SearchTestBody(contract.RequestFields, kw_only=True):
    """What is looked for, where, and how; other settings are not looked at."""

    dataset_id: Id
    text: Annotated[str, Meta(min_length=1)]
    limit: Annotated[int, Meta(ge=1, le=20_000)] = 5_000
    similarity: Annotated[float, Meta(ge=0, le=1)] = 0
    search_mode: Mode = "embedding"
    using_re_rank: bool = False
    embedding_weight: Any = UNSET
    rerank_model: Any = UNSET
    rerank_weight: Any = UNSET
    dataset_search_using_extension_query: Any = UNSET
    dataset_search_extension_model: Any = UNSET
    dataset_search_extension_bg: Any = UNSET
    dataset_deep_search: Any = UNSET
    dataset_deep_search_model: Any = UNSET
    dataset_deep_search_max_times: Any = UNSET
    dataset_deep_search_bg: Any = UNSET


class ScoreView(View):
    """A score: of which kind, from 0 to 1, and the place that it gives."""

    type: str
    value: float
    index: int


class FoundView(View, kw_only=True):
    """A data row that has been found."""

    id: str
    q: str
    a: str | UnsetType = UNSET
    chunk_index: int
    dataset_id: str
    collection_id: str
    source_name: str
    source_id: str | UnsetType = UNSET
    update_time: Time
    score: list[ScoreView]


class SearchView(View):
    """What has been found, the best first, and what was asked for."""

    list: list[FoundView]
    duration: str
    limit: int
    search_mode: str
    using_re_rank: bool
    similarity: float


class Found(Struct, frozen=True):
    """A row that has been found, whose it is, and its score."""

    score: float
    row: Row
    collection: Collection


class FoundPage(Page[Found], frozen=True, kw_only=True):
    """Rows that have been found, in which dataset, and what was asked for."""

    dataset_id: str
    body: SearchTestBody


def search_test(state: State, caller: Caller, body: SearchTestBody) -> FoundPage:
    """The rows nearest to a text. Raises DatasetNotFound, DatasetForbidden."""
    dataset = targets.dataset_for(
        state, caller, body.dataset_id, Level.READ, "$.datasetId"
    )
    found = sorted(_found(state, dataset, body), key=lambda it: (-it.score, it.row.id))
    shown = list(_within(found, body.limit))
    return FoundPage(
        items=shown,
        total=len(shown),
        level=dataset.level_of(caller),
        matching=shown,
        page_size=Limits.integer,
        dataset_id=dataset.id,
        body=body,
    )


def encode(page: FoundPage, state: State) -> bytes:
    """The envelope around what has been found."""
    body = page.body
    types = [_SCORE_TYPES[body.search_mode]]
    if body.using_re_rank:
        types.append("reRank")
    shown = [
        _view(
            each, page.dataset_id, [ScoreView(kind, each.score, at) for kind in types]
        )
        for at, each in enumerate(page.items)
    ]
    asked = body.limit, body.search_mode, body.using_re_rank, body.similarity
    return neighbour.encode_data(SearchView(shown, "0.012s", *asked), state)


def appear(_body: SearchTestBody, number: int) -> Found:
    """A row that is not there, near enough."""
    row = Row(f"appeared-{number}", f"Appeared {number}")
    return Found(1, row, Collection("appeared", "Appeared"))


def _found(state: State, dataset: Dataset, body: SearchTestBody) -> Iterator[Found]:
    """The rows that share anything with the text, and are near enough."""
    parts = parts_of(body.text)
    for collection in dataset.tree:
        if collection.forbid:
            continue
        for row in state.store.rows(dataset, collection.id):
            value = score(parts, "\n".join((row.q, row.a, *row.indexes)))
            if value > 0 and value >= body.similarity:
                yield Found(value, row, collection)


def _within(found: Iterable[Found], tokens: int) -> Iterator[Found]:
    """The first rows that have so many tokens together; at least one."""
    for number, each in enumerate(found):
        tokens -= tokens_of(each.row.q) + tokens_of(each.row.a)
        if tokens < 0 and number > 0:
            return
        yield each


def _view(found: Found, dataset_id: str, scores: list[ScoreView]) -> FoundView:
    row, collection = found.row, found.collection
    return FoundView(
        id=row.id,
        q=row.q,
        a=row.a or UNSET,
        chunk_index=row.chunk_index,
        dataset_id=dataset_id,
        collection_id=collection.id,
        source_name=collection.name,
        source_id=collection.file_id or collection.raw_link or UNSET,
        update_time=clock.format_time(row.update_time),
        score=scores,
    )


SEARCH_TEST = neighbour.operation(
    name="searchTest",
    path="/api/core/dataset/searchTest",
    summary="The data rows of a dataset that are nearest to a text",
    body=SearchTestBody,
    data=SearchView,
    refusals=(errors.DatasetNotFound, errors.DatasetForbidden),
    perform=search_test,
    encode=encode,
    traits=["page"],
    has_total=False,
    appear=appear,
    since="4.8",
    modelled="A lexical score that is the same everywhere: the share of the text's "
    "pairs of neighbouring characters (its first 64, case ignored) that `q`, `a` and "
    "indexes contain. The best first, then by id; forbidden collections are left out; "
    "`similarity` is the least score, `limit` counts four bytes of UTF-8 as a token.",
    differs="No model is asked: what has the same meaning in other words is not found, "
    "and rows that share nothing with the text are left out. All kinds of score have "
    "the same value; `duration` is always 0.012s; nothing is limited by the minute.",
)
