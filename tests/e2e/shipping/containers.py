"""Builds the image and runs it: with a container daemon, or else with buildah as root.

Buildah needs neither a daemon nor a registry: its base is made of Debian packages.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from configparser import RawConfigParser
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from tests.e2e.scale.front import free_port
from tests.support import ROOT, fetch

BASE = "localhost/debian-with-python"
IMAGE = "localhost/mock-server-under-test"
PORT = 8000
"""The port that the image listens on if nothing says otherwise."""
BUILD = ROOT / ".ci" / "image"
"""The documented command."""
TIME = 1_700_000_000
"""Of all that buildah puts into an image, in Unix seconds."""
SECONDS = 600
"""How long a step of building may take: it downloads packages."""


def run(*command: str) -> str:
    """The stdout of a command that has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-4_000:]
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{output}")
    return done.stdout


def succeeds(*command: str) -> bool:
    """Whether a command exists and exits with 0."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, timeout=60).returncode == 0


@dataclass
class Container:
    """A container that runs the image with no arguments."""

    url: str
    process: subprocess.Popen[bytes]
    """Exits with the status of the container's first process."""
    stdout: Path
    inside: Sequence[str]
    """What a command line begins with to run in the container."""
    stop: Callable[[], object]
    """Sends SIGTERM to the container's first process."""

    def run(self, *command: str) -> None:
        """Run a command inside that has to succeed.

        What it prints is not given: buildah ends without waiting for what it has read
        of that, and loses it where the machine is busy.
        """
        run(*self.inside, *command)

    def health(self, seconds: float) -> httpx2.Response:
        """The first answer to `GET /__admin/health`, or TimeoutError."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                return fetch("GET", f"{self.url}/__admin/health")
            except httpx2.TransportError:
                time.sleep(0.05)
        raise TimeoutError(f"no answer from {self.url}: {self.stdout.read_text()}")

    def terminate(self, seconds: float) -> int:
        """The exit status after SIGTERM, or TimeoutExpired."""
        self.stop()
        return self.process.wait(timeout=seconds)


def launch(stack: ExitStack, command: Sequence[str]) -> tuple[Any, Path]:
    """A process in a group that the stack kills, and the file of its stdout."""
    stdout = Path(stack.enter_context(TemporaryDirectory())) / "stdout"
    with stdout.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, start_new_session=True)
    stack.enter_context(process)
    stack.callback(kill_group, process.pid)
    return process, stdout


def kill_group(number: int) -> None:
    """Kill the processes of a group, if there are any left."""
    try:
        os.killpg(number, signal.SIGKILL)
    except ProcessLookupError:
        return


class Engine(ABC):
    """What has built the image."""

    config: Mapping[str, Any]
    """What the image says of itself: User, Entrypoint, Healthcheck and others."""

    @abstractmethod
    def files(self, *, of_base: bool = False) -> set[str]:
        """The paths of all files and folders of the image, or of its base."""

    @abstractmethod
    def read(self, path: str) -> str:
        """The text of a file of the image."""

    @abstractmethod
    def start(self, stack: ExitStack) -> Container:
        """A new container, until the stack closes."""


class Docker(Engine):
    """A container daemon; the base comes from a registry."""

    def __init__(self) -> None:
        run("env", "BUILDER=docker build", str(BUILD), f"--tag={IMAGE}")
        (found,) = json.loads(run("docker", "image", "inspect", IMAGE))
        self.config = found["Config"]
        text = (ROOT / "Dockerfile").read_text()
        (self._base,) = re.findall("^ARG PYTHON_IMAGE=(.+)", text, re.MULTILINE)

    def files(self, *, of_base: bool = False) -> set[str]:
        image = self._base if of_base else IMAGE
        return set(self._run(image, "find", "/", "-xdev").splitlines())

    def read(self, path: str) -> str:
        return self._run(IMAGE, "cat", path)

    def start(self, stack: ExitStack) -> Container:
        name, port = f"mock-server-{os.getpid()}-{time.monotonic_ns()}", free_port()
        how = ["--rm", f"--name={name}", f"--publish=127.0.0.1:{port}:{PORT}"]
        stack.callback(succeeds, "docker", "rm", "--force", name)
        process, stdout = launch(stack, ["docker", "run", *how, IMAGE])
        inside = ["docker", "exec", name]
        stop = partial(run, "docker", "kill", "--signal=TERM", name)
        return Container(f"http://127.0.0.1:{port}", process, stdout, inside, stop)

    def _run(self, image: str, command: str, *arguments: str) -> str:
        how = ["--rm", "--user=0", f"--entrypoint={command}"]
        return run("docker", "run", *how, image, *arguments)


class Buildah(Engine):
    """Buildah with a storage of its own; containers share the machine's network."""

    def __init__(self, storage: Path) -> None:
        places = [f"--root={storage}/root", f"--runroot={storage}/run"]
        # A driver that mounts nothing; what a killed run leaves goes with the storage.
        command = ["env", f"TMPDIR={storage}", "buildah", "--storage-driver=vfs"]
        self._buildah = [*command, *places]
        mounts = pip_mounts(storage / "pip.conf")
        self._volumes = [f"--volume={ours}:{it}:ro" for ours, it in mounts.items()]
        self._base = self._make_base(mounts.values())
        self.root = self.build(IMAGE)
        self._container = self._do("from", "--pull=never", IMAGE)
        found = json.loads(self._do("inspect", "--type=image", IMAGE))
        self.config = found["Docker"]["config"]

    def build(self, tag: str) -> Path:
        """The folder with all files of a new image, in which nothing runs."""
        builder = [*self._buildah, "build", "--isolation=chroot", "--pull=never"]
        base = f"--build-arg=PYTHON_IMAGE={BASE}"
        how = ["--format=docker", f"--timestamp={TIME}", f"--tag={tag}", base]
        run("env", f"BUILDER={' '.join(builder)}", str(BUILD), *how, *self._volumes)
        return Path(self._do("mount", self._do("from", "--pull=never", tag)))

    def layers(self, tag: str) -> list[str]:
        """The digests of an image's layers."""
        found = json.loads(self._do("inspect", "--type=image", tag))
        return list(found["OCIv1"]["rootfs"]["diff_ids"])

    def files(self, *, of_base: bool = False) -> set[str]:
        root = Path(self._do("mount", self._base)) if of_base else self.root
        return {f"/{path.relative_to(root)}" for path in root.rglob("*")}

    def read(self, path: str) -> str:
        return (self.root / path.removeprefix("/")).read_text()

    def start(self, stack: ExitStack) -> Container:
        port = free_port()
        inside = self._inside(self._container, f"--env=MOCK_SERVER_PORT={port}")
        process, stdout = launch(stack, [*inside, *self.config["Entrypoint"]])
        stop = partial(terminate_server, process.pid)
        return Container(f"http://127.0.0.1:{port}", process, stdout, inside, stop)

    def _do(self, *arguments: str) -> str:
        return run(*self._buildah, *arguments).strip()

    def _inside(self, container: str, *options: str) -> list[str]:
        return [*self._buildah, "run", "--isolation=chroot", *options, container, "--"]

    def _make_base(self, mount_points: Iterable[Path]) -> str:
        """The container of a new image: Debian, Python, and places to mount at."""
        container = self._do("from", "scratch")
        root = Path(self._do("mount", container))
        bootstrap(root)
        # Buildah makes the latter itself, and an image would bring it.
        for path in (*mount_points, Path("/etc/hosts")):
            place = root / path.relative_to("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(exist_ok=True) if path.is_dir() else place.touch()
        self._do("config", "--env=PATH=/usr/local/bin:/usr/bin:/bin", container)
        self._do("commit", container, BASE)
        return container


def bootstrap(root: Path) -> None:
    """Unpack Debian with Python, of this machine's release and mirror.

    Nothing is set up, which takes most of the time: no package of these needs it to run
    Python.
    """
    mirror, release = debian()
    what = ["--variant=minbase", "--include=python3-venv", release, str(root), mirror]
    # What it mounts ends with its namespace.
    run("unshare", "--mount", "debootstrap", "--foreign", *what)
    packages = root / "var/cache/apt/archives"
    for package in sorted(packages.glob("*.deb")):
        run("dpkg-deb", "--extract", str(package), str(root))
        package.unlink()
    shutil.rmtree(root / "debootstrap")


def debian() -> tuple[str, str]:
    """The mirror and the release of Debian that apt is set to."""
    which = ["Created-By: Packages", "Origin: Debian"]
    listed = run("apt-get", "indextargets", "--format=$(REPO_URI) $(CODENAME)", *which)
    for line in listed.splitlines():
        mirror, _, release = line.partition(" ")
        if "-" not in release:  # such as bookworm-updates
            return mirror, release
    return "http://deb.debian.org/debian", "stable"


def pip_mounts(conf: Path) -> Mapping[Path, Path]:
    """What pip needs to work as on this machine, and where it belongs in a container.

    Writes all of pip's settings to `conf`, those of environment variables too.
    """
    listed = run(sys.executable, "-m", "pip", "config", "list").splitlines()
    settings = {}
    for line in reversed(listed):  # variables come first, and win
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = ast.literal_eval(value)
    parser = RawConfigParser()
    parser.read_dict({"global": settings})
    with conf.open("w") as file:
        parser.write(file)
    certificates = Path("/etc/ssl/certs")
    named = {certificates, *local_paths(settings.values())}
    found = {path for path in named if path.exists()}
    there = {path: path for path in found if certificates not in path.parents}
    return {conf: Path("/etc/pip.conf")} | there


def local_paths(values: Iterable[str]) -> Iterator[Path]:
    """Files and folders that settings name; pages of an index name files beside it."""
    for word in " ".join(values).split():
        if word.startswith("file:///"):
            yield Path(word.removeprefix("file://")).parent
        elif word.startswith("/"):
            yield Path(word)


def terminate_server(runner: int) -> None:
    """Send SIGTERM to the first process below buildah that is another program."""
    below = [runner]
    for number in below:
        if not Path(f"/proc/{number}/cmdline").read_bytes().startswith(b"buildah"):
            os.kill(number, signal.SIGTERM)
            return
        for task in Path(f"/proc/{number}/task").iterdir():
            below.extend(map(int, (task / "children").read_text().split()))
    raise RuntimeError(f"Expected a server below process {runner}, got none")


def missing() -> list[str]:
    """What this machine lacks to build with buildah."""
    programs = ["buildah", "debootstrap", "dpkg-deb", "apt-get"]
    lacks = [each for each in programs if shutil.which(each) is None]
    if not succeeds("unshare", "--mount", "true"):
        lacks.append("root that may mount")
    return lacks


def has_docker() -> bool:
    """Whether a container daemon answers."""
    return succeeds("docker", "version")
