"""Hits: what a test says that searches find."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from mock_server.scripting.answers import AnyAnswer, check_placeholders, fill
from mock_server.store.account import Store
from mock_server.store.objects import Collection, DataRow, Dataset, derived_id

Scored = tuple[float, Collection, DataRow]
"""A row that a search finds, with its score and the collection that it is in."""


class Hit(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A row of the account by its id, or a new one with `q` and `a`."""

    row: str | None = None
    q: str | None = None
    a: str = ""
    score: Annotated[float, Meta(ge=0, le=1)] = 1.0


class Hits(AnyAnswer, tag="hits", frozen=True, kw_only=True):
    """What searches in datasets find: these rows with these scores, in this order."""

    rows: Annotated[tuple[Hit, ...], Meta(max_length=1_000)]

    def __post_init__(self) -> None:
        for hit in self.rows:
            if (hit.row is None) is (hit.q is None) or (hit.row is not None and hit.a):
                raise ValueError("Expected rows with row, or with q and a")
        check_placeholders(self.rows)

    def found_in(self, dataset: Dataset, values: Mapping[str, Any]) -> list[Scored]:
        """What a search in a dataset finds, with these values of placeholders."""
        found: list[Scored] = []
        for hit in self.rows:
            if hit.row is None:
                q, a = fill((hit.q, hit.a), values, is_typed=False)
                found.append((hit.score, *new_row(dataset, q, a)))
                continue
            held = dataset.row(hit.row)
            # Another dataset may have it, or none.
            if held is not None:
                found.append((hit.score, *held))
        return found

    def missing_in(self, store: Store) -> list[str]:
        """The ids of rows that no dataset of an account has."""
        missing = []
        for hit in self.rows:
            id = hit.row
            if id is not None and not any(it.row(id) for it in store.datasets.values()):
                missing.append(id)
        return missing


def new_row(dataset: Dataset, q: str, a: str) -> tuple[Collection, DataRow]:
    """A row with these texts in a collection `hits`, as if the dataset had them."""
    collection = Collection(id=derived_id(dataset.id, "hits"), name="hits")
    return collection, DataRow(id=derived_id(dataset.id, q, a), q=q, a=a)
