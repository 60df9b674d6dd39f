"""The server gives the answers that a second, plain model gives."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any, cast

import pytest

from mock_server import Fault
from mock_server.api.faults.answer import Answer
from mock_server.domain.faults import placeholders
from mock_server.domain.faults.faults import Faults
from mock_server.domain.faults.firing import Request, RequestHead
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.memory import Memory
from tests.model import scripted as model


def as_sent(given: dict[str, Any]) -> Request:
    """A request as the application hands it to the faults of a sandbox."""
    read_head = partial(RequestHead, f"/x/{given['path']['id']}", given["query"], {})
    return Request((model.ROUTE,), ("", ""), given["body"], read_head=read_head)


def given_by(faults: Faults, request: Request) -> tuple[int, Any] | None:
    """Which answer the server gives, and its JSON."""
    firing = faults.answer(request, 0)
    if firing is None:
        return None
    value = cast(Answer, firing.fault.definition).json
    known = {
        "body": request.body,
        "query": request.head.query,
        "path": request.parameters(model.ROUTE),
        "count": firing.count,
    }
    filled = placeholders.fill(value, known, 1_000_000)
    return int(firing.fault.id[1:]) - 1, filled


def check(number: int) -> int:
    """Compare both in one story; gives how many answers were given."""
    random, story, answered = Random(number), model.Story(), 0
    faults = Faults(lambda: 0.0, Memory(), DEFAULT_LIMITS)
    for _ in range(random.randrange(2, 12)):
        request = model.a_request(random)
        if random.random() < 0.4:
            fields = model.an_answer(random, request)
            story.answers.append(model.Answer(fields))
            faults.add(Fault("answer", operation=model.ROUTE, **fields))
        found = given_by(faults, as_sent(request))
        assert found == story.answer(request), (number, request)
        answered += found is not None
    return answered


@pytest.mark.parametrize(
    "stories",
    [
        range(300),
        pytest.param(range(300, 3_000), marks=pytest.mark.ci),
        pytest.param(range(3_000, 103_000), marks=pytest.mark.full),
    ],
)
def test_stories_go_as_the_model_says(stories: range) -> None:
    assert sum(map(check, stories)) > len(stories)
