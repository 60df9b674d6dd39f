"""`collection.delete`: delete collections with all that is in them."""

from msgspec import UNSET, UnsetType

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.state import State


class CollectionDeleteBody(contract.RequestFields, kw_only=True):
    """One collection, usually in the query, or several."""

    id: fields.Label | UnsetType | None = UNSET
    collection_ids: fields.Ids | UnsetType | None = UNSET


def collection_delete(state: State, caller: Caller, body: CollectionDeleteBody) -> None:
    """Delete all of the collections, or nothing.

    Raises MissingParams, NothingListed, CollectionNotFound, DatasetForbidden,
    LimitReached.
    """
    found = [
        (*targets.collection_for(state, caller, collection_id, Level.NONE, at), at)
        for collection_id, at in _wanted(body)
    ]
    gone: dict[str, tuple[Dataset, dict[str, None]]] = {}
    # What does not exist has come before what is not permitted.
    for dataset, collection, at in found:
        targets.check_dataset(dataset, caller, Level.WRITE, at)
        _, ids = gone.setdefault(dataset.id, (dataset, {}))
        if collection.id not in ids:
            below = dataset.tree.below(collection.id)
            ids |= dict.fromkeys([collection.id, *(each.id for each in below)])
    for dataset, ids in gone.values():
        state.store.remove_collections(dataset, ids)


def _wanted(body: CollectionDeleteBody) -> list[tuple[str, str]]:
    """The ids, and where they stand. Raises MissingParams, NothingListed."""
    if body.id:
        return [(body.id, "$.id")]
    if body.collection_ids is UNSET or body.collection_ids is None:
        raise errors.MissingParams("an id, or collectionIds", "neither", "$.id")
    if not body.collection_ids:
        raise errors.NothingListed("at least one id", "none", "$.collectionIds")
    return [
        (each, f"$.collectionIds[{at}]") for at, each in enumerate(body.collection_ids)
    ]


COLLECTION_DELETE = neighbour.operation(
    name="collection.delete",
    method="DELETE",
    further_methods=("POST",),
    path="/api/core/dataset/collection/delete",
    summary="Delete collections",
    body=CollectionDeleteBody,
    refusals=(
        errors.MissingParams,
        errors.NothingListed,
        errors.CollectionNotFound,
        errors.DatasetForbidden,
        errors.LimitReached,
    ),
    perform=collection_delete,
    traits=["write"],
    since="4.6; `?id=` and `collectionIds` both since 4.12.4",
    modelled=(
        "All of them go, with what is in them and their data rows, or nothing does."
    ),
    differs="Write permission is enough, as up to 4.16.0.",
)
