"""The id by which a client bills training, fetched before it."""

from typing import Annotated, Any

from msgspec import UNSET

from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.domain.access import Level
from mock_server.domain.call import DATASET, DatasetNotFound
from mock_server.domain.messages import describe_value


class TrainingUsageBody(RequestFields, kw_only=True):
    """The dataset; the name is ignored."""

    dataset_id: Any = UNSET
    name: Annotated[Any, fields.IDLE] = UNSET


@route(
    "POST /api/support/wallet/usage/createTrainingUsage",
    chinese="创建训练账单",
    since="4.6.9",
    differs="Nothing is billed, and no other route uses the id.",
    refuses=DATASET,
    example={"datasetId": DEMO_DATASET, "name": "Upload"},
)
def create_training_usage(call: Call, body: TrainingUsageBody) -> str:
    """Get an id to bill training by.

    Returns a new id each time, to be sent as `billId`. Needs write permission on the
    dataset.
    """
    if not isinstance(body.dataset_id, str):
        got = "nothing" if body.dataset_id is UNSET else describe_value(body.dataset_id)
        raise DatasetNotFound("the id of a dataset", got, "$.datasetId")
    call.dataset(body.dataset_id, Level.WRITE, "$.datasetId")
    return call.store.new_id()
