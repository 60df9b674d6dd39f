"""What is used of uvicorn's inside is looked for before a server starts."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

from mock_server import MockServer
from mock_server.wire.uvicorn_internals import (
    USED_CLASSES,
    HttpParser,
    UnsupportedUvicorn,
    UsedClass,
    best_parser,
    check,
)
from tests.support import client_of

BROKEN = "import uvicorn.server; del uvicorn.server.Server.capture_signals\n"
SERVES = "from mock_server.cli.main import main; main(['serve', '--port=0'])"
STARTS = "from mock_server import MockServer; MockServer().start()"


def test_zttp_reads_where_uvicorn_knows_it() -> None:
    knows_it = tuple(map(int, version("uvicorn").split(".")[:2])) >= (0, 52)
    assert best_parser() == ("zttp" if knows_it else "h11")


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_the_installed_packages_have_all_parts(http: HttpParser) -> None:
    check(USED_CLASSES[http])


@pytest.mark.parametrize(
    ("part", "missing"),
    [
        (
            UsedClass("uvicorn.server", "Server", "serve gone"),
            "uvicorn.server.Server.gone",
        ),
        (UsedClass("uvicorn.server", "Gone", ""), "uvicorn.server.Gone"),
        (UsedClass("uvicorn.gone", "Gone", ""), "uvicorn.gone.Gone"),
    ],
)
def test_the_first_that_is_missing_is_named(part: UsedClass, missing: str) -> None:
    with pytest.raises(
        UnsupportedUvicorn, match=f"without {missing} - at the installed"
    ):
        check([*USED_CLASSES["h11"], part])


@pytest.mark.parametrize("how", [SERVES, STARTS])
@pytest.mark.ci
def test_a_uvicorn_that_does_not_fit_is_told_in_a_line(how: str) -> None:
    command = [sys.executable, "-c", BROKEN + how]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    (said,) = (line for line in done.stderr.splitlines() if "Expected uvicorn" in line)
    assert "without uvicorn.server.Server.capture_signals" in said
    assert how is STARTS or "Traceback" not in done.stderr


def test_health_says_which_parser_reads() -> None:
    with MockServer() as server, client_of(server.url) as client:
        assert client.get("/__admin/health").json()["http"] == best_parser()
