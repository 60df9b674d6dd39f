"""Creates, lists, reads and deletes sandboxes, each with its own API keys."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from mock_server.admin.framework import A_NAME, Call, Input, Routes, check_name
from mock_server.admin.loading import SentFixture
from mock_server.admin.resources.clock_choices import with_choices
from mock_server.admin.views import Chosen, SandboxesView, SandboxView
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.items import items_in_slices
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.choices.choosing import choose
from mock_server.domain.choices.profiles import Profile
from mock_server.domain.clock import format_time
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.sandboxes.registry import NameTaken, Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.fixture.document import LevelName

routes = Routes()
_ONE = "/sandboxes/{sandbox}"
_UNKNOWN = (SandboxNotFound,)
_NAME = Meta(pattern=f"^{NAME_PATTERN}$", extra={"expected": A_NAME})

# Plain data, because the loader checks it and reports all problems at once. The type is
# only for the OpenAPI document.
State = Annotated[
    dict[str, Any],
    Meta(
        extra_json_schema={"$ref": "#/components/schemas/Document"},
        extra={"expected": "a fixture document (an object, not the path of a file)"},
    ),
]


_SECONDS = {"expected": f"seconds from 0.01 to {Published.sandbox_max_ttl:g}"}
_TTL = Meta(ge=0.01, le=Published.sandbox_max_ttl, extra=_SECONDS)


class NewSandbox(Input):
    """Settings that differ from the default sandbox's baseline.

    `ttl` is in seconds, by default an hour: a sandbox unused for that time expires.
    `baseline` names a sandbox whose baseline, already loaded, is used instead.
    """

    name: Annotated[str, _NAME] | None = None
    ttl: Annotated[float, _TTL] | UnsetType = UNSET
    profile: Profile | None = None
    choices: Chosen = field(default_factory=dict)
    state: State | None = None
    baseline: str | None = None

    @classmethod
    def unknown_field_hint(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return a hint for API keys, which the server creates, and for a fixture."""
        if name in ("key", "keys", "apiKey"):
            return " (leave it out: the server creates the key, and returns it as key)"
        if name == "fixture":
            return " (did you mean 'state'? It is the fixture itself, no file's path)"
        return super().unknown_field_hint(name, fields)


@routes.add("GET", "/sandboxes", errors=(LimitReached,), is_global=True)
async def get_sandboxes(call: Call) -> SandboxesView:
    """List the sandboxes."""
    views = (_view(call.sandboxes, each) for each in call.sandboxes.all())
    items = await items_in_slices(views, "read sandboxes one by one")
    return SandboxesView(items, call.limits.sandboxes)


@routes.add(
    "POST",
    "/sandboxes",
    status=201,
    errors=(NameTaken, LimitReached, SandboxNotFound, BadFixture, ServerBusy),
    is_global=True,
)
async def post_sandbox(call: Call, settings: NewSandbox) -> SandboxView:
    """Create a sandbox; requests with its keys use it."""
    if settings.name is not None:
        # Checked again, because `$` in the pattern also matches before a line end.
        check_name(settings.name, "$.name")
        # Checked before the state is loaded, which may take a minute, and by `create`.
        call.sandboxes.check_free(settings.name)
    # The choices of the requested profile, or the server's choices by default.
    default = call.sandboxes.default
    profile, default_choices = default.start_profile, default.start_choices
    if settings.profile is not None:
        profile, default_choices = settings.profile, choose(settings.profile)
    choices = with_choices(default_choices, settings.choices)
    baseline = _baseline_of(call.sandboxes, settings)
    if settings.state is not None:
        # Encoded again, because the loader needs text to send to another process.
        content = msgspec.json.encode(settings.state)
        upload = SentFixture(
            content, True, choices.list_order, call.wait_for_disconnect
        )
        baseline = await call.services.loader.load(upload)
    sandbox = call.sandboxes.create(
        settings.name,
        ttl=None if settings.ttl is UNSET else settings.ttl,
        profile=profile,
        choices=choices,
        baseline=baseline,
    )
    return _view(call.sandboxes, sandbox)


@routes.add("GET", _ONE, errors=_UNKNOWN, is_global=True)
def get_sandbox(call: Call) -> SandboxView:
    """Read a sandbox."""
    return _view(call.sandboxes, call.sandbox)


@routes.add("DELETE", _ONE, errors=_UNKNOWN, is_global=True)
def delete_sandbox(call: Call) -> SandboxView:
    """Delete a sandbox; its keys are then unknown."""
    # Created before the sandbox is deleted, which also deletes its time to expire.
    view = _view(call.sandboxes, call.sandbox)
    call.sandboxes.delete(view.name)
    return view


def _baseline_of(sandboxes: Sandboxes, settings: NewSandbox) -> FixtureData | None:
    """Return the baseline named for a new sandbox, or None for the default baseline.

    Raises InvalidField if there is a state too, and SandboxNotFound.
    """
    if settings.baseline is None:
        return None
    if settings.state is not None:
        expected = "a state or the baseline of a sandbox"
        raise InvalidField(expected, "both", "$.baseline")
    sandbox = sandboxes.find(settings.baseline)
    if sandbox is None:
        expected = "the name of a sandbox"
        raise SandboxNotFound.of(settings.baseline, expected, "$.baseline")
    return sandbox.baseline


def _view(sandboxes: Sandboxes, sandbox: Sandbox) -> SandboxView:
    expires_at = sandboxes.expires_at(sandbox.name)
    declared = sandbox.state.store.fixture.keys.items()
    levels = {key: caller.level.name.lower() for key, caller in declared}
    return SandboxView(
        name=sandbox.name,
        key=sandbox.key,
        keys=sandbox.keys,
        levels=msgspec.convert(levels, dict[str, LevelName]),
        expires_at=None if expires_at is None else format_time(expires_at),
        generation=sandbox.state.generation,
        profile=sandbox.state.profile,
        shares=sandbox.shares,
    )
