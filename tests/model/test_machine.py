"""Random stories: the server answers over a socket as the model says, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from mock_server.domain.choices.table import table
from tests.model import asking
from tests.model.administration import Administration, same
from tests.model.answers import Answer
from tests.model.choices import CHOICES, Choices
from tests.model.sandbox import Sandbox
from tests.model.service import Request, Service
from tests.model.wire import Reply, Subject, served
from tests.model.world import DOCUMENTS

Maker = Callable[[Random, Sandbox, str], Request]
MAKERS: dict[str, Maker] = {
    "p": asking.pin,
    "l": asking.listing,
    "n": asking.related,
}
MIXES = ["pllnnnnc", "nnnnnnc", "plnnnnc", "nnnnc", "plln", "llnc"]
"""What stories are made of: pins, lists, related routes, administrators' changes."""
# In a larger range Hypothesis would draw small numbers most of the time. Of several at
# once it makes less ado; 0 is no step, so that it can shrink each of them away.
several = st.tuples(*[st.integers(0, 2**23)] * 8)


class Machine(RuleBasedStateMachine):
    """A server, and a model of it. What a step does follows from its numbers alone."""

    subject: ClassVar[Subject]
    number: ClassVar[str]
    counted: ClassVar[list[int]]
    """How many steps there have been, in all stories."""

    @initialize(
        mix=st.sampled_from(MIXES),
        document=st.sampled_from([0, 0, 1]),
        version=st.sampled_from(CHOICES["version"].values),
    )
    def begin(self, mix: str, document: int, version: str) -> None:
        self.mix = mix
        wire, profile, token = self.subject
        _, view = wire.admin("PUT", "/state", DOCUMENTS[document])
        default = Sandbox("default", DOCUMENTS[document], profile, {})
        default.generation = view["generation"]
        self.service = Service(default, profile)
        self.service.tokens[token] = "default", "root"
        self.admin = Administration(self.subject, self.service)
        chosen: Choices = {"version": version}
        got = self.admin.call(default, "PUT", "/choices", {"choices": chosen})
        same(got, 200, default.choose(profile, chosen))

    @rule(numbers=several)
    def steps(self, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            if number > 0:
                self.step(number)

    def step(self, number: int) -> None:
        """What follows from a number: a request, or a change by an administrator."""
        self.counted[0] += 1
        random = Random(number)
        kind = random.choice(self.mix)
        try:
            if kind == "c":
                self.admin.step(random)
            else:
                self.ask(MAKERS[kind], random)
        except AssertionError as error:
            raise self.failure(str(error)) from None

    def ask(self, make: Maker, random: Random) -> None:
        """Send a request to both, and compare the answers."""
        known = list(self.service.sandboxes.values())
        faulty = [each for each in known if any(it.remaining for it in each.faults)]
        sandbox = random.choice(faulty if faulty and random.random() < 0.5 else known)
        token = self.admin.tokens.get(sandbox.name, self.subject.token)
        request = make(random, sandbox, token)
        if self.admin.gone and random.random() < 0.03:
            key = random.choice(self.admin.gone)
            request = request._replace(authorization=(f"Bearer {key}",))
        self.admin.done.append(told(request))
        expected = self.service.answer(request)
        problem = differing(self.subject.wire.send(request), expected)
        assert not problem, problem

    def failure(self, problem: str) -> AssertionError:
        """The story so far, and what is not as expected."""
        story = "\n".join(self.admin.done)
        which = f"stories of number {self.number}, profile {self.subject.profile}"
        return AssertionError(f"{problem}\n\nin {which}:\n{story}")

    def teardown(self) -> None:
        """In the end all sandboxes hold what the model says; none is left."""
        if not hasattr(self, "admin"):
            return
        admin, default = self.admin, self.service.default
        try:
            for sandbox in self.service.sandboxes.values():
                admin.look(sandbox, None)  # type: ignore[arg-type]
        except AssertionError as error:
            raise self.failure(str(error)) from None
        finally:
            for name in [*self.service.sandboxes][1:]:
                admin.wire.admin("DELETE", f"/sandboxes/{name}")
            for name in default.snapshots:
                admin.wire.admin("DELETE", f"/snapshots/{name}")


def told(request: Request) -> str:
    """A request as a story tells it."""
    query = f"?{request.query}" if request.query else ""
    parts = [request.method, request.path + query, *request.authorization]
    if request.token is not None:
        parts.append(f"token {request.token}")
    if request.content_type not in (None, "application/json"):
        parts.append(f"({request.content_type})")
    return " ".join([*parts, request.content.decode("utf-8", "replace")])


_MESSAGE = re.compile("Expected .+, got .+ - at .+", re.DOTALL)


def differing(reply: Reply, expected: Answer) -> str:
    """In what an answer is not the expected one; empty if in nothing."""
    if expected.headers.get("x-mock-hint") == "?":
        reply.headers["x-mock-hint"] = "?"  # any, as the message
    wanted = expected.status, expected.headers
    if (reply.status, reply.headers) != wanted:
        return f"got {reply}, expected {expected}"
    if isinstance(expected.body, str):
        return "" if reply.body.decode() == expected.body else f"{reply}, {expected}"
    if expected.is_exact:
        text = compact(expected.body)
        return "" if reply.body == text else f"got {reply.body!r}, expected {text!r}"
    got, body = json.loads(reply.body), expected.body
    if compact(got) != reply.body:
        return f"{reply.body!r} is not compact"
    if isinstance(body, dict) and body.get("zodError", ()) is None:
        got["zodError"] = None
    if isinstance(body, dict) and "message" in body and body["message"] is None:
        if not _MESSAGE.fullmatch(got["message"]):
            return f"the message of {got}"
        got["message"] = None
    return "" if got == body else f"got {got}, expected {body}"


def compact(value: Any) -> bytes:
    """JSON without spaces, as the server writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


STORY, STORIES = 15, 10
"""Eight times the steps of a story, and the stories of a run: after ten, Hypothesis
would begin to vary old ones, which finds little and takes most of the time."""


def run(number: int, steps: int) -> None:
    """So many steps, in stories that follow from a number."""
    profile = "documented" if number % 3 == 2 else "deployed"
    with served(profile) as subject:
        counted = [0]
        for part in count():
            more = {
                "subject": subject,
                "number": f"{number}-{part}",
                "counted": counted,
            }
            machine = seed(number * 1_000 + part)(type("Machine", (Machine,), more))
            run_state_machine_as_test(machine, settings=SETTINGS)
            if counted[0] >= steps:
                return


SETTINGS = settings(
    max_examples=STORIES,
    stateful_step_count=STORY,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)


@pytest.mark.parametrize(
    ("number", "steps"),
    [
        pytest.param(0, 400),
        *[pytest.param(it, 5_000, marks=pytest.mark.ci) for it in range(10, 20)],
        *[pytest.param(it, 10_000, marks=pytest.mark.full) for it in range(100, 200)],
    ],
)
def test_the_server_answers_as_the_model_does(number: int, steps: int) -> None:
    run(number, steps)


def test_the_model_knows_every_value_of_every_choice() -> None:
    known = {
        name: (row.values, row.documented, row.deployed)
        for name, row in CHOICES.items()
    }
    assert known == {
        name: (row.values, row.documented, row.deployed)
        for name, row in table().items()
    }


def test_the_model_imports_nothing_of_the_server() -> None:
    drivers = {"wire.py", "test_machine.py"}
    for file in Path(__file__).parent.glob("*.py"):
        if file.name not in drivers:
            assert "import mock_server" not in file.read_text("utf-8"), file.name
            assert "from mock_server" not in file.read_text("utf-8"), file.name
