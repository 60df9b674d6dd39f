"""The types of what the admin API answers, for the server and for its clients.

Each exists once. Of the package it imports what commands have anyway: no server.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, UnsetType, field

from mock_server.api.envelope import View
from mock_server.domain.choices import table as choice_table
from mock_server.domain.journal import Outside
from mock_server.domain.validation.json_match import Difference
from mock_server.domain.versions import Version
from mock_server.fixture.document import LevelName


def _choices_schema() -> dict[str, Any]:
    rows = choice_table.table().values()
    values = {each.name: {"enum": list(each.values)} for each in rows}
    return {"properties": values, "propertyNames": {"enum": list(values)}}


Chosen = Annotated[
    dict[str, choice_table.Value],
    Meta(
        extra_json_schema=_choices_schema(),
        extra={"expected": 'an object such as {"list_order": "name"}'},
    ),
]
"""Values by the names of choices. To msgspec a value is any text or integer."""


class ChoicesView(View):
    """The profile, every choice in force, and what can be chosen."""

    profile: str
    choices: Chosen
    table: list[choice_table.Choice]


class ClockView(View):
    """The time of a sandbox, and whether it is frozen."""

    now: str
    frozen: bool


class SnapshotView(View):
    """A snapshot, and the generation number that it was taken at."""

    name: str
    generation: int


class SnapshotsView(View):
    """All snapshots of a sandbox, the oldest first."""

    snapshots: list[SnapshotView]


class SandboxView(View):
    """A sandbox, an owner's key, the key to send for each declared one, and its level.

    `shares` are the ids to send for those of declared share links.

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
    shares: dict[str, str] = field(default_factory=dict)


class SandboxesView(View):
    """All sandboxes, and how many there may be beside the default one."""

    sandboxes: list[SandboxView]
    limit: int


class RequestView(View):
    """What the client sent; `body` is JSON as it came, or text, null if none came."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Raw
    truncated: bool


class AnswerView(View):
    """What the client was answered; status 0 when it had gone before."""

    status: int
    headers: dict[str, str]
    body: Raw
    truncated: bool


class ViolationView(View):
    """A departure from the spec: the choice that may tolerate it, section, place.

    `effect` is what became of it: `refused`, `ignored`, `honoured`, `stored`, or
    `counted as 30 (30 of 63 served)`.
    """

    name: str
    section: str
    path: str
    message: str
    effect: str


class FiringView(View):
    """The fault that fired, and the random draw that was below the threshold."""

    id: str
    kind: str
    draw: float
    threshold: float


class AnsweringView(View):
    """What has answered in the place of an operation."""

    id: str
    kind: str


class EntryView(View):
    """One request, in the order of arrival `seq`; the key is redacted.

    `outside` says what the spec does not show of it, if anything; `answeredBy` names
    the answer that was given, null if the operation gave its own. `facts` are the names
    of what differs between versions of the service and was looked up for it.
    """

    seq: int
    time: str
    generation: int
    operation: str | None
    key: str | None
    member: str | None
    request: RequestView
    answer: AnswerView
    fault: FiringView | None
    duration_ms: float
    violations: list[ViolationView]
    hint: str | None
    outside: Outside | None = None
    answered_by: AnsweringView | None = None
    facts: tuple[str, ...] | UnsetType = UNSET


class FixtureView(View):
    """Where the baseline comes from, and how much it holds."""

    files: tuple[str, ...]
    sha256: str
    datasets: int
    collections: int
    chats: int


class MemoryView(View):
    """The bytes of memory that the server's data may take, and takes, by kind."""

    # After these two the kinds of `domain.memory.KINDS`, whose usage fills them by
    # name: a kind without a field here would fail at the first look at health.
    limit: int
    used: int
    states: int
    changes: int
    snapshots: int
    faults: int
    journals: int
    caches: int
    streams: int
    requests: int


class ProblemView(View):
    """What is wrong with a fixture file; a problem of the whole file has line 0.

    `message` is null for those who do not show the admin token, if there is one.
    """

    file: str
    line: int
    column: int
    message: str | None


class ReloadView(View):
    """When the server last looked at its fixture files again, and the first problems.

    With problems, what was served before goes on being served.
    """

    time: str
    problems: list[ProblemView]


class HealthView(View):
    """The state of a sandbox in short, and the memory that all sandboxes take.

    `version` is that of the service whose behaviour is served. `demo` is the path of
    the demo front end, null if it is not served, `http` the HTTP parser, null in
    process.
    """

    status: Literal["ready"]
    fixture: FixtureView
    generation: int
    profile: str
    version: Version
    memory: MemoryView
    reload: ReloadView | None = None
    demo: str | None = None
    http: str | None = None


class ResetView(View):
    """The sandbox that has been reset, and its new generation number."""

    sandbox: str
    generation: int


class PlannedView(View):
    """A decision to come: the number of the match, the draw, whether it fires."""

    index: int
    draw: float
    fires: bool


class WithPlan(View, kw_only=True):
    """What has decisions to come; they are told only on request.

    As the only field by keyword, `plan` comes after all fields of other classes.
    """

    plan: list[PlannedView] | UnsetType = UNSET


class FaultView(WithPlan):
    """A fault: beside these fields, all that it was added with.

    `remaining` is null if no number of `times` ends it; `endsIn` is in seconds, null if
    no `ttl` does. `matches` counts
    the requests that have matched, whether it fired or not. `preset` is the one that it
    was added with, null if it was added by itself or with the fixture. `warnings` say
    what may not be meant, when it is added.
    """

    id: str
    remaining: int | None
    fired: int
    matches: int
    ends_in: float | None
    kind: str
    preset: str | None
    warnings: Sequence[str]


class FaultsView(View):
    """All faults that can still fire, and lately spent ones, by age."""

    faults: list[FaultView]


class ResponseView(View):
    """An answer that a fixture declares; `operation` is its name for faults and the
    journal, `bytes` are those of its body, `times` how often it is given.
    """

    operation: str
    method: str
    path: str
    status: int
    content_type: str | None
    bytes: int
    delay_ms: int
    times: int | None


class ResponsesView(View):
    """The answers that are declared, in the order of the fixture."""

    responses: list[ResponseView]


class JournalView(View):
    """The entries asked for; `total` = `kept` + `dropped` counts all there have been.

    `next` is the `since` that goes on where this answer ends: at `limit` entries, or
    earlier where they are large.
    """

    entries: list[EntryView]
    total: int
    kept: int
    dropped: int
    next: int


class NearMiss(View):
    """An entry that came near, where it differs, and the names of its violations."""

    seq: int
    differences: list[Difference]
    violations: list[str] | UnsetType = UNSET


class Verified(View, omit_defaults=True):
    """Whether it is so, and how many entries meet the criteria (or steps are met).

    If it is not, `message` says why and `nearest` which entries came near.
    """

    ok: bool
    count: int
    message: str = ""
    nearest: list[NearMiss] | UnsetType = UNSET
