"""A server behind TLS: its certificate may be that of a private CA, and no proxy is asked."""

import shutil
from threading import Thread

import pytest
import uvicorn
from commands import run_command
from test_pytest_plugin import OPTIONS, loaded

from mock_server import Control, create_app
from mock_server.http.server import listening_socket

__all__ = ["loaded"]
pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is missing")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a key, and below it one with its certificate, as SSL_CERT_DIR needs it."""
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "ca").mkdir()
    names = ("-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1")
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    files = ("-keyout", folder / "key.pem", "-out", folder / "ca/ca.pem")
    run_command("openssl", "req", "-x509", *names, *kind, *files)
    run_command("openssl", "rehash", folder / "ca")
    return folder


@pytest.fixture(scope="module")
def url(folder):
    files = {"ssl_keyfile": folder / "key.pem", "ssl_certfile": folder / "ca/ca.pem"}
    server = uvicorn.Server(uvicorn.Config(create_app(), lifespan="off", log_config=None, **files))
    with listening_socket("127.0.0.1", 0) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


@pytest.mark.parametrize(
    ("variable", "name"), [("SSL_CERT_FILE", "ca/ca.pem"), ("SSL_CERT_DIR", "ca")]
)
def test_a_private_ca_counts_and_a_proxy_does_not(
    url, folder, run, pytester, monkeypatch, variable, name
):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    code, _, told = run("wait", "--url", url, "--timeout", "0")
    assert code == 4 and "certificate" in told
    monkeypatch.setenv(variable, str(folder / name))
    assert run("wait", "--url", url) == (0, "ready\n", "")
    assert Control.at(url).key
    pytester.makepyfile("def test_it(mock_server): assert mock_server.key")
    result = pytester.runpytest_inprocess("-pno:asyncio", *OPTIONS, f"--mock-server-url={url}")
    result.assert_outcomes(passed=1)
