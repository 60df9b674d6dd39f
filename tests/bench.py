"""Costs of the server as a Markdown table: `python tests/bench.py`, some two minutes, on Linux.

Both the server and the canned route use uvloop (`pip install -e '.[fast]'`) and httptools; the
route is on uvicorn's own protocol.

What is compared runs in turn, so that a noisy machine hits all alike: the median of the rounds,
and in brackets the figure of the least costs. Costs are CPU of the server's process. With
16 connections, a request is sent on each before any response is read; with one connection, the
machine's waking up hides a part of what the server costs. mountebank is installed by npm into
a temporary folder.
"""

import json
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from http.client import HTTPResponse
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, PIPE, Popen, run
from sysconfig import get_path
from time import clock_gettime, process_time
from timeit import timeit
from typing import Any

import httpx2
from account import LIST, PIN

from mock_server import MockServer

ROUNDS = 12
REQUESTS = 480
CONNECTIONS = 16
MOCK = (str(Path(get_path("scripts"), "mock-server")), "--port", "0")
SCALES = {"": 1, "s": 1, "ms": 1e3, "µs": 1e6}
# What is measured : its figures, from seconds of CPU : their target.
ROWS = """
list / canned Starlette route, with 16 connections : listed_16/listed_route_16 listed_16=µs : ≤ 2.5
pin / canned Starlette route, with 16 connections : pin_16/pin_route_16 pin_16=µs : ≤ 2.5
list / mountebank, with 16 connections : listed_16/npm_16 : ≤ 0.3
list, pin, search / canned Starlette route, with one connection : listed/listed_route \
pin/pin_route search/search_route : -
list / mountebank, pytest-httpserver, with one connection : listed/npm \
listed/pytest_httpserver : -
list among 100,000 / list among 100 : listed_100000/listed_100 : 1
reset, snapshot, sandbox / list : reset/listed snapshot/listed sandbox/listed : -
the same beyond GET snapshots, with 100, with 100,000 collections : reset-get=µs snapshot-get=µs \
sandbox-get=µs reset_100000-get_100000=µs snapshot_100000-get_100000=µs \
sandbox_100000-get_100000=µs : ≤ 50 µs
Control.reset, .fault / httpx2 GET : control_reset/httpx2 fault/httpx2 control_reset/50=ms : ≤ 1 ms
start / import of starlette and uvicorn : start/bare start=s : ≤ 0.4 s
10,000 collections: load, list after a write, search : load_10000=s relisted_10000=ms \
search_10000=ms : ≤ 1.5 s, 15 ms, 15 ms
the same with 100,000 : load_100000=s relisted_100000=ms search_100000=ms : works
"""
# One function route of Starlette, on the loop of the server.
CANNED = """
import socket, sys, uvicorn
from starlette import applications, responses, routing
body = sys.argv[2].encode()
async def canned(request):
    await request.body()
    return responses.Response(body, media_type="application/json")
route = routing.Route(sys.argv[1], canned, methods=["POST", "PUT"])
listener = socket.create_server(("127.0.0.1", 0))
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(listener.getsockname()[1], flush=True)
parts = {"http": "httptools", "log_config": None, "server_header": False}
parts |= {"loop": "uvloop", "proxy_headers": False}
uvicorn.Server(uvicorn.Config(applications.Starlette(routes=[route]), **parts)).run([listener])
"""
PYTEST_HTTPSERVER = """
import sys, pytest_httpserver
with pytest_httpserver.HTTPServer(port=0) as server:
    server.expect_request(sys.argv[1]).respond_with_data(sys.argv[2])
    print(server.port, flush=True)
    input()
"""
BARE = sys.executable, "-c", "import starlette, uvicorn; print(0, flush=True); input()"
Costs = dict[str, Callable[[], float]]


