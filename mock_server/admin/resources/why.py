"""Why a list request shows a collection or not."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.admin.resources.journal import JsonText
from mock_server.api.application import authorize
from mock_server.api.context import BOUND_TO
from mock_server.api.operations import list_v2
from mock_server.domain import why
from mock_server.domain.choices import Choices
from mock_server.domain.errors import (
    DatasetNotFound,
    InvalidField,
    describe_value,
    did_you_mean,
    quoted,
)
from mock_server.domain.limits import Limits
from mock_server.domain.list_request import ListV2
from mock_server.domain.list_stages import Ask, Reader
from mock_server.domain.sandboxes import DEFAULT
from mock_server.domain.subset import deeper_than
from mock_server.domain.why_remedies import Remedy
from mock_server.views import PlaceView, RemedyView, StageView, WhyView


class WhyQuery(Input):
    """A dataset, and of it a collection or a page; `request` is a body of listV2.

    What every body needs may be left out of it. Without a key, it is an owner's.
    """

    dataset: str
    item: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    request: JsonText | UnsetType = UNSET


def get_why(call: Call) -> WhyView:
    """`GET why`."""
    query: WhyQuery = call.query
    sandbox = call.sandbox
    key = None if query.key is UNSET else query.key
    item = None if query.item is UNSET else query.item
    state = sandbox.state
    state.settle()
    ask = Ask(_fields(query), state.choices, key)
    return why_view(why.explain(state, _reader(sandbox.name), ask, item))


def _reader(sandbox: str) -> Reader:
    """How requests to a sandbox are read: as at its own address."""
    scope = {} if sandbox == DEFAULT else {BOUND_TO: sandbox}
    return Reader(read, lambda key, state: authorize(key, state, scope))


def read(fields: Mapping[str, object], choices: Choices) -> ListV2:
    """The request that has these fields, as a client would send it.

    Raises BadJson and InvalidField.
    """
    return list_v2.read(json.dumps(fields).encode(), choices)


def _fields(query: WhyQuery) -> dict[str, Any]:
    """The body that is asked about, with what every body needs."""
    fields: dict[str, Any] = {}
    if query.request is not UNSET:
        fields = _decoded(query.request)
    wanted = fields.setdefault("datasetId", query.dataset)
    if wanted != query.dataset:
        expected = f"no other dataset than {describe_value(query.dataset)}"
        got = describe_value(wanted)
        message = f"Expected {expected}, got {got} - at query.request.datasetId"
        raise InvalidField(message)
    if "pageNum" not in fields:
        fields.setdefault("offset", 0)
    _check_names(fields)
    return fields


def _check_names(fields: Mapping[str, object]) -> None:
    """Raises InvalidField for what is nearly a field of listV2.

    To be served without it is what is likely not to be understood. Fields that resemble
    none may stand in a body that was copied.
    """
    known = list_v2.CONTRACT.names
    for name in fields:
        hint = did_you_mean(name, known)
        if name not in known and hint:
            expected = f"a field of listV2, got the field {quoted(name)}{hint}"
            raise InvalidField(f"Expected {expected} - at query.request")


def _decoded(text: str) -> dict[str, Any]:
    fields: dict[str, Any] | None = None
    with suppress(msgspec.MsgspecError, RecursionError):
        fields = msgspec.json.decode(text, type=dict[str, Any])
    if fields is None or deeper_than(fields, Limits.json_depth):
        got = describe_value(text)
        raise InvalidField(f"Expected a JSON object, got {got} - at query.request")
    return fields


def why_view(found: why.Why) -> WhyView:
    """An explanation as the admin API shows it."""
    place = found.place
    return WhyView(
        dataset=found.dataset,
        item=found.item,
        shown=found.shown,
        total=found.total,
        message=found.message,
        kept_out_by=list(found.kept_out_by),
        place=None if place is None else PlaceView(place.index, place.offset),
        elsewhere=list(found.elsewhere),
        stages=[_stage(each) for each in found.stages],
        remedies=[_remedy(each) for each in found.remedies],
    )


def _stage(each: why.Stage) -> StageView:
    return StageView(each.name, each.kept_out, each.left, each.message, each.keeps_item)


def _remedy(each: Remedy) -> RemedyView:
    fields, choices = dict(each.fields), dict(each.choices)
    return RemedyView(each.message, fields, list(each.omit), choices, each.key)


ROUTES = (
    AdminRoute(
        "GET",
        "/why",
        get_why,
        WhyView,
        "Explain why a collection is not listed, or a page is empty",
        query=WhyQuery,
        errors=(DatasetNotFound,),
    ),
)
