"""A reset brings back everything: every table of a sandbox is filled, reset, and compared."""

from typing import Any

from msgspec.structs import asdict

from mock_server import MockServer
from mock_server.sandbox import State
from mock_server.signals import Signal

DOCUMENT = {
    "apps": [{"id": "a", "chats": [{"chatId": "c"}], "replies": ["Hello."]}],
    "datasets": [{"id": "d", "collections": [{"_id": "x", "name": "X"}]}],
    "faults": [{"kind": "error", "operation": "preLogin", "times": 1}],
}


def tables(state: State) -> dict[str, Any]:
    """All that a reset has to bring back, by name, in values that can be compared."""
    plain = {name: getattr(state, name) for name in State.__struct_fields__}
    plain |= asdict(plain.pop("moment"))
    script, journal = vars(plain.pop("script")), vars(plain.pop("journal"))
    mutable = {name: it for name, it in (script | journal).items() if not isinstance(it, Signal)}
    return plain | {name: shown(it) for name, it in mutable.items()}


def shown(table: Any) -> Any:
    if isinstance(table, int):
        return table
    return [(getattr(it, "id", it), getattr(it, "fired", 0)) for it in table]


def fill(server: MockServer) -> None:
    """Change something in each table."""
    control, headers = server, {"Authorization": f"Bearer {server.key}"}
    control.put_app({"id": "b", "replies": ["Hi."]})
    control.choices["list_order"] = "name"
    control.call("PUT", "/choices", {"profile": "deployed"})
    control.clock.advance(60)
    control.reply("Bye.", times=1)
    control.respond("app.detail", data=1, times=1)
    control.fault("error", operation="listV2")
    control.fault("error", operation="updateHistory", times=2)
    body = {"offset": 0, "datasetId": "d", "more": "x" * 9000}
    path = "/api/core/dataset/collection/listV2"
    assert server.http.post(path, json=body, headers=headers).status_code == 503
    server.http.get("/api/support/user/account/preLogin?username=x")
    assert control.faults  # to read them takes what is over out of force


def test_a_reset_brings_back_every_table() -> None:
    with MockServer(DOCUMENT) as server, MockServer(DOCUMENT) as new:
        default = server.app.state.sandboxes.default
        fill(server)
        fresh, filled = tables(new.app.state.sandboxes.default.state), tables(default.state)
        same = [name for name in fresh if filled[name] == fresh[name]]
        assert same == [], "fill these tables, too"
        server.reset()
        assert tables(default.state) == fresh


def test_a_restore_brings_back_data_clock_and_choices_alone() -> None:
    with MockServer(DOCUMENT) as server:
        before = tables(server.app.state.sandboxes.default.state)
        name = server.snapshot()
        fill(server)
        filled = tables(server.app.state.sandboxes.default.state)
        server.restore(name)
        after = tables(server.app.state.sandboxes.default.state)
        restored = {name for name in after if after[name] != filled[name]}
        assert restored == {"store", "choices", "profile", "clock"}
        assert all(after[name] == before[name] for name in restored)
