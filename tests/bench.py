"""Costs of the server as a Markdown table: `python tests/bench.py`, some two minutes, on Linux.

What is compared runs in turn, so that a noisy machine hits all alike. A figure is the median
of the rounds, and in brackets that of the least costs. It is CPU of the server's process, for
one client on one connection. mountebank (by npm, into a temporary folder) and pytest-httpserver
are left out where they cannot be had.
"""

import json
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from http.client import HTTPResponse
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, PIPE, Popen, run
from sysconfig import get_path
from time import clock_gettime, process_time
from typing import Any

import httpx2

from mock_server import MockServer

ROUNDS, REQUESTS, CALLS = 9, 200, 50
LIST, PIN = "/api/core/dataset/collection/listV2", "/api/core/chat/history/updateHistory"
MOCK = (str(Path(get_path("scripts"), "mock-server")), "--port", "0")
SCALES = {"": 1, "s": 1, "ms": 1e3, "µs": 1e6}
# What is measured : its figures, from seconds of CPU : their target.
ROWS = """
list / canned Starlette route : listed/listed_route listed=µs : ≤ 1.45
pin / canned Starlette route : pin/pin_route pin=µs : ≤ 1.45
search among 100 / canned Starlette route : search/search_route search=µs : ≤ 2
list / mountebank, pytest-httpserver : listed/npm listed/pytest_httpserver : ≤ 0.33
reset, snapshot, sandbox / list : reset/listed snapshot/listed sandbox/listed : -
the same, above GET snapshots, with 100 and 100,000 collections : reset-get=µs snapshot-get=µs \
sandbox-get=µs reset_100000-get_100000=µs snapshot_100000-get_100000=µs \
sandbox_100000-get_100000=µs : ≤ 50 µs
Control.reset, .fault / httpx2 GET : control_reset/httpx2 fault/httpx2 control_reset=ms : ≤ 1 ms
start / import of starlette and uvicorn : start/bare_start start=s : ≤ 0.4 s
10,000 collections: load, list after a write, search : load_10000=s relisted_10000=ms \
search_10000=ms : ≤ 1.5 s, 15 ms, 15 ms
the same with 100,000 : load_100000=s relisted_100000=ms search_100000=ms : works
"""
# One function route of Starlette, served as the server is.
CANNED = """
import socket, sys, uvicorn
from importlib.util import find_spec
from starlette import applications, responses, routing
body = sys.argv[2].encode()
async def canned(request):
    await request.body()
    return responses.Response(body, media_type="application/json")
route = routing.Route(sys.argv[1], canned, methods=["POST", "PUT"])
listener = socket.create_server(("127.0.0.1", 0))
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(listener.getsockname()[1], flush=True)
parts = {"http": "zttp" if find_spec("zttp") else "h11", "lifespan": "off", "ws": "none"}
parts |= {"loop": "uvloop" if find_spec("uvloop") else "asyncio", "proxy_headers": False}
parts |= {"server_header": False, "log_config": None, "access_log": False}
uvicorn.Server(uvicorn.Config(applications.Starlette(routes=[route]), **parts)).run([listener])
"""
PYTEST_HTTPSERVER = """
import sys, pytest_httpserver
with pytest_httpserver.HTTPServer(port=0) as server:
    route = server.expect_request(sys.argv[1])
    route.respond_with_data(sys.argv[2], content_type="application/json")
    print(server.port, flush=True)
    input()
"""
BARE = "import starlette, uvicorn; print(0, flush=True); input()"
Costs = dict[str, Callable[[], float]]


class Server(Popen[str]):
    """A child process that says its port on stdout when it is ready, and a connection to it."""

    def __init__(self, *command: str, cwd: str | None = None) -> None:
        super().__init__(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, cwd=cwd)
        assert self.stdout  # a pipe
        self.port = int(self.stdout.readline().rpartition(":")[2])
        self.connection: socket.socket | None = None

    def __exit__(self, *error: Any) -> None:
        self.kill()
        super().__exit__(*error)

    @property
    def cpu(self) -> float:
        """Seconds of CPU that the process has used; see clock_getcpuclockid(3)."""
        return clock_gettime(~self.pid << 3 | 2)

    def send(self, request: bytes) -> str:
        """The body of the response, on a connection that stays if the server keeps it."""
        address = "127.0.0.1", self.port
        self.connection = self.connection or socket.create_connection(address)
        self.connection.sendall(request)
        response = HTTPResponse(self.connection)
        response.begin()
        content = response.read().decode()
        self.connection = None if response.will_close else self.connection
        assert response.status < 300, content
        return content

    def cost(self, *requests: bytes, times: int = REQUESTS) -> float:
        """Seconds of CPU for the last of these requests, the mean of so many."""
        for each in requests[:-1]:
            self.send(each)
        before = self.cpu
        for _ in range(times):
            self.send(requests[-1])
        return (self.cpu - before) / times


def start(*command: str) -> float:
    """The CPU of a server until it is ready."""
    with Server(*command) as server:
        return server.cpu


def request(method: str, path: str, **fields: Any) -> bytes:
    body = json.dumps(fields).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any-key\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


