"""Collections of the files of an API server, which is not called here."""

from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.collection_creation import (
    MAKE,
    PATH,
    Creation,
    make,
)
from mock_server.api.operations.related.route import Call, route
from mock_server.domain.datasets import contents
from mock_server.domain.objects.models import Collection

API_FILE = "apiFile"
"""Type of these collections."""


class ApiCollectionBody(Creation, kw_only=True):
    """The file of the API server, and the collection's name."""

    name: fields.Name
    api_file_id: fields.Name


@route(
    f"POST {PATH}/apiCollection",
    chinese="用 API 服务的文件创建集合",
    since="4.8; null since 4.11",
    differs="No API server is called: the collection has the given name and no rows, "
    "and the dataset may be of any type. The `apiFileId` becomes its rawLink.",
    refuses=MAKE,
    example={"datasetId": DEMO_DATASET, "name": "Prices", "apiFileId": "file-1"},
    writes=True,
)
def api_collection(call: Call, new: ApiCollectionBody) -> None:
    """Make a collection of a file of an API server.

    Makes a collection of type `apiFile`, unless the dataset has one of that file.
    """
    dataset, _ = contents.target_for(call, new.dataset_id, new.parent_id or None)
    for each in dataset.tree:
        if each.raw_link == new.api_file_id and each.type == API_FILE:
            call.state.hint(f"collection {each.id} is of that file: nothing was made")
            return
    link = new.api_file_id
    make(call, new, Collection("", new.name, type=API_FILE, raw_link=link), "")
