"""This server answers as two releases of FastGPT did, but for the requests that are listed."""

import pytest
from msgspec import json
from replay import PROFILES, UNLIKE, compared, differences, replay
from tables import COMPARED_FILE


@pytest.mark.parametrize("release", PROFILES)
def test_only_the_listed_requests_are_answered_otherwise(release):
    unlike = replay(release)
    new = {name: found for name, found in unlike.items() if name not in UNLIKE[release]}
    assert not new, "these were answered alike before"
    assert not {*UNLIKE[release]} - {*unlike}, "remove these from tests/recorded/unlike.yaml"
    assert UNLIKE[release] == sorted(unlike)


def test_the_counts_are_those_of_the_recorded_requests():
    assert json.decode(COMPARED_FILE.read_bytes()) == compared(), "run `python tests/tables.py`"


@pytest.mark.parametrize(
    ("expected", "given", "found"),
    [
        ({"n": 1}, {"n": 1.0}, []),
        ({"n": "<any>"}, {}, ["$.n is missing, expected '<any>'"]),
        ({}, {"n": None}, ["$.n is not expected, got None"]),
        ([1, {"n": 1}], [1, {"n": True}], ["$[1].n: expected 1, got True"]),
        ([1], [1, 2], ["$: expected [1], got [1, 2]"]),
    ],
)
def test_values_differ_in_kind_value_length_and_fields(expected, given, found):
    assert [*differences(expected, given)] == found
