"""The state of a sandbox: health, reset, the state document, snapshots."""

from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from mock_server.admin.route import MAX_STATE_BYTES, YAML_TYPE, AdminCall, Output, route
from mock_server.decoding.json_values import JsonObject
from mock_server.fixture.dump import dump, yaml_of
from mock_server.fixture.load import load_sources
from mock_server.fixture.source import Source
from mock_server.http.forms import JSON
from mock_server.http.responses import NO_STORE, json_response
from mock_server.sandbox import Baseline


class GenerationView(Output):
    """A sandbox, and its generation now."""

    sandbox: str
    generation: int


class Health(Output):
    """The health of a mock server. By these fields the command `wait` knows one."""

    status: str
    fixture: JsonObject
    generation: int
    profile: str


@route("GET", "/health")
def get_health(call: AdminCall) -> Health:
    """Read the status of the server, its fixture, generation and profile."""
    baseline = call.sandbox.baseline
    return Health(
        "ready",
        {"files": baseline.files, "sha256": baseline.sha256, **baseline.counts},
        call.sandbox.generation,
        call.state.moment.profile,
    )


@route("POST", "/reset")
def reset(call: AdminCall) -> GenerationView:
    """Go back to the baseline; forget rules that were added, and the journal."""
    call.sandbox.reset()
    return generation_of(call)


@route("GET", "/state")
def get_state(call: AdminCall) -> Response:
    """Read the state document, a fixture; as YAML on `Accept: application/yaml`."""
    document = dump(call.state.moment)
    if YAML_TYPE in call.request.headers.get("accept", ""):
        return Response(yaml_of(document), headers=NO_STORE, media_type=YAML_TYPE)
    return json_response(document)


@route("PUT", "/state", media_types=(JSON, YAML_TYPE), limit=MAX_STATE_BYTES)
async def put_state(call: AdminCall, body: bytes) -> GenerationView:
    """Replace the baseline by a state document, and reset."""
    fixture = await run_in_threadpool(parse_state_document, body, call.media_type)
    # The sandbox may have been deleted or replaced during the wait.
    call.enter_sandbox()
    call.sandboxes.set_fixture(call.sandbox, fixture)
    call.warnings += fixture.warnings
    return generation_of(call)


def generation_of(call: AdminCall) -> GenerationView:
    return GenerationView(call.sandbox.name, call.sandbox.generation)


def parse_state_document(content: bytes, media_type: str) -> Baseline:
    """The baseline of a state document, which is in no file. Raises FixtureError."""
    name = "state.yaml" if media_type == YAML_TYPE else "state.json"
    return replace(load_sources([Source(name, content)]), files=())


@route("GET", "/snapshots")
def get_snapshots(call: AdminCall) -> dict[str, list[dict[str, str]]]:
    """List the snapshots, the oldest first."""
    return {"snapshots": [{"name": name} for name in call.sandbox.snapshots]}


@route("PUT", "/snapshots/{snapshot}")
def put_snapshot(call: AdminCall) -> dict[str, str]:
    """Take or replace a snapshot of data, declared rules, clock and choices."""
    name = call.path_parameters["snapshot"]
    call.set_put_status(name, call.sandbox.snapshots, "name")
    call.sandbox.take_snapshot(name)
    return {"name": name}


@route("POST", "/snapshots/{snapshot}/restore")
def restore(call: AdminCall) -> GenerationView:
    """Go back to a snapshot; the baseline, rules that were added, and the journal stay."""
    call.sandbox.restore(call.require_item("snapshot", call.sandbox.snapshots))
    return generation_of(call)


@route("DELETE", "/snapshots/{snapshot}")
def delete_snapshot(call: AdminCall) -> dict[str, str]:
    """Forget a snapshot."""
    call.require_item("snapshot", call.sandbox.snapshots)
    name = call.path_parameters["snapshot"]
    del call.sandbox.snapshots[name]
    return {"name": name}
