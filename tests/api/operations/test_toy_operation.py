"""An operation that is put into an application's table works everywhere at once.

`countChats` is the toy of this module: a body, a domain function and an encoding of its
own. Nothing else knows it.
"""

from __future__ import annotations

from typing import Annotated, Any

import jsonschema
import msgspec
import pytest
from msgspec import Meta, Struct

from mock_server.api.envelope import SUCCESS
from mock_server.api.operations.body_field import About
from mock_server.api.operations.contract import NOT_ON_CONTRACT, Contract, RequestFields
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.routing import Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.call import AppNotFound, Call
from mock_server.domain.choices.table import Choices
from mock_server.domain.sandboxes.state import State
from tests.conftest import MakeApi
from tests.openapi import public
from tests.support import Api

PATH = "/api/core/chat/countChats"


class CountChatsBody(RequestFields):
    """Which application, and how many of its chats to leave out."""

    app_id: str
    but: Annotated[int, Meta(ge=0, le=9), About(text="numeric_strings").meta()] = 0


class Counted(Struct):
    """How many chats an application has."""

    count: int


CONTRACT = Contract("4.3", CountChatsBody)


def read(content: bytes, choices: Choices) -> tuple[str, int]:
    try:
        body = CONTRACT.decoder.decode(content)
    except NOT_ON_CONTRACT:
        values = CONTRACT.values(content, choices)
        return values["appId"], values.get("but", 0)
    return body.app_id, body.but


def count_chats(call: Call, request: tuple[str, int]) -> int:
    app_id, but = request
    return call.store.count_chats(call.app(app_id)) - but


def encode(count: int, _: State) -> bytes:
    return SUCCESS % (b'{"count":%d}' % count)


COUNT_CHATS = Operation(
    name="countChats",
    method="POST",
    path=PATH,
    summary="Count the chats of an application",
    contract=CONTRACT,
    data=Counted,
    refusals=(AppNotFound,),
    read=read,
    act=count_chats,
    encode=encode,
)
TABLE = Operations((*OPERATIONS.values(), COUNT_CHATS))


@pytest.fixture
def toy(make_api: MakeApi) -> Api:
    return make_api(operations=TABLE)


def count(api: Api, **fields: Any) -> Any:
    return api.send("POST", PATH, {"appId": "app-1"} | fields)


def test_it_is_served(toy: Api) -> None:
    assert count(toy, but=1).json()["data"] == {"count": 1}
    assert toy.list_v2().status_code == 200


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"appId": "none"}, 404, 'the string "none" - at $.appId'),
        ({"but": 10}, 400, "Expected an integer from 0 to 9, got 10 - at $.but"),
        ({"but": "1"}, 400, 'got the string "1" - at $.but'),
    ],
)
def test_it_is_checked(
    toy: Api, fields: dict[str, Any], status: int, message: str
) -> None:
    answer = count(toy, **fields)
    assert answer.status_code == status
    assert message in answer.json()["message"]


def test_choices_tolerate_its_departures_and_the_journal_lists_them(
    make_api: MakeApi,
) -> None:
    toy = make_api(operations=TABLE, choices={"numeric_strings": "accept"})
    assert count(toy, but="1", more=True).json()["data"] == {"count": 1}
    (entry,) = toy.admin("GET", "/journal").json()["entries"]
    found = [(each["name"], each["section"]) for each in entry["violations"]]
    assert entry["operation"] == "countChats"
    assert found == [("unknown_fields", "4.3"), ("numeric_strings", "4.3")]


def test_faults_match_it(toy: Api) -> None:
    fault = {"kind": "error", "operation": "countChats", "match": {"body": {"but": 2}}}
    assert toy.admin("POST", "/faults", fault).status_code == 201
    answers = [count(toy, but=1), count(toy, but=2), count(toy, but=2)]
    assert [each.status_code for each in answers] == [200, 503, 200]


def test_kinds_without_a_meaning_for_it_are_refused(toy: Api) -> None:
    fault = {"kind": "wrong_total", "operation": "countChats"}
    answer = toy.admin("POST", "/faults", fault)
    assert answer.status_code == 400
    expected = "Expected * or an operation that answers a total (listV2, "
    assert answer.json()["message"].startswith(expected)


def test_an_unknown_operation_gets_a_hint(toy: Api) -> None:
    fault = {"kind": "error", "operation": "countChat"}
    told = toy.admin("POST", "/faults", fault).json()["message"]
    assert told.startswith("Expected * or one of updateHistory, listV2, ")
    assert "got the string \"countChat\" (did you mean 'countChats'?)" in told
    # Thirty names would hide that.
    assert len(told) < 240


def test_it_is_verified(toy: Api) -> None:
    count(toy, but=1)
    asked = {"operation": "countChats", "body": {"but": 1}, "exactly": 1}
    assert toy.admin("POST", "/journal/verify", asked).json()["ok"] is True


def test_it_is_described(make_api: MakeApi) -> None:
    description = msgspec.json.encode(public.make(TABLE))
    toy = make_api(operations=TABLE, description=description)
    document = toy.client.get("/openapi.json").json()
    described = document["paths"][PATH]["post"]
    content = described["responses"]["200"]["content"]["application/json"]
    schema = content["schema"] | {"components": document["components"]}
    assert described["operationId"] == "countChats"
    jsonschema.validate(count(toy).json(), schema)
