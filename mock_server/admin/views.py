"""Defines the response types of the admin API, for the server and its clients.

The module imports no server, so that commands start fast.
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
"""Values by names of choices. msgspec accepts any text or integer as a value."""


class ChoicesView(View):
    """The profile, every choice in force, and the table of all choices."""

    profile: str
    choices: Chosen
    table: list[choice_table.Choice]


class ClockView(View):
    """The time of a sandbox's clock, and whether the clock is frozen."""

    now: str
    frozen: bool


class SnapshotView(View):
    """A snapshot, and the generation number when it was taken."""

    name: str
    generation: int


class SnapshotsView(View):
    """All snapshots of a sandbox, the oldest first."""

    snapshots: list[SnapshotView]


class SandboxView(View):
    """A sandbox with its keys: an owner's key of its own, and a key per declared key.

    `keys` and `shares` map declared API keys and share links to those that clients must
    send. `levels` are the keys' permissions unless an app or dataset overrides them.
    `expiresAt` is when the unused sandbox expires; null for the default one.
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
    """All sandboxes, and the maximum number beside the default one."""

    sandboxes: list[SandboxView]
    limit: int


class RequestView(View):
    """The client's request; `body` is JSON, text if not JSON, null if empty."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Raw
    truncated: bool


class AnswerView(View):
    """The response to the client; status 0 if no response was sent."""

    status: int
    headers: dict[str, str]
    body: Raw
    truncated: bool


class ViolationView(View):
    """A violation of the spec: the choice that may tolerate it, section, place.

    `effect` is its result: `refused`, `ignored`, `honoured`, `stored`, or `counted as
    30 (30 of 63 served)`.
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
    """The answer that was sent in place of an operation's response."""

    id: str
    kind: str


class EntryView(View):
    """One request, with its order of arrival `seq`; the key is redacted.

    `outside` is set if the spec does not show the route. `answeredBy` names the answer
    that was sent, null if the operation responded. `facts` are the names of differences
    between versions of the service on which the response depends.
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
    """Files, hash and counts of the baseline."""

    files: tuple[str, ...]
    sha256: str
    datasets: int
    collections: int
    chats: int


class MemoryView(View):
    """Bytes of memory: the limit for the server's data, and its use by kind."""

    # After the first two fields, there is a field for each kind in
    # `domain.memory.KINDS`, or the health check would fail.
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
    """A problem of a fixture file; a problem of the whole file has line 0.

    `message` is null for a caller without the admin token, if there is one.
    """

    file: str
    line: int
    column: int
    message: str | None


class ReloadView(View):
    """The time and the first problems of the last reload of the server's fixture files.

    If there are problems, the former baseline stays.
    """

    time: str
    problems: list[ProblemView]


class HealthView(View):
    """A summary of a sandbox, and the memory of all sandboxes.

    `version` is the emulated version of the service. `demo` is the path of the demo
    front end, null if it is not served, `http` the HTTP parser, null in process.
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
    """The sandbox that was reset, and its new generation number."""

    sandbox: str
    generation: int


class PlannedView(View):
    """A future decision: the number of the match, the draw, whether the fault fires."""

    index: int
    draw: float
    fires: bool


class WithPlan(View, kw_only=True):
    """A view with future decisions, which are computed only on request.

    `plan` is a keyword field, so that it comes after all fields of subclasses.
    """

    plan: list[PlannedView] | UnsetType = UNSET


class FaultView(WithPlan):
    """A fault: these fields, and the fields with which it was added.

    `remaining` is null if the fault has no `times`, `endsIn` (in s) if it has no `ttl`.
    `matches` counts all matching requests, `fired` only the firings. `preset` is the
    preset that added the fault, if any. `warnings` are possible mistakes in the fault.
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
    """All faults that can still fire, and recent ones that cannot, the oldest first."""

    faults: list[FaultView]


class ResponseView(View):
    """A static response; `bytes` is the size of its body.

    `operation` is its name in faults and journal; `times` limits it.
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
    """The static responses, in the order of the fixture."""

    responses: list[ResponseView]


class JournalView(View):
    """The matching entries; `total` = `kept` + `dropped` counts all entries so far.

    `next` is the `since` of the next page. A page ends at `limit` entries, or earlier
    if they are large.
    """

    entries: list[EntryView]
    total: int
    kept: int
    dropped: int
    next: int


class NearMiss(View):
    """A near miss: its number, its differences, the names of its violations."""

    seq: int
    differences: list[Difference]
    violations: list[str] | UnsetType = UNSET


class Verified(View, omit_defaults=True):
    """The result of an assertion, and the number of matching entries (or steps).

    `ok` is true if the assertion holds. If not, `message` is the reason, and `nearest`
    are entries that nearly match.
    """

    ok: bool
    count: int
    message: str = ""
    nearest: list[NearMiss] | UnsetType = UNSET
