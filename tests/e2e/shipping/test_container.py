"""The image, built and run: what whoever runs it relies on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.shipping.containers import (
    Buildah,
    Container,
    Docker,
    Engine,
    has_docker,
    missing,
)

pytestmark = pytest.mark.full
READY_SECONDS, STOP_SECONDS = 10, 3


@pytest.fixture(scope="module")
def image() -> Iterator[Engine]:
    if has_docker():
        yield Docker()
    elif lacks := missing():
        pytest.skip(f"no container daemon; to build without one: {', '.join(lacks)}")
    else:
        # Several copies of a Debian: more than a /tmp in memory may take.
        with TemporaryDirectory(dir="/var/tmp") as storage:
            yield Buildah(Path(storage))


@pytest.fixture(scope="module")
def container(image: Engine) -> Iterator[Container]:
    """A container that is ready."""
    with ExitStack() as stack:
        started = image.start(stack)
        started.health(READY_SECONDS)
        yield started


def test_it_answers_with_no_arguments_given(image: Engine) -> None:
    assert not image.config.get("Cmd")
    with ExitStack() as stack:
        answer = image.start(stack).health(READY_SECONDS)
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


def test_it_runs_as_a_user_who_is_not_root(container: Container) -> None:
    assert container.run("id", "-u").strip() not in ("", "0")


def test_its_health_check_succeeds_inside(image: Engine, container: Container) -> None:
    how, *command = image.config["Healthcheck"]["Test"]
    assert how == "CMD"
    container.run(*command)


def test_sigterm_ends_it_with_0_and_one_line_is_all_it_has_said(image: Engine) -> None:
    with ExitStack() as stack:
        started = image.start(stack)
        started.health(READY_SECONDS)
        assert started.terminate(STOP_SECONDS) == 0
        assert re.fullmatch(r"READY http://\S+\n", started.stdout.read_text())


def test_it_adds_the_program_and_the_fixtures_to_its_base(image: Engine) -> None:
    added = image.files() - image.files(of_base=True)
    compiled = {path for path in added if "__pycache__" in path}
    assert {path.split("/")[1] for path in added - compiled} == {"fixtures", "venv"}


def test_neither_documentation_nor_tests_are_in_it(image: Engine) -> None:
    ours = [path for path in image.files() if "/mock_server" in path]
    assert any(path.endswith("/mock_server/app.py") for path in ours)
    assert not [
        path for path in ours if re.search(r"/(docs|tests|test_\w+\.py)\b", path)
    ]
