"""`getInitData`: what a front end loads first."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.state import State
from mock_server.views import View

_VERSION = "4.16.0"
"""The version of the service that neighbours are modelled on."""


class InitDataQuery(RequestFields, forbid_unknown_fields=False):
    """Anything."""


class FrontEndView(View):
    """Settings of a front end."""

    system_title: str = "FastGPT"
    is_plus: bool = False


class InitDataView(View):
    """Settings; what stands last is there for those who have logged in."""

    buffer_id: str = "mock"
    fe_configs: FrontEndView = field(default_factory=FrontEndView)
    model_providers: list[Any] = field(default_factory=list)
    system_version: str | UnsetType = UNSET
    active_model_list: list[Any] | UnsetType = UNSET
    default_models: dict[str, Any] | UnsetType = UNSET


def get_init_data(_: State, caller: Caller, _query: InitDataQuery) -> InitDataView:
    """The settings, more of them for those who have logged in."""
    shown = InitDataView()
    if caller.username is not None:
        shown.system_version = _VERSION
        shown.active_model_list, shown.default_models = [], {}
    return shown


GET_INIT_DATA = neighbour(
    name="getInitData",
    method="GET",
    path="/api/common/system/getInitData",
    summary="Get the settings of a front end",
    body=InitDataQuery,
    data=InitDataView,
    perform=get_init_data,
    access="anyone",
    since="4.6",
    modelled="Nobody is refused; a login token shows more.",
    differs="There are few settings, and no models or providers of them.",
)
