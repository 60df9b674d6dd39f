"""`getTeamPlanStatus`: what a team may use, and how much of it is used."""

from mock_server.api.operations.neighbours.neighbour import NoFields, neighbour
from mock_server.domain.access import Caller
from mock_server.domain.state import State
from mock_server.views import View


class PlanView(View):
    """Figures of a team without a plan, which may use everything."""

    used_member: int
    used_app_amount: int
    used_dataset_size: int
    used_dataset_index_size: int = 0
    total_points: int = 0
    used_points: int = 0
    dataset_max_size: int = 0
    used_registration_count: int = 0


def get_team_plan_status(state: State, caller: Caller, _: NoFields) -> PlanView | None:
    """What is used; nothing for those who have not logged in."""
    if caller.username is None:
        return None
    generation = state.store.generation
    datasets = len(list(state.store.datasets()))
    return PlanView(len(generation.users), len(generation.apps), datasets)


GET_TEAM_PLAN_STATUS = neighbour(
    name="getTeamPlanStatus",
    method="GET",
    path="/api/support/user/team/plan/getTeamPlanStatus",
    summary="Get what the team may use",
    body=NoFields,
    data=PlanView | None,
    perform=get_team_plan_status,
    access="anyone",
    since="4.8",
    modelled="Null without a login token that counts; a key is ignored.",
    differs="Users, applications and datasets are counted, the other figures are 0.",
)
