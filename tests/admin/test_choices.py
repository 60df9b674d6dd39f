"""Choices over the admin API: in force at once, until the next reset."""

from __future__ import annotations

from dataclasses import asdict

from mock_server.domain.choices.table import choose, table
from tests.support import Api


def test_the_choices_in_force_and_the_table_are_shown(api: Api) -> None:
    shown = api.admin("GET", "/choices").json()
    assert shown["profile"] == "documented"
    assert shown["choices"] == asdict(choose())
    assert [row["name"] for row in shown["table"]] == list(table())


def test_what_is_not_named_takes_the_profiles_value(api: Api) -> None:
    api.admin("PUT", "/choices", {"choices": {"list_order": "name"}})
    body = {"profile": "deployed", "choices": {"page_size_default": 7}}
    shown = api.admin("PUT", "/choices", body).json()
    expected = choose("deployed", {"page_size_default": 7})
    assert shown["choices"] == asdict(expected)
    assert api.admin("GET", "/health").json()["profile"] == "deployed"


def test_without_a_profile_the_present_one_stays(api: Api) -> None:
    api.admin("PUT", "/choices", {"profile": "deployed"})
    shown = api.admin("PUT", "/choices", {"choices": {"list_order": "name"}}).json()
    assert shown["profile"] == "deployed"
    assert shown["choices"] == asdict(choose("deployed", {"list_order": "name"}))


def test_a_choice_is_in_force_at_once(api: Api) -> None:
    assert api.list_v2(pageSize=31).status_code == 400
    api.admin("PUT", "/choices", {"choices": {"page_size_over_limit": "clamp"}})
    assert api.list_v2(pageSize=31).status_code == 200
