"""The table of choices."""

from __future__ import annotations

import re

import pytest

from mock_server.domain.choices.choosing import choose, deprecations
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.choices.reading import choices_hint, remedies, tolerates
from mock_server.domain.choices.table import Choices, UnknownChoice, Value, table
from mock_server.domain.limits import Published

TOLERATING = {
    "page_size_over_limit": {"clamp"},
    "offset_missing": {"accept"},
    "numeric_strings": {"accept"},
    "parent_empty_string": {"unknown", "root"},
    "parent_unknown": {"empty"},
    "search_scope": {"dataset"},
    "chat_unknown": {"create", "ignore"},
    "top_missing": {"ignore"},
    "method_mismatch": {"accept"},
    "content_type_missing": {"accept"},
    "unknown_fields": {"ignore"},
    "list_filters": {"honour"},
    "unknown_key": {"accept"},
    "legacy_paths": {"on"},
    "page_size_max": {100},
    "related_routes": {"on"},
    "credentials": {"login_too"},
    "query_delete": {"accept"},
}


def test_every_row_is_complete() -> None:
    for name, choice in table().items():
        assert choice.name == name
        assert {*choice.profiles.values()} <= {*choice.values}
        assert choice.sentence.endswith(".")
        assert choice.section[0] in "123456789"


def test_defaults_are_profile_documented() -> None:
    assert choose() == choose("documented") == Choices()


def test_profile_deployed_differs_where_the_table_says_so() -> None:
    deployed = choose("deployed")
    for name, choice in table().items():
        assert getattr(deployed, name) == choice.deployed


def test_single_choices_replace_the_profiles() -> None:
    chosen = choose("deployed", {"legacy_paths": "off", "page_size_default": "7"})
    assert (chosen.legacy_paths, chosen.page_size_default) == ("off", 7)
    assert chosen.error_form == "service"


def test_a_former_name_still_chooses_and_says_what_it_is_called() -> None:
    chosen = choose(choices={"neighbours": "on"})
    assert chosen == choose(choices={"related_routes": "on"})
    (sentence,) = deprecations(["neighbours", "list_order"])
    assert sentence.startswith("the choice neighbours is called related_routes now")


def test_what_would_serve_is_named_unless_it_is_in_force() -> None:
    names = "chat_unknown", "offset_missing", "list_order"
    others = "chat_unknown=create", "chat_unknown=ignore"
    assert remedies(Choices(), *names) == (*others, "offset_missing=accept")
    assert remedies(choose("deployed"), *names) == others[:1]
    assert choices_hint(*others) == f"served with the choice {' or '.join(others)}"
    assert choices_hint() == ""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("legacy_path", "on", "got 'legacy_path' (did you mean 'legacy_paths'?)"),
        ("zzz", "on", "Expected the name of a choice, got 'zzz'"),
        ("legacy_paths", "yes", "Expected legacy_paths to be off or on, got 'yes'"),
        ("page_size_default", "31", "to be 1 to 30, got '31'"),
        ("page_size_default", True, "to be 1 to 30, got True"),
    ],
)
def test_a_bad_choice_says_what_there_is(name: str, value: Value, message: str) -> None:
    with pytest.raises(UnknownChoice) as error:
        choose(choices={name: value})
    assert str(error.value).endswith(message)


def test_of_many_bad_choices_the_first_are_told() -> None:
    bad: dict[str, Value] = {f"no_choice_{n}": "on" for n in range(1000)}
    with pytest.raises(UnknownChoice) as error:
        choose(choices=bad)
    told = str(error.value)
    assert told.count("Expected") == Published.told_problems
    assert "'no_choice_0'" in told


def test_a_bad_profile_says_what_there_is() -> None:
    names = re.escape("documented or deployed or deployed-4.14")
    with pytest.raises(UnknownChoice, match=f"{names}, got 'real'"):
        choose("real")


@pytest.mark.parametrize("name", table())
def test_only_these_values_serve_what_others_refuse(name: str) -> None:
    tolerating = {
        value
        for value in table()[name].values
        if tolerates(choose(choices={name: value}), name)
    }
    assert tolerating == TOLERATING.get(name, set())


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_no_choice_is_never_tolerated(profile: str) -> None:
    assert not tolerates(choose(profile), "invalid_field")
