"""A check undoes its changes, and says which it could not undo."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server import MockServer, create_app
from mock_server.fixture.dump import to_document
from mock_server.wire.server import running
from tests.conformance import wrong
from tests.conformance.world import APP, CHAT, DATASET, DOCUMENT, report_of
from tests.support import LIST, PIN

CREATION: dict[str, Any] = {
    "operation": "collection.create",
    "times": 99,
    "phase": "after",
}
LOST: list[dict[str, Any]] = [
    {"kind": "truncate", "bytes": 9},
    {"kind": "empty"},
    {"kind": "malformed_json"},
    {"kind": "error", "status": 403},
    {"kind": "error", "status": 503, "retryAfter": 0, "times": 1},
]


@pytest.mark.ci
@pytest.mark.parametrize("lost", LOST, ids=[str(each) for each in LOST])
def test_a_collection_is_deleted_though_its_creation_was_not_answered(
    lost: dict[str, Any],
) -> None:
    with MockServer(DOCUMENT) as server:
        before = server.control.collections(DATASET)
        fault = server.control.fault(**CREATION | lost)
        report_of(server.url)
        assert fault.fired == 1
        assert server.control.collections(DATASET) == before


def test_the_user_reads_of_a_collection_that_stays(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with MockServer(DOCUMENT) as server:
        refused: dict[str, Any] = {"status": 403, "times": 99}
        server.control.fault("error", operation="collection.delete", **refused)
        report_of(server.url)
        names = [each.name for each in server.control.collections(DATASET)]
    (left,) = (each for each in names if each.startswith("verify "))
    told = f"could not restore everything: collection '{left}': it is still listed"
    assert told in capsys.readouterr().out


@pytest.mark.ci
def test_nobody_reads_of_a_collection_whose_deletion_was_not_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with MockServer(DOCUMENT) as server:
        lost: dict[str, Any] = {"times": 99, "phase": "after", "status": 403}
        server.control.fault("error", operation="collection.delete", **lost)
        before = server.control.collections(DATASET)
        report_of(server.url)
        assert server.control.collections(DATASET) == before
    assert capsys.readouterr().out == ""


KEPT: list[dict[str, Any]] = [{"kind": "error", "status": 403}, {"kind": "lost_write"}]


@pytest.mark.parametrize("kept", KEPT, ids=["refused", "lost"])
def test_the_user_reads_of_a_pin_that_stays(
    kept: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    unpins: dict[str, Any] = {"match": {"body": {"top": False}}, "times": 99}
    with MockServer(DOCUMENT) as server:
        server.control.fault(operation="updateHistory", **unpins, **kept)
        report_of(server.url)
        assert server.control.chat(APP, CHAT).top
    (told,) = capsys.readouterr().out.splitlines()
    assert told.startswith(f"could not restore everything: the pin of chat '{CHAT}': ")


CREATING = {"chat_unknown": "create"}


@pytest.mark.ci
def test_a_collection_far_down_a_list_is_deleted() -> None:
    many = [{"repeat": 700, "name": "A {n:03}"}]
    document = {
        "apps": DOCUMENT["apps"],
        "datasets": [{"id": "d", "collections": many}],
    }
    with MockServer(document, choices={"list_order": "name"}) as server:
        report_of(server.url, dataset="d")
        names = {each.name for each in server.control.collections("d")}
        assert not [each for each in names if each.startswith("verify ")]


@pytest.mark.ci
def test_a_chat_is_deleted_though_its_creation_was_not_answered() -> None:
    with MockServer(DOCUMENT, profile="deployed", choices=CREATING) as server:
        lost: dict[str, Any] = {"times": 99, "phase": "after", "status": 500}
        unpins = {"body": {"top": False}}
        server.control.fault("error", operation="updateHistory", match=unpins, **lost)
        report_of(server.url)
        assert [each.chat_id for each in server.control.chats(APP)] == [CHAT]


@pytest.mark.ci
def test_the_user_reads_of_a_chat_that_stays(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with MockServer(DOCUMENT, profile="deployed", choices=CREATING) as server:
        server.control.fault("lost_write", operation="delHistory", times=99)
        report_of(server.url)
        ids = {each.chat_id for each in server.control.chats(APP)}
    (left,) = ids - {CHAT}
    told = f"could not restore everything: chat '{left}': got "
    assert capsys.readouterr().out.startswith(told)


@pytest.mark.ci
def test_a_pin_that_was_not_shown_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with MockServer(DOCUMENT) as server:
        server.control.fault("error", operation="getHistories", status=500)
        report_of(server.url)
    told = f"could not restore everything: the pin of chat '{CHAT}': getHistories did "
    assert told in capsys.readouterr().out


@pytest.mark.ci
def test_a_chat_that_may_stay_is_told_if_chats_are_no_longer_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    created: set[str] = set()

    def fails(call: wrong.Call) -> None:
        if call.path == PIN:
            created.update({call.body.get("chatId", CHAT)} - {CHAT})
        if created and call.path.endswith("/getHistories"):
            call.status = 403

    app = create_app(DOCUMENT, profile="deployed", choices=CREATING)
    with running(wrong.Wrong(app, wrong.nothing, fails)) as url:
        report = report_of(url)
    assert report.values.get("chat_unknown") != "ignore"
    told = f"everything: chat '{created.pop()}': got 403 "
    assert told in capsys.readouterr().out


@pytest.mark.ci
def test_a_collection_is_deleted_and_told_though_lists_fail(
    capsys: pytest.CaptureFixture[str],
) -> None:
    created: list[str] = []

    def fails(call: wrong.Call) -> None:
        if call.path.endswith("/collection/create"):
            created.append(call.body["name"])
        if created and call.path == LIST:
            call.status = 403

    app = create_app(DOCUMENT)
    before = to_document(app.sandbox.store)["datasets"]
    with running(wrong.Wrong(app, wrong.nothing, fails)) as url:
        report_of(url)
    assert to_document(app.sandbox.store)["datasets"] == before
    told = f"could not restore everything: collection '{created[0]}': got 403 "
    assert told in capsys.readouterr().out
