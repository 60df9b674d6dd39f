"""The properties of the README's tests, with twice as many examples (see conftest.py)."""

from test_har import asked as asked
from test_har import test_a_recorded_reply_comes_again_as_it_came as test_har
from test_hostile import client as client
from test_hostile import test_no_response_is_a_failure_of_the_server as test_hostile
from test_model import test_responses_are_those_of_the_model as test_model
from test_roundtrip import test_a_dump_loads_as_the_same_account as test_roundtrip

__all__ = ["asked", "client", "test_har", "test_hostile", "test_model", "test_roundtrip"]
