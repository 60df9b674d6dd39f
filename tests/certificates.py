"""Certificates for servers of tests."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl is not installed"
)


def new_certificate(folder: Path) -> Path:
    """A certificate of 127.0.0.1 in a new file; its key is in another beside it."""
    path = folder / "both.pem"
    new = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    names = ["-subj", "/CN=mock", "-addext", "subjectAltName=IP:127.0.0.1"]
    where = ["-nodes", "-keyout", f"{path}.key", "-out", str(path)]
    command = ["openssl", "req", *new, *names, "-days", "2", *where]
    subprocess.run(command, check=True, capture_output=True)
    return path


def serving_context(certificate: Path) -> ssl.SSLContext:
    """What a server shows the certificate with."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, f"{certificate}.key")
    return context
