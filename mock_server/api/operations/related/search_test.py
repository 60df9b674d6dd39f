"""The route that finds the data rows of a dataset that are nearest to a text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, takewhile
from math import ceil
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.items import items_of
from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related.fields import (
    IDLE,
    IdleFlag,
    IdleNumber,
    IdleText,
    MissingParams,
    copy_fields,
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
from mock_server.domain.objects.folder_tree import FolderTree
from mock_server.domain.objects.haystack import fold_in_steps
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import STEP, Steps, pieces
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id, Time

_LEAST_CHARS = 100  # charged for a row with fewer characters
_CHARS_PER_STEP = 4_096
_SKIPPED_CHARS = 8  # charged for a collection that is forbidden
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
_RRF = 60  # FastGPT's constant of reciprocal rank fusion


class SearchTestBody(RequestFields, kw_only=True):
    """The text, the dataset, and the settings of the search."""

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
    embedding_weight: IdleNumber = UNSET
    rerank_model: IdleText = UNSET
    rerank_weight: float | UnsetType = UNSET
    dataset_search_using_extension_query: IdleFlag = UNSET
    dataset_search_extension_model: IdleText = UNSET
    dataset_search_extension_bg: IdleText = UNSET
    dataset_deep_search: IdleFlag = UNSET
    dataset_deep_search_model: IdleText = UNSET
    dataset_deep_search_max_times: IdleNumber = UNSET
    dataset_deep_search_bg: IdleText = UNSET

    def check(self) -> None:
        """Raise InvalidField if there is no text and no image."""
        if not (self.text.strip() or self.query_image_urls):
            expected = "a text, or queryImageUrls"
            raise errors.InvalidField(expected, "neither", "$.text")


class ScoreView(View):
    """A score: its kind, its value from 0 to 1, and the row's rank by this score."""

    type: str
    value: float
    index: int


class HitView(View, kw_only=True):
    """A found data row."""

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
    """The found rows, best first, and the settings of the search."""

    list: list[HitView]
    duration: str
    limit: int
    search_mode: str
    using_re_rank: bool
    similarity: float
    using_similarity_filter: bool | UnsetType = UNSET


class Hit(Struct, frozen=True):
    """A found row, its collection, score and ranks.

    `rank` is its rank among all found rows, `distinct_rank` its rank among found rows
    with different texts. Ranks begin with 0.
    """

    score: float
    row: Row
    collection: Collection
    rank: int = 0
    distinct_rank: int = 0


class HitsPage(Page[Hit], frozen=True, kw_only=True):
    """The found rows, the id of their dataset, and the request."""

    dataset_id: str
    body: SearchTestBody


def _encode(page: HitsPage, state: State) -> bytes:
    body, has_tokens = page.body, state.facts.found_rows_have_tokens
    time_text = cache(format_time)  # most rows have the same time
    rows = items_of(
        copy_fields(
            HitView,
            each.row,
            a=each.row.a or UNSET,
            dataset_id=page.dataset_id,
            collection_id=each.collection.id,
            source_name=each.collection.name,
            source_id=each.collection.file_id or each.collection.raw_link or UNSET,
            update_time=time_text(each.row.update_time),
            tokens=_tokens(each.row) if has_tokens else UNSET,
            score=_scores(each, body),
        )
        for each in page.items
    )
    limit = _limit(body)
    settings = limit, body.search_mode, body.using_re_rank, body.similarity
    has_filter = _filters_by_similarity(body) if has_tokens else UNSET
    return encode_data(SearchView(rows, "0.012s", *settings, has_filter), state)


def _scores(hit: Hit, body: SearchTestBody) -> list[ScoreView]:
    """Return a row's scores: one for each recall, one fused, and one of the re-rank."""
    rank, recalls = hit.rank, _RECALLS[body.search_mode]
    scores = [ScoreView(kind, hit.score, rank) for kind in recalls]
    fused_score, re_rank = 1 / (_RRF + 1 + rank), []
    if body.using_re_rank:
        weight = body.rerank_weight
        share = weight if isinstance(weight, int | float) and 0 <= weight <= 1 else 0.5
        re_rank = [ScoreView("reRank", hit.score, hit.distinct_rank)]
        if share == 1:
            return re_rank
        rank_score = 1 / (_RRF + 1 + hit.distinct_rank)
        fused_score = (1 - share) * fused_score + share * rank_score
    is_fused = len(recalls) > 1 or body.using_re_rank
    fused_rank = hit.distinct_rank if re_rank else rank
    rrf = [ScoreView("rrf", fused_score, fused_rank)] if is_fused else []
    return [*scores, *rrf, *re_rank] if len(recalls) > 1 else [*scores, *re_rank, *rrf]


def _filters_by_similarity(body: SearchTestBody) -> bool:
    """Return whether the rows have a score that `similarity` limits."""
    return body.search_mode == "embedding" or body.using_re_rank


def _limit(body: SearchTestBody) -> int:
    return int(min(max(body.limit, -Published.integer), _MOST_TOKENS))


def _invent_match(_: SearchTestBody, number: int) -> Hit:
    row = Row(f"appeared-{number}", f"Appeared {number}")
    return Hit(1, row, Collection("appeared", "Appeared"))


