"""Machines as tests: with a server of their own, or on one that is given."""

from __future__ import annotations

import unittest
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import TestCaseProperty, run_state_machine_as_test

from mock_server.api.fixture import load_fixture
from mock_server.control.handle import MockServerFixture
from mock_server.domain.generation import Generation
from mock_server.embedding import MockServer
from mock_server.strategies.stage import Stage

if TYPE_CHECKING:
    from mock_server.strategies.machine import ClientMachine

STEPS = 20
"""Steps of an example: what goes wrong does so within a few, at one time or another."""


def stage_of(
    machine: type[ClientMachine], stack: ExitStack, server: MockServerFixture | None
) -> Stage:
    """A server with a machine's fixture; one that is started ends with the stack."""
    given = machine.fixture
    generation = given if isinstance(given, Generation) else load_fixture(given)
    if server is None:
        return Stage(stack.enter_context(MockServer(generation)).control, generation)
    server.load(generation)
    return Stage(server, generation)


def run_machine(
    machine: type[ClientMachine],
    server: MockServerFixture | None,
    chosen: settings | None,
) -> None:
    """Run a machine as a test. Raises what its examples raise."""
    with ExitStack() as stack:
        own = {"__module__": machine.__module__, "__qualname__": machine.__qualname__}
        own_stage: dict[str, Any] = {"_stage": stage_of(machine, stack, server)}
        # Of the same name, which the story of a failure begins with.
        bound: Any = type(machine)  # a metaclass
        bound = bound(machine.__name__, (machine,), own | own_stage)
        steered = machine.TestCase.settings if chosen is None else chosen
        run_state_machine_as_test(bound, settings=steered)


class TestCases(TestCaseProperty):
    """`TestCase` of a machine, as of any of Hypothesis, with a server for each run."""

    def __get__(self, instance: Any, machine: Any = None) -> Any:
        found: type[ClientMachine] = type(instance) if machine is None else machine
        # The same for each look at it, so that its settings can be assigned.
        if vars(found).get("_test_case") is None:
            found._test_case = _test_case(found)
        return found._test_case


def _test_case(machine: type[ClientMachine]) -> type[unittest.TestCase]:
    class TestCase(unittest.TestCase):
        settings = settings(
            deadline=None,
            suppress_health_check=list(HealthCheck),
            stateful_step_count=STEPS,
            report_multiple_bugs=False,  # one story at a time
            phases=[each for each in Phase if each is not Phase.explain],
        )

        def runTest(self) -> None:  # noqa: N802 - as unittest has it
            run_machine(machine, None, self.settings)

        runTest.is_hypothesis_test = True  # type: ignore[attr-defined]

    TestCase.__name__ = f"{machine.__name__}.TestCase"
    TestCase.__qualname__ = f"{machine.__qualname__}.TestCase"
    return TestCase
