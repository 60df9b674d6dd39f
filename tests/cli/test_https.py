"""Commands against a server behind TLS."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import COMMAND, environment
from tests.strangers import Strange, answer, drips, says, strangers

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl is not installed"
)
RESET = answer(body=json.dumps({"sandbox": "tls", "generation": 2}).encode())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of 127.0.0.1 in one file."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    new = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    names = ["-subj", "/CN=mock", "-addext", "subjectAltName=IP:127.0.0.1"]
    where = ["-nodes", "-keyout", str(path) + ".key", "-out", str(path)]
    command = ["openssl", "req", *new, *names, "-days", "2", *where]
    subprocess.run(command, check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def strange(certificate: Path) -> Iterator[Strange]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, f"{certificate}.key")
    served = {"reset": says(RESET), "dripping": drips(b"HTTP/1.1 200 OK\r\nX: ", b"a")}
    with strangers(served, context) as running:
        yield running


def reset(strange: Strange, name: str, **variables: str) -> tuple[int, str, str]:
    url = strange.url(name).replace("http://", "https://")
    done = subprocess.run(
        [*COMMAND, "reset", "--url", url, "--timeout", "0.5"],
        capture_output=True,
        text=True,
        timeout=30,
        env=environment(**variables),
    )
    return done.returncode, done.stdout, done.stderr


def test_a_server_that_shows_a_known_certificate_is_believed(
    strange: Strange, certificate: Path
) -> None:
    status, out, err = reset(strange, "reset", SSL_CERT_FILE=str(certificate))
    assert (status, err) == (0, "")
    assert json.loads(out) == {"sandbox": "tls", "generation": 2}


def test_a_server_that_shows_another_one_is_not(strange: Strange) -> None:
    status, out, err = reset(strange, "reset")
    assert (status, out) == (3, "")
    assert "certificate verify failed" in err
    assert len(err.splitlines()) == 1


def test_time_runs_out_behind_tls_too(strange: Strange, certificate: Path) -> None:
    status, _, err = reset(strange, "dripping", SSL_CERT_FILE=str(certificate))
    assert (status, err.endswith("no whole answer in 0.5 s\n")) == (3, True)
