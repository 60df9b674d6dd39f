"""Why a list request shows a collection or not; without one, why any or none."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from mock_server.domain import why_words
from mock_server.domain.list_stages import STAGES, Ask, Reader, Stages
from mock_server.domain.state import State
from mock_server.domain.why_remedies import Changed, Remedy, RemedySearch, remedy


class Stage(Struct, frozen=True):
    """How many collections a filter has kept out, and how many are left then.

    `keeps_item` says whether it by itself keeps out the collection that is asked about;
    None if none is.
    """

    name: str
    kept_out: int
    left: int
    message: str
    keeps_item: bool | None


class Place(Struct, frozen=True):
    """The index among all that match, and the offset of the page that shows it."""

    index: int
    offset: int


class Why(Struct, frozen=True):
    """What a list request shows, and why not more.

    `shown` says whether the collection `item` is on the page, or without one whether
    the page has any. `kept_out_by` are the stages each of which keeps it out; of an
    empty page, those that the nearest remedy changes. `place` is where the item stands
    among the `total` that match, `elsewhere` are other datasets that have it.
    """

    dataset: str
    item: str | None
    shown: bool
    total: int
    message: str
    kept_out_by: tuple[str, ...]
    place: Place | None
    elsewhere: tuple[str, ...]
    stages: tuple[Stage, ...]
    remedies: tuple[Remedy, ...]


def explain(state: State, reader: Reader, ask: Ask, item_id: str | None = None) -> Why:
    """Why a request shows the collection of that id or not; without one, any.

    Raises DatasetNotFound, and InvalidField for fields that the choices refuse.
    """
    stages = Stages(state, reader, ask, item_id)
    search = RemedySearch(state, reader, item_id)
    found = [] if stages.shows else search.remedies(ask)
    size, index = stages.request.page_size, stages.index
    return Why(
        dataset=stages.dataset.id,
        item=item_id,
        shown=stages.shows,
        total=len(stages.matching) if stages.may_read else 0,
        message=why_words.verdict(stages),
        kept_out_by=_kept_out_by(stages, found),
        place=None if index is None else Place(index, index // size * size),
        elsewhere=stages.elsewhere,
        stages=tuple(_counted(stages)),
        remedies=tuple(remedy(state, ask, each.ask) for each in found),
    )


def _kept_out_by(stages: Stages, found: Sequence[Changed]) -> tuple[str, ...]:
    if stages.shows:
        return ()
    if stages.item_id is not None:
        keepers = stages.keepers or {"page"}
        return tuple(name for name in STAGES if name in keepers)
    if found:
        return tuple(name for name in STAGES if name in found[0].at)
    # Nothing helps: no key may read it, or there is nothing to read.
    return ("dataset",) if stages.may_read else ("permission",)


def _counted(stages: Stages) -> Iterator[Stage]:
    """All stages with their counts."""
    before, allowed = len(stages.dataset.tree), stages.may_read
    start = stages.request.offset
    page = stages.matching[start : start + stages.request.page_size]
    left = [before, before, *map(len, stages.left), len(page)]
    keepers = None if stages.item_id is None else _kept_out_by(stages, ())
    for name, count in zip(STAGES, left, strict=True):
        remaining = count if allowed or name == "dataset" else 0
        yield Stage(
            name,
            before - remaining,
            remaining,
            why_words.stage(name, stages),
            None if keepers is None else name in keepers,
        )
        before = remaining
