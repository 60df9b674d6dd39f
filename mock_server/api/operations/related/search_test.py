"""Finds the data rows of a dataset that are nearest to a text."""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.items import items_of
from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related.fields import (
    IDLE,
    Flag,
    MissingParams,
    Number,
    Text,
    shown,
)
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    encode_data,
    route,
)
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import DATASET
from mock_server.domain.clock import format_time
from mock_server.domain.datasets.texts import parts_of, score, tokens_of
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.haystack import folded_beginning
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id, Time

_LEAST_CHARS = 100  # cost of a row beside its texts
_RECALLS = {
    "embedding": ("embedding",),
    "fullTextRecall": ("fullText",),
    "mixedRecall": ("embedding", "fullText"),
}
_MOST_TOKENS = 20_000
_UNTRAINED = (
    "the dataset has rows in training, which a search does not find yet "
    "(advance the clock, or use choice training=instant)"
)
_RRF = 60  # the service's constant of reciprocal rank fusion


class SearchTestBody(RequestFields, kw_only=True):
    """The text, the dataset, and the settings of the search; others are ignored."""

    dataset_id: Id
    text: str = ""
    query_image_urls: (
        Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(max_length=10), IDLE]
        | UnsetType
    ) = UNSET
    limit: int | float = 5_000
    similarity: int | float = 0
    search_mode: Literal["embedding", "fullTextRecall", "mixedRecall"] = "embedding"
    using_re_rank: bool = False
    embedding_weight: Number = UNSET
    rerank_model: Text = UNSET
    rerank_weight: float | UnsetType = UNSET
    dataset_search_using_extension_query: Flag = UNSET
    dataset_search_extension_model: Text = UNSET
    dataset_search_extension_bg: Text = UNSET
    dataset_deep_search: Flag = UNSET
    dataset_deep_search_model: Text = UNSET
    dataset_deep_search_max_times: Number = UNSET
    dataset_deep_search_bg: Text = UNSET

    def check(self) -> None:
        """Raise InvalidField without a text or an image."""
        if not (self.text.strip() or self.query_image_urls):
            expected = "a text, or queryImageUrls"
            raise errors.InvalidField(expected, "neither", "$.text")


class ScoreView(View):
    """A score: its kind, its value from 0 to 1, and the row's rank by it."""

    type: str
    value: float
    index: int


class FoundView(View, kw_only=True):
    """A data row that was found."""

    id: str
    q: str
    a: str | UnsetType = UNSET
    chunk_index: int
    dataset_id: str
    collection_id: str
    source_name: str
    source_id: str | UnsetType = UNSET
    update_time: Time
    tokens: int | UnsetType = UNSET
    score: list[ScoreView]


class SearchView(View):
    """The rows that were found, the best first, and the settings of the search."""

    list: list[FoundView]
    duration: str
    limit: int
    search_mode: str
    using_re_rank: bool
    similarity: float
    using_similarity_filter: bool | UnsetType = UNSET


class Found(Struct, frozen=True):
    """A row that was found, its collection, score and ranks.

    `place` is its rank among all rows, `kept` among rows with different texts.
    """

    score: float
    row: Row
    collection: Collection
    place: int = 0
    kept: int = 0


class FoundPage(Page[Found], frozen=True, kw_only=True):
    """Rows that were found, their dataset, and the request."""

    dataset_id: str
    body: SearchTestBody


def _encode(page: FoundPage, state: State) -> bytes:
    body, has_tokens = page.body, state.facts.found_rows_have_tokens
    found = items_of(
        shown(
            FoundView,
            each.row,
            a=each.row.a or UNSET,
            dataset_id=page.dataset_id,
            collection_id=each.collection.id,
            source_name=each.collection.name,
            source_id=each.collection.file_id or each.collection.raw_link or UNSET,
            update_time=format_time(each.row.update_time),
            tokens=_tokens(each.row) if has_tokens else UNSET,
            score=_scores(each, body),
        )
        for each in page.items
    )
    limit = _limit(body)
    asked = limit, body.search_mode, body.using_re_rank, body.similarity
    shown_filter = _counts_similarity(body) if has_tokens else UNSET
    return encode_data(SearchView(found, "0.012s", *asked, shown_filter), state)


