"""Trains a collection again."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from mock_server.api.envelope import View
from mock_server.api.operations.operation import DEMO_COLLECTION
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.collection_creation import PATH, cutting_of
from mock_server.api.operations.related.route import Call, route
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION
from mock_server.domain.datasets import sources


class FormerRetrainBody(fields.ProcessingFields, kw_only=True):
    """The collection, which may be left out, and how it is now processed."""

    collection_id: fields.Name | UnsetType = UNSET
    parent_id: Annotated[fields.Label, fields.IDLE] | UnsetType | None = UNSET


class RetrainBody(FormerRetrainBody, kw_only=True):
    """The collection, and how it is now processed."""

    collection_id: fields.Name


class RetrainedView(View):
    """The new collection."""

    collection_id: str


@route(
    f"POST {PATH}/reTrainingCollection",
    chinese="重新训练集合",
    since="4.8; with write permission 4.9.10",
    differs="Rows come from the stored text of an uploaded file, else from the "
    "existing rows; links are not fetched. A folder is deleted with its content.",
    former=("retraining_checks_fields_first", FormerRetrainBody),
    refuses=(*COLLECTION, errors.LimitReached),
    example={"collectionId": DEMO_COLLECTION},
    writes=True,
)
def re_training_collection(call: Call, body: RetrainBody) -> RetrainedView:
    """Train a collection once more.

    Replaces the collection by a new one with its name, place, source and times except
    updateTime. Folders and rows entered by hand are empty then.
    """
    asked = body.collection_id
    if not asked:
        raise fields.MissingParams("the _id of a collection", "none", "$.collectionId")
    dataset, old = call.collection(asked, Level.WRITE, "$.collectionId")
    kind = body.training_type or old.training_type
    cutting = cutting_of(body)
    made = sources.retrain(call, dataset, old, cutting, training_type=kind)
    return RetrainedView(made)
