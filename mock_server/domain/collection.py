"""A collection of a dataset: a folder, or what lies in one (spec 2.2)."""

from __future__ import annotations

from msgspec import Struct

from mock_server.domain.times import DEFAULT_TIME

DEFAULT_TMB_ID = "65422be6aa44b7da77729ec9"


class Collection(Struct, frozen=True, eq=False, gc=False):
    """A collection, all fields of spec 2.2 but `permission`, which is the caller's.

    Times are in milliseconds. The last four fields are the deployed service's
    (choice item_fields=extended). Two collections are equal when they are the same.
    There may be millions, and no cycles: the garbage collector need not look at them.
    """

    id: str
    name: str
    parent_id: str | None = None
    tmb_id: str = DEFAULT_TMB_ID
    type: str = "virtual"
    update_time: int = DEFAULT_TIME
    data_amount: int = 0
    training_amount: int = 0
    external_file_id: str = ""
    tags: tuple[str, ...] = ()
    forbid: bool = False
    training_type: str = "chunk"
    create_time: int | None = None
    has_error: bool = False
    file_id: str | None = None
    raw_link: str | None = None
