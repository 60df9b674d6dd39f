"""`data/list`: the older route to a collection's data rows."""

from mock_server.api.operations.neighbours.data_v2_list import (
    DataListBody,
    RowsView,
    appear,
    data_list,
    view,
)
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.errors import CollectionNotFound, DatasetForbidden

DATA_LIST = neighbour(
    name="data.list",
    path="/api/core/dataset/data/list",
    summary="A page of a collection's data rows, at an older path",
    body=DataListBody,
    data=RowsView,
    refusals=(CollectionNotFound, DatasetForbidden),
    perform=data_list,
    view=view,
    traits=["page"],
    appear=appear,
    since="4.0",
    modelled="As `data.v2.list`.",
    differs="Some versions 4.8 answer `{pageNum, pageSize, data, total}`.",
)
