"""One suite of tests over every way in which a server is run and steered."""

from __future__ import annotations

import pytest

from mock_server import MockServer
from tests.testing.conftest import Run

TESTS = 48


@pytest.mark.ci
@pytest.mark.parametrize(
    "face", ["mock_server", "mock_server_app", "MockServer", "remote"]
)
def test_the_same_tests_pass_on_every_face(
    run: Run, monkeypatch: pytest.MonkeyPatch, face: str
) -> None:
    monkeypatch.setenv("FACE", face)
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if face == "remote" else []
        result = run("steering", "-Werror", *url, alone=True)
        result.assert_outcomes(passed=TESTS)
        assert len(server.sandbox.journal) == 0