class Server(Popen[str]):
    """A child process that says its port on stdout when it is ready, and a connection to it."""

    def __init__(self, *command: str, cwd: str | None = None) -> None:
        super().__init__(
            command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8", cwd=cwd
        )
        self.port = int(self.stdout.readline().rpartition(":")[2])
        self.connections: list[socket.socket | None] = [None] * CONNECTIONS
        self.clock = ~self.pid << 3 | 2  # of its CPU; see clock_getcpuclockid(3)

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.communicate()

    def send(self, request: bytes, connections: int = 1) -> str:
        """The body of the last response: a request is sent on each of so many connections."""
        for number in range(connections):
            connection = self.connections[number]
            if connection is None:
                connection = socket.create_connection(("127.0.0.1", self.port))
                self.connections[number] = connection
            connection.sendall(request)
        for number in range(connections):
            response = HTTPResponse(self.connections[number])
            response.begin()
            content = response.read().decode()
            assert response.status < 300, content
            # A connection stays if the server keeps it.
            if response.will_close:
                self.connections[number] = None
        return content

    @classmethod
    def start(cls, *command: str) -> float:
        with cls(*command) as server:
            return clock_gettime(server.clock)

    def cost(
        self, request: bytes, *, after: bytes | None = None, times: int = REQUESTS, connections=1
    ) -> float:
        """Seconds of CPU for a request, the mean of some after another on new connections."""
        self.connections = [None] * CONNECTIONS
        self.send(after or request, connections)
        before = clock_gettime(self.clock)
        for _ in range(times // connections):
            self.send(request, connections)
        return (clock_gettime(self.clock) - before) / times


def request(method: str, path: str, **fields: Any) -> bytes:
    body = json.dumps(fields)
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any-key\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n{body}".encode()


ASKED = {"listed": request("POST", LIST, offset=0, datasetId="6593e137231a2be9c5603bb1")}
ASKED |= {"pin": request("PUT", PIN, appId="65d8a1f0c3b2a94e7f106a01", chatId="warranty", top=True)}
ASKED |= {"search": request("POST", LIST, offset=0, datasetId="many", searchText="article 00001")}
LISTED = request("POST", LIST, offset=0, datasetId="many", parentId=None)
WRITTEN = request("PUT", "/__admin/datasets/many/collections/c1", _id="c1", name="New")
ADMIN = {"get": request("GET", "/__admin/snapshots"), "reset": request("POST", "/__admin/reset")}
ADMIN |= {"snapshot": request("PUT", "/__admin/snapshots/one")}
ADMIN |= {"sandbox": request("POST", "/__admin/sandboxes", ttl=0.001)}


def many(folder: str, count: int) -> str:
    """A fixture whose dataset has so many collections; a search finds ten of them."""
    collections = [{"_id": f"c{n}", "name": f"Article {n:06}"} for n in range(count)]
    path = Path(folder, f"{count}.json")
    path.write_text(json.dumps({"datasets": [{"id": "many", "collections": collections}]}), "utf-8")
    return str(path)


def mountebank(folder: str, path: str, content: str) -> Server | None:
    """mountebank with one stub; None if npm cannot install it."""
    if run("npm install mountebank", shell=True, cwd=folder, capture_output=True).returncode:
        return None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # It would log on stdout that it listens, and then each request.
    start = f"echo 0; exec node node_modules/mountebank/bin/mb --loglevel error --port {port}"
    server = Server("sh", "-c", start, cwd=folder)
    says = {"is": {"headers": {"Connection": "Keep-Alive"}, "body": content}}
    stub = {"predicates": [{"equals": {"path": path}}], "responses": [says]}
    made = {"protocol": "http", "stubs": [stub]}
    with httpx2.Client(transport=httpx2.HTTPTransport(retries=8)) as client:
        server.port = client.post(f"http://127.0.0.1:{port}/imposters", json=made).json()["port"]
    return server


def small(stack: ExitStack, folder: str) -> Costs:
    """Requests of a small account, and the same to canned routes and to peers."""
    costs: Costs = {}

    def add(name: str, server: Server, sent: bytes) -> None:
        costs[name] = partial(server.cost, sent)
        costs[f"{name}_16"] = partial(server.cost, sent, connections=CONNECTIONS)

    def peer(code: str, sent: bytes) -> Server:
        command = sys.executable, "-c", code, sent.split()[1].decode(), mock.send(sent)
        return stack.enter_context(Server(*command))

    mock = stack.enter_context(Server(*MOCK, "demo", many(folder, 100)))
    for name, sent in ASKED.items():
        add(name, mock, sent)
        add(f"{name}_route", peer(CANNED, sent), sent)
    if find_spec("pytest_httpserver"):
        server = peer(PYTEST_HTTPSERVER, ASKED["listed"])
        costs["pytest_httpserver"] = partial(server.cost, ASKED["listed"])
    npm = mountebank(folder, LIST, mock.send(ASKED["listed"]))
    if npm:
        add("npm", stack.enter_context(npm), ASKED["listed"])
    costs["listed_100"] = partial(mock.cost, LISTED)
    return costs | {name: partial(mock.cost, sent) for name, sent in ADMIN.items()}


def large(stack: ExitStack, folder: str, count: int) -> Costs:
    """Requests of a large account."""
    fixture = many(folder, count)
    mock = stack.enter_context(Server(*MOCK, fixture))
    costs = {name: partial(mock.cost, sent) for name, sent in ADMIN.items()}
    costs["search"] = partial(mock.cost, ASKED["search"], times=5)
    costs["listed"] = partial(mock.cost, LISTED)
    costs["relisted"] = partial(mock.cost, LISTED, after=WRITTEN, times=1)
    costs["load"] = partial(Server.start, *MOCK, fixture)
    return {f"{name}_{count}": it for name, it in costs.items()}


def python(stack: ExitStack) -> Costs:
    """Starts, and calls from Python, of which client and server are threads of this process."""
    mock = stack.enter_context(MockServer())
    client = stack.enter_context(httpx2.Client())
    server = getattr(mock, "control", mock)
    get = partial(client.get, f"{mock.url}/__admin/health")
    calls = {"httpx2": get, "fault": partial(server.fault, "error"), "control_reset": server.reset}
    costs = {name: partial(timeit, it, timer=process_time, number=50) for name, it in calls.items()}
    return costs | {"start": partial(Server.start, *MOCK), "bare": partial(Server.start, *BARE)}


def figure(word: str, rounds: list[dict[str, float]]) -> str:
    """The median of `a/b` or `a-b=unit`, and what it is of the least costs."""
    expression, _, unit = word.partition("=")
    least = {name: min(each[name] for each in rounds) for name in rounds[0]}
    try:
        values = [eval(expression, {}, each) * SCALES[unit] for each in (least, *rounds)]
    except NameError as error:
        return f"not measured: {error.name}"
    return f"{median(values[1:]):.3g} ({values[0]:.3g}) {unit}".strip()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        costs = small(stack, folder) | large(stack, folder, 10_000) | large(stack, folder, 100_000)
        costs |= python(stack)
        rounds = [{name: it() for name, it in costs.items()} for _ in range(ROUNDS)]
    print("| CPU of | median (least) | target |\n|---|---|---|")
    for line in ROWS.strip().splitlines():
        what, words, target = line.split(" : ")
        print(f"| {what} | {' · '.join(figure(it, rounds) for it in words.split())} | {target} |")


if __name__ == "__main__":
    main()