def _scores(found: Found, body: SearchTestBody) -> list[ScoreView]:
    """Return a row's scores: of each recall, of both together, of the re-rank."""
    place, kinds = found.place, _RECALLS[body.search_mode]
    scores = [ScoreView(kind, found.score, place) for kind in kinds]
    fused, last = 1 / (_RRF + 1 + place), []
    if body.using_re_rank:
        weight = body.rerank_weight
        share = weight if isinstance(weight, int | float) and 0 <= weight <= 1 else 0.5
        last = [ScoreView("reRank", found.score, found.kept)]
        if share == 1:
            return last
        fused = (1 - share) * fused + share / (_RRF + 1 + found.kept)
    is_fused = len(kinds) > 1 or body.using_re_rank
    rrf = [ScoreView("rrf", fused, found.kept if last else place)] if is_fused else []
    return [*scores, *rrf, *last] if len(kinds) > 1 else [*scores, *last, *rrf]


def _counts_similarity(body: SearchTestBody) -> bool:
    """Return whether rows have a score of the kind that `similarity` limits."""
    return body.search_mode == "embedding" or body.using_re_rank


def _limit(body: SearchTestBody) -> int:
    return int(min(max(body.limit, -Published.integer), _MOST_TOKENS))


def _appear(_: SearchTestBody, number: int) -> Found:
    row = Row(f"appeared-{number}", f"Appeared {number}")
    return Found(1, row, Collection("appeared", "Appeared"))


@route(
    "POST /api/core/dataset/searchTest",
    chinese="知识库中与文本最接近的数据行",
    since="4.8",
    differs="No model runs: other words for the same meaning are not found, and rows "
    "that share nothing with the text are left out. All recalls find the same rows in "
    "the same order; `duration` is always 0.012s; there is no limit per second. "
    "Only the first of many data rows are compared (limit `searched_chars`).",
    refuses=(*DATASET, MissingParams),
    example={"datasetId": DEMO_DATASET, "text": "open"},
    data=SearchView,
    encode=_encode,
    traits={"page"},
    has_total=False,
    appear=_appear,
)
def search_test(call: Call, body: SearchTestBody) -> FoundPage:
    """Find the data rows of a dataset that are nearest to a text.

    Rows have a lexical score that is the same everywhere: the share of the text's pairs
    of adjacent characters (its first 64, case ignored) that `q`, `a` and indexes
    contain. The best come first, equals by id; forbidden collections are left out, and
    rows whose texts equal earlier ones except punctuation. `similarity` is the minimum
    score of embeddings and after a re-rank; `limit`, at most 20,000, counts four bytes
    of UTF-8 as a token, and the last row exceeds it.
    """
    if not (body.text or call.facts.fields_are_checked):
        raise MissingParams("a text", "none", "$.text")
    dataset = call.dataset(body.dataset_id, Level.READ, "$.datasetId")
    found = sorted(_found(call, dataset, body), key=lambda it: (-it.score, it.row.id))
    different = _different(found, call.state.limits.searched_chars)
    if _counts_similarity(body):
        different = (it for it in different if it.score >= body.similarity)
    best = list(_within(different, _limit(body)))
    if not best and any(owner == dataset.id for owner, _ in call.store.jobs):
        call.state.hint(_UNTRAINED)
    return FoundPage(
        items=best,
        total=len(best),
        level=dataset.level_of(call.caller),
        matching=best,
        page_size=Published.integer,
        dataset_id=dataset.id,
        body=body,
    )


def _found(call: Call, dataset: Dataset, body: SearchTestBody) -> Iterator[Found]:
    """Yield the rows that have a pair of characters in common with the text."""
    parts, room = parts_of(body.text), call.state.limits.searched_chars
    for own_id, rows in call.store.rows.by_collection(dataset):
        collection = dataset.tree.get(own_id)
        if collection is None or collection.forbid:
            continue
        for row in rows:
            if room <= 0:
                return
            text = "\n".join((row.q, row.a, *row.indexes))[:room]
            folded, left = folded_beginning(text, room)
            room = min(left, room - _LEAST_CHARS)
            value = score(parts, folded)
            if value > 0:
                yield Found(value, row, collection)


_NO_LETTERS = re.compile(r"[\W_]+")


def _different(found: Iterable[Found], most: int) -> Iterator[Found]:
    """Yield rows without those with the letters and digits of an earlier row.

    The first `most` characters of a row are compared.
    """
    seen: set[str] = set()
    for place, each in enumerate(found):
        letters = _NO_LETTERS.sub("", (each.row.q + each.row.a)[:most])
        if letters not in seen:
            seen.add(letters)
            yield replace(each, place=place, kept=len(seen) - 1)


def _within(found: Iterable[Found], tokens: int) -> Iterator[Found]:
    """Yield the first rows until they have more than `tokens` tokens together."""
    for each in found:
        yield each
        tokens -= _tokens(each.row)
        if tokens < 0:
            return


def _tokens(row: Row) -> int:
    """Return the approximate number of tokens of a row."""
    return tokens_of(row.q) + tokens_of(row.a)
