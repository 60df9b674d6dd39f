"""What a machine promises: right clients pass, whatever server they are driven on."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

import pytest
from hypothesis import settings

from mock_server import MockServerFixture
from mock_server.strategies import ClientMachine
from tests.machine.careful import CarefulMachine

FEW = settings(CarefulMachine.TestCase.settings, max_examples=2, database=None)


@pytest.mark.ci
def test_a_right_client_passes_on_a_server_that_is_given(
    mock_server: MockServerFixture,
) -> None:
    CarefulMachine.run(mock_server, settings=FEW)
    assert mock_server.journal


@pytest.mark.parametrize(
    "examples",
    [
        pytest.param(25, marks=pytest.mark.ci),
        pytest.param(100, marks=pytest.mark.full),
    ],
)
def test_a_right_client_passes_as_often_as_is_usual(examples: int) -> None:
    usual = settings(FEW, max_examples=examples, derandomize=True)
    CarefulMachine.run(settings=usual)


def test_a_machine_is_a_test_case_as_hypothesis_has_it() -> None:
    class Machine(CarefulMachine):
        pass

    Machine.TestCase.settings = FEW
    result = unittest.TestResult()
    Machine.TestCase("runTest").run(result)
    assert (result.testsRun, result.wasSuccessful()) == (1, True)
    assert CarefulMachine.TestCase.settings is not FEW


def test_a_story_can_be_run_by_hand() -> None:
    state = CarefulMachine()
    state.begin(choices={"tags_empty": "absent"})
    state.check_pin(chat=("app-1", "one"), top=True, with_fault={"kind": "reset"})
    state.add(folder=("few", "guides"), name="New")
    state.check_list_folder(folder=("few", "guides"), with_fault=None)
    state.switch_key(key="guest-key")
    state.check_search(dataset="few", text="faq", with_fault=None)
    state.teardown()


def test_a_right_client_waits_by_the_clock_of_the_sandbox() -> None:
    state = CarefulMachine()
    state.begin(choices={})
    late = {"kind": "error", "status": 429, "retryAfter": 3600}
    state.check_pin(chat=("app-1", "one"), top=True, with_fault=late)
    state.teardown()


def test_a_chat_that_a_pin_should_have_created_is_missed() -> None:
    class Idle(CarefulMachine):
        choices: ClassVar[dict[str, Any]] = {"chat_unknown": "create"}

        def pin(self, app_id: str, chat_id: str, top: bool) -> None:
            """Sends nothing."""

    state = Idle()
    state.begin(choices={})
    with pytest.raises(AssertionError, match="to be pinned, got missing"):
        state.check_pin(chat=("app-1", "missing"), top=True, with_fault=None)
    state.teardown()


def test_a_machine_without_a_method_to_call_says_so() -> None:
    class Machine(ClientMachine):
        def start(self, url: str, key: str) -> None:
            raise NotImplementedError

    with pytest.raises(TypeError, match="a method of pin, list_folder, search"):
        Machine()


def test_what_a_client_cannot_do_is_no_rule() -> None:
    class Machine(ClientMachine):
        def search(self, dataset_id: str, text: str) -> list[Any]:
            return [dataset_id, text]

    names = {each.function.__name__ for each in Machine().rules}
    assert names == {"add", "check_search", "switch_key"}


def test_each_machine_has_one_test_case_of_its_own() -> None:
    own = CarefulMachine.TestCase
    assert own is CarefulMachine.TestCase
    assert ClientMachine.TestCase.settings.stateful_step_count > 0
    assert own is not ClientMachine.TestCase
