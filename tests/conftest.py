"""Fixtures of all tests: an API over every face, in process and on real sockets."""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from functools import cache
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx2
import pytest
from hypothesis import is_hypothesis_test, settings

from mock_server.api.fixture_loading import load_fixture
from mock_server.app import create_app
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.wire.server import running
from mock_server.wire.uvicorn_internals import HttpParser, best_parser
from tests.in_process import InProcess
from tests.support import LIBRARY, Api, Switch, client_of
from tests.target import FACE, lead
from tests.turns import Turns

pytest_plugins = ["pytester"]
# How long something takes is for benchmarks to say.
settings.register_profile("quick", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("ci", deadline=None, max_examples=200, print_blob=True)
settings.register_profile("full", deadline=None, max_examples=2_000, print_blob=True)
SAMPLE = 10
"""Of so many rows of a long table one is tried in quick runs."""
FACES = ["asgi", pytest.param("zttp", marks=pytest.mark.sampled)]
"""In process, and a tenth over a socket; in CI all, with the second parser, too."""
_LONGEST = "tests/openapi/test_schemathesis.py"
H11 = [pytest.param("h11", marks=pytest.mark.ci)]
MakeApi = Callable[..., Api]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which server the behaviour suite is for, if not for those that it starts."""
    parser.addoption("--target-url", help="run what has a face on this server, alone")
    parser.addoption("--turns", action="store_true", help="list the longest turns")


def tier(config: pytest.Config) -> str:
    """Which tests run: `quick`, or by marker `ci` or `full`."""
    marker = str(config.option.markexpr)
    return marker if marker in ("ci", "full") else "quick"


def pytest_configure(config: pytest.Config) -> None:
    """The same few examples of properties in every quick run, many others in longer."""
    # Where that is set, as in many images, all processes that tests start would compile
    # all modules again: half of the time that they take to start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    settings.load_profile(tier(config))
    if tier(config) == "quick":
        # Clients of examples trust what the machine trusts, but reach no other machine:
        # to read all certificates would take each of them 25 ms.
        os.environ.pop("SSL_CERT_FILE", None)
        os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)
    if config.option.turns:
        config.pluginmanager.register(Turns())


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep the garbage collector from looking at what lives to the end of the run.

    Collection makes some hundred megabytes of tests. Each run of pytest inside a test
    ends by a search of all memory for garbage, which would take half a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        if tier(session.config) == "quick":
            # Tests make much and keep little: rarer looks save 5 % of a run.
            gc.set_threshold(20_000, 20, 50)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Decide what is in the longer runs too, or only there."""
    longer = tier(config)
    if config.option.target_url:
        keep(is_for_any, items, config)
    if longer == "ci":
        keep(lambda item: item.get_closest_marker("full") is None, items, config)
    has_zttp = best_parser() == "zttp"
    for item in items:
        is_property = is_hypothesis_test(getattr(item, "obj", None))
        if is_property and longer != "quick":
            item.add_marker(longer)
        if is_left_out(item) or (has_zttp and is_twin(item)):
            item.add_marker(pytest.mark.ci)
        if not has_zttp and "zttp" in parameters(item):
            item.add_marker(pytest.mark.skip("this uvicorn does not know zttp"))
    # What takes minutes comes first: at the end a worker would be alone with it.
    items.sort(key=lambda item: not item.nodeid.startswith(_LONGEST))


def keep(
    wanted: Callable[[pytest.Item], bool],
    items: list[pytest.Item],
    config: pytest.Config,
) -> None:
    """Leave out all other tests."""
    config.hook.pytest_deselected(items=[each for each in items if not wanted(each)])
    items[:] = filter(wanted, items)


def parameters(item: pytest.Item) -> list[object]:
    """What a test is run with."""
    call = getattr(item, "callspec", None)
    return list(call.params.values()) if call else []


def is_for_any(item: pytest.Item) -> bool:
    """Whether a test can be run on a server that somebody else has started."""
    return FACE in parameters(item) and item.get_closest_marker("fresh") is None


def is_left_out(item: pytest.Item) -> bool:
    """Whether a row of a long table is for CI only.

    Those on the face in process stay.
    """
    is_table = item.get_closest_marker("sampled") is not None
    fixtures = getattr(item, "fixturenames", ())
    is_over_a_socket = "zttp" in parameters(item) or "strange" in fixtures
    return is_table and is_over_a_socket and crc32(item.nodeid.encode()) % SAMPLE != 0


def is_twin(item: pytest.Item) -> bool:
    """Whether a test is run with the second HTTP parser where parsers matter little.

    In tests/wire mutants are found by these that the other parser's tests let live.
    """
    return "h11" in parameters(item) and not item.nodeid.startswith("tests/wire/")


@pytest.fixture(scope="session")
def live() -> Iterator[Callable[[HttpParser], tuple[Switch, str]]]:
    """One real server per HTTP parser; its application can be switched."""
    with ExitStack() as stack:
        servers: dict[HttpParser, tuple[Switch, str]] = {}

        def server(http: HttpParser) -> tuple[Switch, str]:
            if http not in servers:
                switch = Switch()
                url = stack.enter_context(running(switch, http=http))
                servers[http] = switch, url
            return servers[http]

        yield server


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what has a face on each: in process, and over a socket with either parser."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "face" in metafunc.fixturenames and not any("face" in m.args[0] for m in marks):
        config = metafunc.config
        of_ci = [] if tier(config) == "quick" else H11
        faces = [FACE] if config.option.target_url else [*FACES, *of_ci]
        metafunc.parametrize("face", faces)


def loaded(fixture: Any, options: dict[str, Any]) -> Any:
    """A fixture as an application may share it with others: it never changes."""
    if isinstance(fixture, dict) and not {"limits", "memory"} & {*options}:
        return _generation(json.dumps(fixture))
    return fixture


@cache
def _generation(document: str) -> FixtureData:
    return load_fixture(json.loads(document))


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """Collect the log records of a test."""
    handler = BufferingHandler(sys.maxsize)
    logging.getLogger().addHandler(handler)
    yield handler.buffer
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def make_api(
    face: str, live: Callable[[str], tuple[Switch, str]], pytestconfig: pytest.Config
) -> Iterator[MakeApi]:
    """Makes an API over a fixture, by default the library."""
    with ExitStack() as stack:

        def make(fixture: Any = LIBRARY, **options: Any) -> Api:
            if face == FACE:
                target = client_of(pytestconfig.option.target_url)
                return lead(stack.enter_context(target), fixture, **options)
            app = create_app(loaded(fixture, options), **options)
            client: httpx2.Client
            if face == "asgi":
                client = InProcess(app)
            else:
                switch, url = live(face)
                switch.app = app
                client = client_of(url)
            return Api(stack.enter_context(client), app.sandbox)

        yield make


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    """The library under profile `documented`."""
    return make_api()
