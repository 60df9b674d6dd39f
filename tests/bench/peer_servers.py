"""Other mock servers: where they come from, and how they give one answer.

Each is installed by its name from the registry that npm or pip is set up with.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.references import Canned

HOST = "127.0.0.1"
JSON = {"Content-Type": "application/json"}
HTTPSERVER = Path(__file__).parent / "peer_httpserver.py"
MSW = Path(__file__).parent / "peer_msw.cjs"


@dataclass(frozen=True)
class Place:
    """Where a peer is to listen (and where else it may), what to answer, and folders:
    where it is installed, and one for its own files.
    """

    port: int
    spare_port: int
    canned: Canned
    installed: Path
    own: Path

    def program(self, name: str) -> str:
        """A program of an installed npm package."""
        return str(self.installed / "node_modules" / ".bin" / name)

    def written(self, name: str, content: object) -> str:
        """A JSON file for the peer."""
        file = self.own / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content))
        return str(file)


@dataclass(frozen=True)
class Peer:
    """A mock server. `command` writes what it reads, and says how it is started.

    `path` is where it gives the answer, to GET, if it knows none for a POST; `beside`
    names packages that are installed with it.
    """

    name: str
    package: str
    command: Callable[[Place], Sequence[str]]
    is_npm: bool = True
    path: str | None = None
    beside: Sequence[str] = ()

    def install(self, folder: Path) -> Path:
        """Install it in a folder of its own, unless it is there; gives that.

        Raises CalledProcessError and FileNotFoundError.
        """
        home = folder / self.package.replace("/", "-")
        done = home / "installed"
        if not done.exists():
            home.mkdir(parents=True, exist_ok=True)
            pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(home)]
            npm = ["npm", "install", "--prefix", str(home), "--ignore-scripts"]
            command = [*(npm if self.is_npm else pip), self.package, *self.beside]
            subprocess.run(command, capture_output=True, check=True)
            done.touch()
        return home

    def version(self, home: Path) -> str:
        """What was installed."""
        if self.is_npm:
            file = home / "node_modules" / self.package / "package.json"
            return str(json.loads(file.read_text())["version"])
        stem = self.package.replace("-", "_")
        return next(home.glob(f"{stem}-*.dist-info")).stem.removeprefix(f"{stem}-")


def wiremock(*options: str) -> Callable[[Place], Sequence[str]]:
    """WireMock, whose npm package holds the jar; it needs java."""

    def command(place: Place) -> Sequence[str]:
        canned = place.canned
        asked = {"method": canned.method, "urlPath": canned.path}
        given = {"status": 200, "headers": JSON, "body": canned.body}
        place.written("mappings/list.json", {"request": asked, "response": given})
        jar = next(place.installed.glob("node_modules/wiremock/build/*.jar"))
        where = f"--port={place.port}", f"--bind-address={HOST}"
        return ["java", "-jar", str(jar), *where, f"--root-dir={place.own}", *options]

    return command


def mockoon(place: Place) -> Sequence[str]:
    """Mockoon's command line, without templates in the answer."""
    canned = place.canned
    response = {
        "uuid": "r",
        "statusCode": 200,
        "headers": [{"key": name, "value": value} for name, value in JSON.items()],
        "bodyType": "INLINE",
        "body": canned.body,
        "disableTemplating": True,
        "default": True,
    }
    route = {
        "uuid": "e",
        "type": "http",
        "method": canned.method.lower(),
        "endpoint": canned.path.lstrip("/"),
        "responses": [response],
    }
    data = place.written("mockoon.json", environment(place.port, route))
    where = "--port", str(place.port), "--hostname", HOST
    options = "--data", data, *where, "--disable-log-to-file"
    return [place.program("mockoon-cli"), "start", *options]


def environment(port: int, route: Mapping[str, object]) -> dict[str, Any]:
    """A file of Mockoon with one route."""
    return {
        "uuid": "v",
        "lastMigration": 33,
        "name": "list",
        "port": port,
        "hostname": HOST,
        "routes": [route],
        "rootChildren": [{"type": "route", "uuid": "e"}],
    }


def prism(place: Place) -> Sequence[str]:
    """Prism, which answers the example of an OpenAPI document."""
    canned = place.canned
    content = {"application/json": {"example": json.loads(canned.body)}}
    operation = {
        "requestBody": {"content": {"application/json": {"schema": {}}}},
        "responses": {"200": {"description": "A page", "content": content}},
    }
    document = {
        "openapi": "3.0.3",
        "info": {"title": "list", "version": "1"},
        "paths": {canned.path: {canned.method.lower(): operation}},
    }
    file = place.written("openapi.json", document)
    return [place.program("prism"), "mock", file, "-p", str(place.port), "-h", HOST]


def mountebank(place: Place) -> Sequence[str]:
    """mountebank, with one imposter."""
    canned = place.canned
    asked = {"equals": {"method": canned.method, "path": canned.path}}
    given = {"is": {"statusCode": 200, "headers": JSON, "body": canned.body}}
    imposter = {
        "port": place.port,
        "host": HOST,
        "protocol": "http",
        "stubs": [{"predicates": [asked], "responses": [given]}],
    }
    file = place.written("imposters.json", {"imposters": [imposter]})
    where = "--port", str(place.spare_port), "--localOnly"
    return [place.program("mb"), "start", *where, "--configfile", file, "--nologfile"]


def json_server(place: Place) -> Sequence[str]:
    """json-server, with the answer as a resource."""
    file = place.written("db.json", {"list": json.loads(place.canned.body)})
    where = "--port", str(place.port), "--host", HOST
    return [place.program("json-server"), file, *where]


def scripted(*program: str) -> Callable[[Place], Sequence[str]]:
    """A library that a program of ours serves the answer with."""

    def command(place: Place) -> Sequence[str]:
        canned = place.canned
        file = place.written("canned.json", [canned.method, canned.path, canned.body])
        return [*program, str(place.installed), str(place.port), file]

    return command


httpserver = scripted(sys.executable, str(HTTPSERVER))
msw = scripted("node", str(MSW))


PEERS = (
    Peer("WireMock", "wiremock", wiremock()),
    Peer("WireMock without journal", "wiremock", wiremock("--no-request-journal")),
    Peer("Mockoon", "@mockoon/cli", mockoon),
    Peer("Prism", "@stoplight/prism-cli", prism),
    Peer("mountebank", "mountebank", mountebank),
    Peer("MSW", "msw", msw, beside=["@mswjs/http-middleware"]),
    Peer("json-server", "json-server", json_server, path="/list"),
    Peer("pytest-httpserver", "pytest-httpserver", httpserver, is_npm=False),
)
