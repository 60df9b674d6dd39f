"""The health check that is made before the command line is loaded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mock_server.quick_check import is_ready
from mock_server.setting_names import VARIABLES
from tests.process import serving
from tests.strangers import STRANGERS, strangers


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with serving("--port=0") as (url, _):
        yield url.rpartition(":")[2]


@pytest.mark.parametrize(
    "args",
    [
        ["--port=P"],
        ["--port", "P"],
        ["--timeout", "0.5", "--port=P", "--host=127.0.0.1"],
        ["--host=0.0.0.0", "--port=P", "--timeout=60"],
    ],
)
def test_a_server_that_is_ready_is_seen(port: str, args: list[str]) -> None:
    assert is_ready([each.replace("P", port) for each in args], {})


def test_its_variables_count_and_others_that_are_known_do_not_matter(port: str) -> None:
    variables = {VARIABLES["port"]: port, VARIABLES["profile"]: "deployed"}
    assert is_ready([], {**variables, "HOME": "/root"})


@pytest.mark.ci
@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["--port"],
        ["--port", "P", "--host"],
        ["--port", "P", "x"],
        ["--port", "P", "--prot", "1"],
        ["--port", "99999"],
        ["--port", "\u0661"],
        ["--port", ""],
        ["--port", "P", "--timeout", ""],
        ["--port", "P", "--timeout", "."],
        ["--port", "P", "--timeout", "nan"],
        ["--port", "P", "--timeout", "86401"],
        ["--port", "P", "--timeout", "0"],
        ["--port", "P", "--host", "localhost"],
        ["--port", "P", "--host", ""],
    ],
)
def test_what_is_not_plain_is_left_to_the_command(port: str, args: list[str]) -> None:
    assert not is_ready([each.replace("P", port) for each in args], {})


@pytest.mark.parametrize(
    "variables",
    [
        {"MOCK_SERVER_PROT": "1"},
        {"MOCK_SERVER_HOST": ""},
        {"MOCK_SERVER_STRICT_SETTINGS": "perhaps"},
        {"MOCK_SERVER_TIMEOUT": "soon"},
    ],
)
def test_so_is_what_has_to_be_said_of_variables(
    port: str, variables: dict[str, str]
) -> None:
    assert not is_ready(["--port", port], variables)


def test_no_stranger_is_taken_for_a_mock_server() -> None:
    with strangers() as strange:
        for name in STRANGERS:
            args = ["--port", str(strange.ports[name]), "--timeout", "0.02"]
            assert not is_ready(args, {}), name