@route(
    "POST /api/core/dataset/searchTest",
    chinese="知识库中与文本最接近的数据行",
    since="4.8",
    differences="No model runs: synonyms are not found, and rows that have no pair of "
    "characters in common with the text are left out. All search modes find the same "
    "rows in the same order. The `duration` is always 0.012s. The number of requests a "
    "second is not limited. Rows beyond the limit `searched_chars` are not compared.",
    refusals=(*DATASET, MissingParams),
    example={"datasetId": DEMO_DATASET, "text": "open"},
    data_type=SearchView,
    encode=_encode,
    traits={"page"},
    has_total=False,
    invent_item=_invent_match,
)
def search_test(call: Call, body: SearchTestBody) -> HitsPage:
    """Find the data rows of a dataset that are nearest to a text.

    The score of a row is the share of the text's pairs of adjacent characters that `q`,
    `a` and indexes contain; only the text's first 64 pairs count, and case does not
    matter. The best rows come first, equal ones by id. Forbidden collections are left
    out, and so are rows that differ from an earlier row only in punctuation.
    `similarity` is the minimum score, with embeddings or a re-rank only. `limit` is a
    number of tokens, at most 20,000; the row that exceeds it is the last. A token is
    four bytes of UTF-8.
    """
    if not (body.text or call.facts.fields_are_checked):
        raise MissingParams("a text", "none", "$.text")
    dataset = call.dataset(body.dataset_id, Level.READ, "$.datasetId")
    max_chars = call.state.limits.searched_chars
    collections = call.store.rows.by_collection(dataset)
    steps = _best_hits(dataset.tree, collections, body, max_chars)
    best = call.compute("best", steps)
    if not best and any(owner == dataset.id for owner, _ in call.store.jobs):
        call.state.hint(_UNTRAINED)
    return HitsPage(
        items=best,
        total=len(best),
        level=dataset.level_of(call.caller),
        matching=best,
        page_size=Published.integer,
        dataset_id=dataset.id,
        body=body,
    )


def _best_hits(
    tree: FolderTree,
    collections: Iterable[tuple[str, Sequence[Row]]],
    body: SearchTestBody,
    max_chars: int,
) -> Steps[list[Hit]]:
    """Return the best rows of a dataset, as far as the request limits them.

    `collections` are their ids and rows.
    """
    rows = yield from _compared_rows(tree, collections, max_chars)
    hits = yield from _matches(rows, parts_of(body.text), max_chars)
    hits.sort(key=lambda it: (-it.score, it.row.id))
    yield
    near: Iterable[Hit] = hits
    if _filters_by_similarity(body):
        near = takewhile(lambda it: it.score >= body.similarity, hits)
    return list(_within(_distinct(near, max_chars), _limit(body)))


def _compared_rows(
    tree: FolderTree, collections: Iterable[tuple[str, Sequence[Row]]], max_chars: int
) -> Steps[list[tuple[Row, Collection]]]:
    """Return rows and their collections, as far as `max_chars` may suffice."""
    # A copy, because others may change the rows during the steps.
    collections = [*islice(collections, ceil(max_chars / _SKIPPED_CHARS))]
    compared: list[tuple[Row, Collection]] = []
    for _, chunk in pieces(collections, STEP // 4):
        for collection_id, rows in chunk:
            if max_chars <= 0:
                return compared
            collection = tree.get(collection_id) if rows else None
            if collection is None or collection.forbid:
                max_chars -= _SKIPPED_CHARS
            else:
                some = rows[: ceil(max_chars / _LEAST_CHARS)]
                compared += ((row, collection) for row in some)
                max_chars -= _LEAST_CHARS * len(some)
        yield
    return compared


def _beginning(texts: Iterable[str], max_chars: int) -> str:
    """Return the first `max_chars` characters of the texts, in lines."""
    kept = []
    for text in texts:
        if max_chars <= 0:
            break
        kept.append(text[:max_chars])
        max_chars -= len(text) + 1
    return "\n".join(kept)


def _matches(
    rows: Iterable[tuple[Row, Collection]], text_pairs: Sequence[str], max_chars: int
) -> Steps[list[Hit]]:
    """Return the rows that have a pair of characters in common with the text."""
    hits = []
    step_end = max_chars - _CHARS_PER_STEP
    for row, collection in rows:
        # A row with long texts counts as several steps.
        while max_chars < step_end:
            yield
            step_end -= _CHARS_PER_STEP
        if max_chars <= 0:
            break
        text = _beginning((row.q, row.a, *row.indexes), max_chars)
        folded, chars_left = yield from fold_in_steps(text, max_chars)
        max_chars = min(chars_left, max_chars - _LEAST_CHARS)
        row_score = yield from score(text_pairs, folded)
        if row_score > 0:
            hits.append(Hit(row_score, row, collection))
    return hits


_NO_LETTERS = re.compile(r"[\W_]+")


def _distinct(hits: Iterable[Hit], limit: int) -> Iterator[Hit]:
    """Yield each row whose letters and digits no earlier row has; set its ranks.

    Only the first `limit` characters of a row are compared.
    """
    seen_texts: set[str] = set()
    for rank, each in enumerate(hits):
        letters = _NO_LETTERS.sub("", (each.row.q + each.row.a)[:limit])
        if letters not in seen_texts:
            seen_texts.add(letters)
            yield replace(each, rank=rank, distinct_rank=len(seen_texts) - 1)


def _within(hits: Iterable[Hit], tokens: int) -> Iterator[Hit]:
    """Yield rows until they have more than `tokens` tokens together."""
    for each in hits:
        yield each
        tokens -= _tokens(each.row)
        if tokens < 0:
            return


def _tokens(row: Row) -> int:
    """Return the approximate number of tokens of a row."""
    return tokens_of(row.q) + tokens_of(row.a)
