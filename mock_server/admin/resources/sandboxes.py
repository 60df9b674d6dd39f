"""Sandboxes: isolated copies, each with keys of its own."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, field

from mock_server.admin.framework import AdminRoute, Call, Input, check_name
from mock_server.admin.loading import Upload
from mock_server.admin.resources.choices import Chosen, changed, chosen
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.choices import Choices
from mock_server.domain.clock import format_time
from mock_server.domain.errors import LimitReached, NameTaken, SandboxNotFound
from mock_server.domain.generation import Generation
from mock_server.domain.index import Order
from mock_server.domain.limits import Limits
from mock_server.domain.profiles import Profile
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes
from mock_server.fixture.document import LevelName
from mock_server.views import View

# Left as plain data, for the loader to check: it tells all problems of a fixture at
# once. Only the OpenAPI document says its type.
State = Annotated[
    dict[str, Any],
    Meta(extra_json_schema={"$ref": "#/components/schemas/Document"}),
]


class NewSandbox(Input):
    """What differs from the default sandbox's baseline; `ttl` is in seconds.

    A sandbox that is not used for that time ends.
    """

    name: Annotated[str, Meta(pattern=f"^{NAME_PATTERN}$")] | None = None
    ttl: Annotated[float, Meta(ge=0.01, le=Limits.sandbox_max_ttl)] = Limits.sandbox_ttl
    profile: Profile | None = None
    choices: Chosen = field(default_factory=dict)
    state: State | None = None


class SandboxView(View):
    """A sandbox, an owner's key, the key to send for each declared one, and its level.

    The level holds where an app or dataset says nothing else for the key. `expiresAt`
    is when it ends unless it is used; null for the default one.
    """

    name: str
    key: str | None
    keys: dict[str, str]
    levels: dict[str, LevelName]
    expires_at: str | None
    generation: int
    profile: str


class SandboxesView(View):
    """All sandboxes, and how many there may be beside the default one."""

    sandboxes: list[SandboxView]
    limit: int


def get_sandboxes(call: Call) -> SandboxesView:
    """`GET sandboxes`."""
    every = [_view(call.sandboxes, each) for each in call.sandboxes.all()]
    return SandboxesView(every, call.limits.sandboxes)


async def post_sandbox(call: Call) -> SandboxView:
    """`POST sandboxes`: makes one, with keys of its own."""
    wanted: NewSandbox = call.body
    if wanted.name is not None:
        # `$` in the pattern also matches before a trailing line end, so look again.
        check_name(wanted.name, "$.name")
        # Before the state is loaded, which may take a minute; `create` looks again.
        call.sandboxes.check_free(wanted.name)
    profile, choices = _chosen(call.sandboxes, wanted)
    sandbox = call.sandboxes.create(
        wanted.name,
        ttl=wanted.ttl,
        profile=profile,
        choices=choices,
        baseline=await _baseline(call, wanted, choices.list_order),
    )
    return _view(call.sandboxes, sandbox)


def _chosen(sandboxes: Sandboxes, wanted: NewSandbox) -> tuple[Profile, Choices]:
    """The profile and choices to start with: those of a named profile, else those that
    all sandboxes have by default, with single choices replaced. Raises InvalidField.
    """
    if wanted.profile is not None:
        return chosen(wanted.profile, wanted.choices)
    return sandboxes.profile, changed(sandboxes.choices, wanted.choices)


async def _baseline(call: Call, wanted: NewSandbox, order: Order) -> Generation | None:
    """What the sandbox starts from; None for the default sandbox's baseline."""
    if wanted.state is None:
        return None
    # Encoded again: the loader takes a text, which it may hand to another process.
    content = msgspec.json.encode(wanted.state)
    upload = Upload(content, True, order, call.disconnected)
    return await call.services.loader.load(upload)


def get_sandbox(call: Call) -> SandboxView:
    """`GET sandboxes/{sandbox}`."""
    return _view(call.sandboxes, call.sandbox)


def delete_sandbox(call: Call) -> SandboxView:
    """`DELETE sandboxes/{sandbox}`: the sandbox as it was."""
    # The view first: when a sandbox expires is forgotten with it.
    view = _view(call.sandboxes, call.sandbox)
    call.sandboxes.delete(view.name)
    return view


def _view(sandboxes: Sandboxes, sandbox: Sandbox) -> SandboxView:
    expires_at = sandboxes.expires_at(sandbox.name)
    return SandboxView(
        name=sandbox.name,
        key=sandbox.key,
        keys=sandbox.keys,
        levels=_levels(sandbox),
        expires_at=None if expires_at is None else format_time(expires_at),
        generation=sandbox.state.generation,
        profile=sandbox.state.profile,
    )


def _levels(sandbox: Sandbox) -> dict[str, LevelName]:
    """The level of each declared key."""
    declared = sandbox.store.generation.keys.items()
    levels = {key: caller.level.name.lower() for key, caller in declared}
    return msgspec.convert(levels, dict[str, LevelName])


_ONE = "/sandboxes/{sandbox}"
_UNKNOWN = (SandboxNotFound,)
ROUTES = (
    AdminRoute(
        "GET",
        "/sandboxes",
        get_sandboxes,
        SandboxesView,
        "List the sandboxes",
        is_global=True,
    ),
    AdminRoute(
        "POST",
        "/sandboxes",
        post_sandbox,
        SandboxView,
        "Make a sandbox; requests with its keys land in it",
        body=NewSandbox,
        status=201,
        errors=(NameTaken, LimitReached, BadFixture, ServerBusy),
        is_global=True,
    ),
    AdminRoute(
        "GET",
        _ONE,
        get_sandbox,
        SandboxView,
        "Read a sandbox",
        errors=_UNKNOWN,
        is_global=True,
    ),
    AdminRoute(
        "DELETE",
        _ONE,
        delete_sandbox,
        SandboxView,
        "End a sandbox; its keys are unknown from then on",
        errors=_UNKNOWN,
        is_global=True,
    ),
)
