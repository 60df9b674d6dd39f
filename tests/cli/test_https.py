"""Commands against a server behind TLS."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.certificates import needs_openssl, new_certificate, serving_context
from tests.process import COMMAND, environment
from tests.strangers import Strange, answer, drips, says, strangers

pytestmark = needs_openssl
RESET = answer(body=json.dumps({"sandbox": "tls", "generation": 2}).encode())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def strange(certificate: Path) -> Iterator[Strange]:
    served = {"reset": says(RESET), "dripping": drips(b"HTTP/1.1 200 OK\r\nX: ", b"a")}
    with strangers(served, serving_context(certificate)) as running:
        yield running


def reset(strange: Strange, name: str, **variables: str) -> tuple[int, str, str]:
    url = strange.url(name).replace("http://", "https://")
    seconds = "0.5" if name == "dripping" else "20"
    done = subprocess.run(
        [*COMMAND, "reset", "--url", url, "--timeout", seconds],
        capture_output=True,
        text=True,
        timeout=30,
        env=environment(**variables),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.ci
def test_a_server_that_shows_a_known_certificate_is_believed(
    strange: Strange, certificate: Path
) -> None:
    status, out, err = reset(strange, "reset", SSL_CERT_FILE=str(certificate))
    assert (status, err) == (0, "")
    assert json.loads(out) == {"sandbox": "tls", "generation": 2}


@pytest.mark.ci
def test_a_server_that_shows_another_one_is_not(strange: Strange) -> None:
    status, out, err = reset(strange, "reset")
    assert (status, out) == (3, "")
    assert "certificate verify failed" in err
    assert len(err.splitlines()) == 1


@pytest.mark.ci
def test_time_runs_out_behind_tls_too(strange: Strange, certificate: Path) -> None:
    status, _, err = reset(strange, "dripping", SSL_CERT_FILE=str(certificate))
    assert (status, "no full response in 0.5 s (is " in err) == (3, True)
