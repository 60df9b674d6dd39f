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
KIND = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
NAMES = ("-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1")


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """The address of a server, and the folder of its certificate, as SSL_CERT_DIR needs it."""
    folder = tmp_path_factory.mktemp("certificates")
    file = folder / "ca.pem"
    key = tmp_path_factory.mktemp("keys") / "key.pem"
    run_command("openssl", "req", "-x509", *NAMES, *KIND, "-keyout", key, "-out", file)
    run_command("openssl", "rehash", folder)
    settings = {"lifespan": "off", "log_config": None, "ssl_keyfile": key, "ssl_certfile": file}
    server = uvicorn.Server(uvicorn.Config(create_app(), **settings))
    with listening_socket("127.0.0.1", 0) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}", folder
        server.should_exit = True
        thread.join(10)


@pytest.mark.parametrize(("variable", "name"), [("SSL_CERT_FILE", "ca.pem"), ("SSL_CERT_DIR", "")])
def test_a_private_ca_counts(secure, run, pytester, monkeypatch, variable, name):
    url, folder = secure
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    for each in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(each, raising=False)
    assert run("wait", "--url", url, "--timeout", "0")[0] == 4
    monkeypatch.setenv(variable, str(folder / name))
    assert run("wait", "--url", url) == (0, "ready\n", "")
    assert Control.at(url).key
    pytester.makepyfile("def test_it(mock_server): assert mock_server.key")
    options = ("-pno:asyncio", *OPTIONS, f"--mock-server-url={url}")
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=1)