ASKED = {
    "listed": request("POST", LIST, offset=0, datasetId="6593e137231a2be9c5603bb1"),
    "pin": request("PUT", PIN, appId="65d8a1f0c3b2a94e7f106a01", chatId="warranty", top=True),
    "search": request("POST", LIST, offset=0, datasetId="many", searchText="article 00001"),
}
LISTED_MANY = request("POST", LIST, offset=0, datasetId="many")
WRITTEN = request("PUT", "/__admin/datasets/many/collections/c1", _id="c1", name="New")
ADMIN = {
    "get": request("GET", "/__admin/snapshots"),
    "reset": request("POST", "/__admin/reset"),
    "snapshot": request("PUT", "/__admin/snapshots/one"),
    "sandbox": request("POST", "/__admin/sandboxes", ttl=0.001),  # at most 1,000 may be alive
}


def many(folder: str, count: int) -> str:
    """A fixture whose dataset has so many collections; a search finds ten of them."""
    item = '{"_id": "c%d", "name": "Article %06d", "updateTime": "2024-01-%02dT00:00:00Z"}'
    items = ",".join(item % (n, n, n % 30 + 1) for n in range(count))
    path = Path(folder, f"{count}.json")
    path.write_text('{"datasets": [{"id": "many", "collections": [%s]}]}' % items)
    return str(path)


def mountebank(folder: str, content: str) -> Server | None:
    """mountebank with one stub; None if npm cannot install it."""
    if run("npm install mountebank", shell=True, cwd=folder, capture_output=True).returncode:
        return None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # It would log on stdout that it listens, and then each request.
    start = f"echo 0; exec node node_modules/mountebank/bin/mb --loglevel error --port {port}"
    server = Server("sh", "-c", start, cwd=folder)
    headers = {"Content-Type": "application/json", "Connection": "Keep-Alive"}
    stubs = [{"responses": [{"is": {"headers": headers, "body": content}}]}]
    with httpx2.Client(transport=httpx2.HTTPTransport(retries=8)) as client:
        wanted = {"protocol": "http", "stubs": stubs}
        server.port = client.post(f"http://127.0.0.1:{port}/imposters", json=wanted).json()["port"]
    return server


def small(stack: ExitStack, folder: str) -> Costs:
    """Requests of a small account, and the same to canned routes and to peers."""

    def peer(code: str, sent: bytes) -> Callable[[], float]:
        command = sys.executable, "-c", code, sent.split()[1].decode(), mock.send(sent)
        return partial(stack.enter_context(Server(*command)).cost, sent)

    mock = stack.enter_context(Server(*MOCK, "demo", many(folder, 100)))
    costs = {f"{name}_route": peer(CANNED, sent) for name, sent in ASKED.items()}
    if find_spec("pytest_httpserver"):
        costs["pytest_httpserver"] = peer(PYTEST_HTTPSERVER, ASKED["listed"])
    if npm := mountebank(folder, mock.send(ASKED["listed"])):
        costs["npm"] = partial(stack.enter_context(npm).cost, ASKED["listed"])
    return costs | {name: partial(mock.cost, sent) for name, sent in (ASKED | ADMIN).items()}


def large(stack: ExitStack, folder: str) -> Costs:
    """Requests of large accounts."""
    costs: Costs = {}
    for size in (10_000, 100_000):
        mock = stack.enter_context(Server(*MOCK, fixture := many(folder, size)))
        these = {name: partial(mock.cost, sent) for name, sent in ADMIN.items()}
        these["load"] = partial(start, *MOCK, fixture)
        these["search"] = partial(mock.cost, ASKED["search"], times=5)
        these["relisted"] = partial(mock.cost, WRITTEN, LISTED_MANY, times=1)
        costs |= {f"{name}_{size}": it for name, it in these.items()}
    return costs


def python(stack: ExitStack) -> Costs:
    """Calls from Python, of which client and server are threads of this process."""
    mock, client = stack.enter_context(MockServer()), stack.enter_context(httpx2.Client())
    server, url = getattr(mock, "control", mock), f"{mock.url}/__admin/health"

    def cost(call: Callable[..., Any], *arguments: str) -> float:
        before = process_time()
        for _ in range(CALLS):
            call(*arguments)
        return (process_time() - before) / CALLS

    calls = {"httpx2": (client.get, url), "fault": (server.fault, "error")}
    calls["control_reset"] = (server.reset,)
    return {name: partial(cost, *call) for name, call in calls.items()}


def figure(word: str, rounds: list[dict[str, float]]) -> str:
    """The median, and that of the least costs, of `a/b` or `a-b`, maybe in a unit."""
    expression, _, unit = word.partition("=")
    try:
        values = [eval(expression, {}, each) * SCALES[unit] for each in rounds]
    except NameError:
        return f"not measured: {expression.rpartition('/')[2]}"
    least = {name: min(each[name] for each in rounds) for name in rounds[0]}
    return f"{median(values):.3g} ({eval(expression, {}, least) * SCALES[unit]:.3g}) {unit}".strip()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        costs = small(stack, folder)
        rounds = [{name: it() for name, it in costs.items()} for _ in range(3 * ROUNDS)]
        costs = large(stack, folder) | python(stack)
        costs["start"] = partial(start, *MOCK)
        costs["bare_start"] = partial(start, sys.executable, "-c", BARE)
        slow = [{name: it() for name, it in costs.items()} for _ in range(ROUNDS)]
        rounds = [one | other for one, other in zip(rounds, 3 * slow, strict=True)]
    print("| CPU of | median (least) | target |\n|---|---|---|")
    for line in ROWS.strip().splitlines():
        what, words, target = line.split(" : ")
        print(f"| {what} | {' · '.join(figure(it, rounds) for it in words.split())} | {target} |")


if __name__ == "__main__":
    main()
