"""What the runs under other choices rest on: a choice that is not read changes nothing."""

import re
from typing import Any

import pytest
from account import ACCOUNT, LocalClient
from hypothesis import given, settings
from hypothesis import strategies as st
from model import Request
from msgspec.structs import replace
from test_choices import ROWS
from test_model import TOKEN, accounts, lenient, requests, some

from mock_server.application import load_baseline
from mock_server.choices import PROFILES, choice_table
from mock_server.plugin.variants import differing_values, note_reads
from mock_server.sandbox import Baseline

CLOCK = {"clock": "2026-01-01T00:00:00Z"}
ACCEPTED_WITH = re.compile(r" \(accepted with [^)]*\)")


def noted(baseline: Baseline) -> tuple[Baseline, set[str]]:
    read = set[str]()
    moment = replace(baseline.moment, choices=note_reads(baseline.moment.choices, read))
    return replace(baseline, moment=moment), read


def outcome(client: LocalClient, baseline: Baseline, sent: list[Request], token: str) -> Any:
    """The responses to requests, the violations, and the chats in the end."""
    client.sandboxes.restart(baseline)
    answers = []
    for it in sent:
        headers = {name: token if text == TOKEN else text for name, text in it.headers.items()}
        response = client.request(it.method, it.path, headers=headers, content=it.body)
        answers.append((response.status_code, ACCEPTED_WITH.sub("", response.text)))
    state = client.sandboxes.default.state
    return (
        answers,
        [it.violations for it in state.journal.exchanges],
        state.moment.store.apps["a"].chats,
    )


@settings(lenient, max_examples=25)
@given(accounts(), some(PROFILES), st.lists(requests(), min_size=2, max_size=4))
def test_a_choice_that_was_not_read_changes_nothing(local, account, base, sent):
    usual = load_baseline(account | CLOCK, profile=base)
    local.sandboxes.restart(usual)
    token = local.login()
    (baseline, read) = noted(usual)
    expected = outcome(local, baseline, sent, token)
    for name, value in differing_values("all", base, read):
        choices = replace(usual.moment.choices, **{name: value})
        other = replace(usual, moment=replace(usual.moment, choices=choices))
        assert outcome(local, other, sent, token) == expected, (name, value)


@pytest.mark.parametrize("name, probe", [(name, probe) for name, probe, _ in ROWS])
def test_a_request_that_shows_a_choice_has_read_it(local, name, probe):
    baseline, read = noted(load_baseline(ACCOUNT | {"keys": []}))
    local.sandboxes.restart(baseline)
    probe(local)
    assert name in read


def test_a_refused_request_reads_what_refuses_it(local):
    baseline, read = noted(load_baseline(ACCOUNT))
    local.sandboxes.restart(baseline)
    local.pin(chatId="new")
    of_the_run = {"chat_unknown", "error_form", "error_http_status", "request_form"}
    assert {*choice_table()} & read == of_the_run
