"""The image, built and run: what whoever runs it relies on."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from packaging.utils import canonicalize_name

from mock_server import __version__
from tests.behaviour import check_behaviour
from tests.e2e.shipping.containers import (
    BASE,
    IMAGE,
    Buildah,
    Container,
    Docker,
    Engine,
    has_docker,
    missing,
    run,
)
from tests.e2e.shipping.locks import locked
from tests.support import ROOT, SECONDS

pytestmark = pytest.mark.ci


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
        started.health(SECONDS)
        yield started


def test_it_answers_with_no_arguments_given(image: Engine) -> None:
    assert not image.config.get("Cmd")
    with ExitStack() as stack:
        answer = image.start(stack).health(SECONDS)
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


def test_it_runs_as_a_user_who_is_not_root(container: Container) -> None:
    container.run("sh", "-c", 'test "$(id -u)" -gt 0')


def test_it_has_what_every_command_needs(container: Container) -> None:
    lines = (
        "import pkgutil, importlib, mock_server",
        "for each in pkgutil.walk_packages(mock_server.__path__, 'mock_server.'):",
        "    try: importlib.import_module(each.name)",
        "    except ModuleNotFoundError as error:",
        "        assert error.name in ('hypothesis', 'pytest'), error",
    )
    container.run("python", "-c", "\n".join(lines))


def test_its_health_check_succeeds_inside(image: Engine, container: Container) -> None:
    how, *command = image.config["Healthcheck"]["Test"]
    assert how == "CMD"
    container.run(*command)


def test_sigterm_ends_it_with_0_and_one_line_is_all_it_has_said(image: Engine) -> None:
    with ExitStack() as stack:
        started = image.start(stack)
        started.health(SECONDS)
        assert started.terminate(SECONDS) == 0
        assert re.fullmatch(r"READY http://\S+\n", started.stdout.read_text())


def test_it_adds_the_program_and_the_fixtures_to_its_base(image: Engine) -> None:
    added = image.files() - image.files(of_base=True)
    compiled = {path for path in added if "__pycache__" in path}
    assert {path.split("/")[1] for path in added - compiled} == {"fixtures", "venv"}


def test_the_program_takes_at_most_25_mb(container: Container) -> None:
    lines = (
        "import pathlib",
        "files = [each.lstat() for each in pathlib.Path('/venv').rglob('*')]",
        "assert sum(each.st_size for each in files) <= 25_000_000",
    )
    container.run("python", "-c", "\n".join(lines))


def test_it_lists_every_package_of_the_lock_in_the_locked_version(
    image: Engine,
) -> None:
    bill = json.loads(image.read("/venv/sbom.cdx.json"))
    assert bill["bomFormat"] == "CycloneDX"
    listed = {(name_of(each), each["version"]) for each in bill["components"]}
    assert listed == {*locked().items(), ("fastgpt-mock-server", __version__)}


def name_of(component: dict[str, str]) -> str:
    return canonicalize_name(component["name"])


def test_its_labels_say_version_commit_and_base(image: Engine) -> None:
    prefix = "org.opencontainers.image."
    labels = {
        name.removeprefix(prefix): value
        for name, value in image.config["Labels"].items()
        if name.startswith(prefix)
    }
    commit = run("git", "-C", str(ROOT), "rev-parse", "HEAD").strip()
    assert labels["version"] == __version__
    assert labels["revision"].removesuffix("-dirty") == commit
    assert labels["base.name"] in ("python:3.13-slim", BASE)
    assert datetime.fromisoformat(labels["created"]) <= datetime.now(UTC)
    assert "licenses" not in labels


@pytest.mark.full
def test_two_builds_make_the_same_layers(image: Engine) -> None:
    if not isinstance(image, Buildah):
        pytest.skip("only buildah is told a time for all files")
    again = f"{IMAGE}-again"
    assert differences(image.root, image.build(again)) == []
    assert image.layers(again) == image.layers(IMAGE)


def differences(one: Path, other: Path) -> list[str]:
    """The paths of files that differ in more than their time."""
    before, after = facts(one), facts(other)
    return sorted(
        path
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    )


def facts(root: Path) -> dict[str, tuple[object, ...]]:
    """What the files below a folder are, but for their times."""
    found: dict[str, tuple[object, ...]] = {}
    for path in root.rglob("*"):
        status, content = path.lstat(), b""
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        name, owner = str(path.relative_to(root)), (status.st_uid, status.st_gid)
        found[name] = (status.st_mode, *owner, sha256(content).hexdigest())
    return found


def test_it_behaves_as_a_server_in_process(container: Container) -> None:
    check_behaviour(container.url)


def test_neither_documentation_nor_tests_are_in_it(image: Engine) -> None:
    ours = [path for path in image.files() if "/mock_server" in path]
    assert any(path.endswith("/mock_server/app.py") for path in ours)
    assert not [
        path for path in ours if re.search(r"/(docs|tests|test_\w+\.py)\b", path)
    ]
