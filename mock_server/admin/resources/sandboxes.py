"""Sandboxes: isolated copies, each with keys of its own."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

from mock_server.admin.framework import AdminRoute, Call, Input, created
from mock_server.admin.loads import Document
from mock_server.admin.resources.choices import Chosen, changed, chosen
from mock_server.admin.resources.records import check_name
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.response import Response
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.clock import format_time
from mock_server.domain.errors import LimitReached, NameTaken, SandboxNotFound
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes
from mock_server.views import View

State = Annotated[
    dict[str, Any],
    Meta(extra_json_schema={"$ref": "#/components/schemas/Document"}),
]


class NewSandbox(Input):
    """What a sandbox has that the default one's baseline has not; ttl in seconds."""

    name: Annotated[str, Meta(pattern=f"^{NAME_PATTERN}$")] | None = None
    ttl: Annotated[float, Meta(ge=0.01, le=LIMITS.sandbox_max_ttl)] = LIMITS.sandbox_ttl
    profile: Literal["documented", "deployed"] | None = None
    choices: Chosen = field(default_factory=dict)
    state: State | None = None


class SandboxView(View):
    """A sandbox, an owner's key, the key to send for each declared one.

    `expiresAt` is when it ends unless it is used; null for the default one.
    """

    name: str
    key: str | None
    keys: dict[str, str]
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
    return SandboxesView(every, LIMITS.sandboxes)


async def post_sandbox(call: Call) -> Response:
    """`POST sandboxes`."""
    wanted: NewSandbox = call.body
    if wanted.name is not None:
        # `$` in the pattern also matches before a trailing line end, so look again.
        check_name(wanted.name, "$.name")
        call.sandboxes.check_free(wanted.name)
    if wanted.profile is not None:
        profile, choices = chosen(wanted.profile, wanted.choices)
    else:
        profile, choices = call.sandboxes.profile, call.sandboxes.choices
        choices = changed(choices, wanted.choices)
    baseline = None
    if wanted.state is not None:
        order = choices.list_order
        content = msgspec.json.encode(wanted.state)
        document = Document(content, is_json=True, order=order, gone=call.gone)
        baseline = await call.loads.load(document)
    sandbox = call.sandboxes.create(
        wanted.name,
        ttl=wanted.ttl,
        profile=profile,
        choices=choices,
        baseline=baseline,
    )
    return created(_view(call.sandboxes, sandbox))


def get_sandbox(call: Call) -> SandboxView:
    """`GET sandboxes/{sandbox}`."""
    return _view(call.sandboxes, call.sandbox)


def delete_sandbox(call: Call) -> SandboxView:
    """`DELETE sandboxes/{sandbox}`; the answer is what there was."""
    view = _view(call.sandboxes, call.sandbox)
    call.sandboxes.delete(view.name)
    return view


def _view(sandboxes: Sandboxes, sandbox: Sandbox) -> SandboxView:
    expires_at = sandboxes.expires_at(sandbox.name)
    return SandboxView(
        name=sandbox.name,
        key=sandbox.key,
        keys=sandbox.keys,
        expires_at=None if expires_at is None else format_time(expires_at),
        generation=sandbox.state.generation,
        profile=sandbox.state.profile,
    )


_ONE = "/sandboxes/{sandbox}"
_UNKNOWN = (SandboxNotFound,)
ROUTES = (
    AdminRoute(
        "GET",
        "/sandboxes",
        get_sandboxes,
        SandboxesView,
        "All sandboxes",
        is_global=True,
    ),
    AdminRoute(
        "POST",
        "/sandboxes",
        post_sandbox,
        SandboxView,
        "Make a sandbox; requests with its key land in it",
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
        "A sandbox",
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
