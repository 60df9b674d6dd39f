"""What a refusal's message says at its end: the choices that would serve the request.

Each request is sent under every other value of every choice: those that serve it are
named, and no other one is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from mock_server.domain.choices.choosing import choose, with_choices
from mock_server.domain.choices.table import table
from tests.api.messages import told_by
from tests.api.refused import AUTH, CASES, JSON, PINNED, Case, Server
from tests.conftest import MakeApi
from tests.support import LIBRARY, PIN


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    with server.client:
        yield server


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_refusal_is_told_in_the_words_that_a_person_has_read(
    server: Server, case: Case
) -> None:
    message = server.send(case, choose(choices=case.choices))["message"]
    assert f"{case}: {message}" in told_by("refusals")


@pytest.mark.ci
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_would_serve_a_request_is_named_and_nothing_else(
    server: Server, case: Case
) -> None:
    base = choose(choices=case.choices)
    message = server.send(case, base)["message"]
    named = re.search(
        r" - at [^(]*\((?:.*[ (])?served with the choice (.*)\)$", message
    )
    assert (named[1] if named else "") == case.named
    assert "served with" in message or not case.named
    for name, choice in table().items():
        for value in choice.values[:3]:
            answer = server.send(case, with_choices(base, {name: value}))
            if answer["code"] == 200:
                assert f"{name}={value}" in case.named
    for together in filter(None, case.named.split(" or ")):
        pairs = dict(each.split("=") for each in together.split(" and "))
        assert server.send(case, with_choices(base, pairs))["code"] == 200


@pytest.mark.parametrize(
    ("headers", "choices"),
    [
        (AUTH | JSON, "method_mismatch=accept"),
        (AUTH, "method_mismatch=accept and content_type_missing=accept"),
    ],
)
def test_a_pin_by_post_is_told_all_that_it_needs_together(
    server: Server, headers: dict[str, str], choices: str
) -> None:
    case = Case(choices, PIN, PINNED, "POST", headers, {})
    message = server.send(case, choose())["message"]
    assert message.endswith(
        "- at method (by curl: -X PUT; the service takes it: use --profile deployed, "
        f"or it is served with the choice {choices})"
    )
    named = dict(each.split("=") for each in choices.split(" and "))
    for enough in (choose("deployed"), choose(choices=named)):
        assert server.send(case, enough)["code"] == 200


OTHERWISE = {"parent_empty_string"}
"""Violations of what the answer puts in other words, or refuses for another reason."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_violation_says_what_the_answer_says(server: Server, case: Case) -> None:
    message = server.send(case, choose(choices=case.choices))["message"]
    found = [each for each in server.violations() if each["effect"] == "refused"]
    is_read_by_choice = {"title", "selectFolder"} & case.body.keys()
    if not (is_read_by_choice and "unknown_fields" not in case.choices):
        said = {each["message"] for each in found if each["name"] not in OTHERWISE}
        assert said <= {message}


def test_the_hint_in_a_header_is_short_enough_for_clients(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, profile="deployed")
    unknown = {"\U0001f600" * 300 + str(number): 1 for number in range(100)}
    path = "/api/core/dataset/collection/export"
    answer = api.send("POST", path, {"collectionId": 1} | unknown)
    assert answer.headers["x-mock-hint"].endswith("...")
    assert len(answer.headers["x-mock-hint"]) == 2_048
