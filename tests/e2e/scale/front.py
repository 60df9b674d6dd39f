"""Replicas in processes of their own, behind the nginx of the shipped configuration."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from mock_server.wire.server import bind
from tests.support import ROOT, fetch

TEMPLATE = ROOT / ".github/examples/nginx.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
_MAIN = """\
daemon off;
{user}
worker_processes {workers};
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    {temporary}
    {shipped}
}}
"""
_STORES = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def free_port() -> int:
    """A port that nobody listens on now."""
    with bind("127.0.0.1", 0) as listener:
        port: int = listener.getsockname()[1]
        return port


def shipped_path(replicas: Sequence[str], port: int) -> str:
    """The shipped configuration, for these addresses."""
    text = TEMPLATE.read_text()
    line = re.search(r"( *server )mock-1:8000(.*;\n)", text)
    assert line is not None
    servers = [f"{line[1]}{url.removeprefix('http://')}{line[2]}" for url in replicas]
    text = re.sub(r"( *server mock-\d:8000.*\n)+", "".join(servers), text)
    return text.replace("listen 8000;", f"listen 127.0.0.1:{port};")


def is_root() -> bool:
    """Whether nginx would run its workers as somebody else."""
    return getattr(os, "geteuid", lambda: 1)() == 0


@contextmanager
def front(replicas: Sequence[str], *, workers: int = 1) -> Iterator[str]:
    """An nginx in front of servers; gives its URL."""
    assert NGINX is not None
    port = free_port()
    with TemporaryDirectory() as folder:
        stores = [f"{each}_temp_path {folder}/{each};" for each in _STORES]
        main = Path(folder) / "nginx.conf"
        main.write_text(
            _MAIN.format(
                user="user root;" if is_root() else "",  # who owns the folder
                workers=workers,
                folder=folder,
                temporary=" ".join(stores),
                shipped=shipped_path(replicas, port),
            )
        )
        process = subprocess.Popen([NGINX, "-p", folder, "-c", main])
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process)
            yield url
        finally:
            process.terminate()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    """Return once it takes connections."""
    while process.poll() is None:
        try:
            fetch("GET", url + "/__admin/health")
        except httpx2.ConnectError:
            continue
        return
    raise RuntimeError("nginx has ended, see what it said")
