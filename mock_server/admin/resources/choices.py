"""The choices in force in a sandbox, and the table of all there are."""

from dataclasses import asdict
from typing import Annotated, Any

from msgspec import Meta, field

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.domain import choices as choice_table
from mock_server.domain.errors import InvalidField
from mock_server.domain.profiles import Profile
from mock_server.views import View


def _schema() -> dict[str, Any]:
    """What can be chosen, as a JSON Schema."""
    values = {
        each.name: {"enum": list(each.values)} for each in choice_table.table().values()
    }
    return {"properties": values, "propertyNames": {"enum": list(values)}}


# To msgspec a value is any text or integer: `choose` knows which ones there are.
Chosen = Annotated[dict[str, choice_table.Value], Meta(extra_json_schema=_schema())]


class Choose(Input):
    """A profile, the present one by default, and choices other than the profile's."""

    profile: Profile | None = None
    choices: Chosen = field(default_factory=dict)


class ChoicesView(View):
    """The profile, every choice in force, and what can be chosen."""

    profile: str
    choices: Chosen
    table: list[choice_table.Choice]


def get_choices(call: Call) -> ChoicesView:
    """`GET choices`."""
    state = call.sandbox.state
    return ChoicesView(
        state.profile, asdict(state.choices), list(choice_table.table().values())
    )


def put_choices(call: Call) -> ChoicesView:
    """`PUT choices`: what is not named takes the profile's value."""
    wanted: Choose = call.body
    profile = wanted.profile or call.sandbox.state.profile
    call.sandbox.choose(*chosen(profile, wanted.choices))
    return get_choices(call)


def chosen(
    profile: str, choices: dict[str, choice_table.Value]
) -> tuple[Profile, choice_table.Choices]:
    """A profile and its choices, single ones replaced. Raises InvalidField."""
    try:
        return choice_table.as_profile(profile), choice_table.choose(profile, choices)
    except choice_table.UnknownChoice as error:
        raise InvalidField(f"{error} - at $.choices") from None


def changed(
    base: choice_table.Choices, choices: dict[str, choice_table.Value]
) -> choice_table.Choices:
    """The choices, single ones replaced. Raises InvalidField."""
    try:
        return choice_table.with_choices(base, choices)
    except choice_table.UnknownChoice as error:
        raise InvalidField(f"{error} - at $.choices") from None


ROUTES = (
    AdminRoute(
        "GET", "/choices", get_choices, ChoicesView, "Read the choices in force"
    ),
    AdminRoute(
        "PUT",
        "/choices",
        put_choices,
        ChoicesView,
        "Put other choices in force until the next reset",
        body=Choose,
    ),
)
