"""Several servers behind nginx: what a key leads to, and what is lost with a server."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import httpx2
import pytest

from tests.e2e.scale.front import NGINX, TEMPLATE, free_port, front
from tests.process import serving
from tests.support import LIST, PIN, client_of, fetch

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
]
SNIPPET = TEMPLATE.with_name("sandboxes.py").read_text()
APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "delivery-late"
Sandbox = dict[str, Any]


class Cluster:
    """Two replicas and the front before them; a replica can be stopped and started."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._runs: dict[str, ExitStack] = {}
        self.replicas = [self.start(free_port()) for _ in range(2)]
        self.url = stack.enter_context(front(self.replicas))
        self._snippet: dict[str, Any] = {}
        exec(SNIPPET.replace("http://localhost:8000", self.url), self._snippet)

    def start(self, port: int) -> str:
        """A new process on that port."""
        run = self._stack.enter_context(ExitStack())
        url, _ = run.enter_context(serving(f"--port={port}"))
        self._runs[url] = run
        return url

    def kill(self, url: str) -> None:
        """End a replica at once."""
        self._runs.pop(url).close()

    def make_sandbox(self) -> Sandbox:
        """A sandbox, made as the README says."""
        made: Sandbox = self._snippet["make_sandbox"]()
        return made

    def sandbox(self, made: Sandbox, path: str = "") -> Any:
        """What the admin API says of a sandbox, through the front."""
        return self._snippet["admin"]("GET", f"/{made['name']}{path}", made["key"])

    def add_fault(self, made: Sandbox, kind: str) -> None:
        self._snippet["admin"](
            "POST", f"/{made['name']}/faults", made["key"], kind=kind
        )

    def send(self, key: str, *, top: bool = True) -> httpx2.Response:
        """A pin, through the front."""
        body = {"appId": APP, "chatId": CHAT, "top": top}
        headers = {"Authorization": f"Bearer {key}"}
        return fetch("PUT", self.url + PIN, json=body, headers=headers)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack)


def names(replica: str) -> set[str]:
    """The sandboxes of a replica beside the default one."""
    found = fetch("GET", replica + "/__admin/sandboxes").json()["sandboxes"]
    return {each["name"] for each in found} - {"default"}


def keys(replica: str) -> set[str]:
    """The keys that have come to the default sandbox of a replica, redacted."""
    entries = fetch("GET", replica + "/__admin/journal").json()["entries"]
    return {entry["key"] for entry in entries}


def test_every_key_leads_to_one_replica_and_both_have_some(cluster: Cluster) -> None:
    for _ in range(3):
        for number in range(40):
            assert cluster.send(f"client-{number}").status_code == 200
    one, other = map(keys, cluster.replicas)
    assert one
    assert other
    assert not one & other
    assert len(one | other) == 40


def test_sandboxes_never_cross(cluster: Cluster) -> None:
    made = [cluster.make_sandbox() for _ in range(16)]

    def use(number: int) -> set[str]:
        answers = [cluster.send(made[number]["key"], top=bool(n)) for n in range(4)]
        answers.append(cluster.send(made[number]["key"], top=number % 2 == 0))
        assert {each.status_code for each in answers} == {200}
        return {each.headers["x-mock-sandbox"] for each in answers}

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(use, range(len(made))))
    for number, each in enumerate(made):
        assert seen[number] == {each["name"]}
        assert cluster.sandbox(each, "/journal")["total"] == 5
        chat = cluster.sandbox(each, f"/apps/{APP}/chats/{CHAT}")
        assert chat["top"] is (number % 2 == 0)


def test_sandboxes_are_spread_and_none_is_left_behind(cluster: Cluster) -> None:
    made = {cluster.make_sandbox()["name"] for _ in range(24)}
    one, other = map(names, cluster.replicas)
    assert one
    assert other
    assert one | other == made


def test_a_lost_replica_takes_its_own_sandboxes_and_says_so(cluster: Cluster) -> None:
    lost, kept = cluster.replicas
    of_lost, of_kept = one_on(cluster, lost), one_on(cluster, kept)
    cluster.kill(lost)
    assert cluster.send(of_lost["key"]).status_code == 502
    assert cluster.send(of_kept["key"]).status_code == 200
    assert cluster.start(int(lost.rsplit(":", 1)[1])) == lost
    refused = cluster.send(of_lost["key"])
    assert (refused.status_code, refused.json()["statusText"]) == (401, "unauthorized")
    assert cluster.send(of_kept["key"]).headers["x-mock-sandbox"] == of_kept["name"]
    assert cluster.sandbox(of_kept, "/journal")["total"] == 2
    assert fetch("GET", lost + "/__admin/health").json()["generation"] == 1
    assert names(lost) == set()


def one_on(cluster: Cluster, replica: str) -> Sandbox:
    """A sandbox that this replica has."""
    made = (cluster.make_sandbox() for _ in range(1_000))
    return next(each for each in made if each["name"] in names(replica))


def test_with_an_admin_token_replicas_are_called_directly() -> None:
    with ExitStack() as stack:
        start = partial(serving, "--port=0", "--admin-token=t")
        replicas = [stack.enter_context(start())[0] for _ in range(2)]
        url, seen = stack.enter_context(front(replicas)), set()
        token = {"Authorization": "Bearer t"}
        replica = stack.enter_context(client_of("", headers=token))
        for number in range(40):
            name = f"run-{number}"
            address = replicas[0] + "/__admin/sandboxes"
            made = replica.post(address, json={"name": name}).json()
            headers = {"Authorization": f"Bearer {made['key']}"}
            answer = fetch("POST", url + LIST, headers=headers, json={})
            leads_there = answer.headers["x-mock-sandbox"] == name
            assert leads_there is (answer.status_code == 400)
            seen.add(leads_there)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("kind", "status"), [("error", 503), ("reset", 502), ("empty", 502)]
)
def test_faults_of_the_connection_are_502_behind_a_proxy(
    cluster: Cluster, kind: str, status: int
) -> None:
    made = cluster.make_sandbox()
    cluster.add_fault(made, kind)
    assert cluster.send(made["key"]).status_code == status
    assert cluster.send(made["key"]).status_code == 200


def test_a_large_body_is_refused_by_the_server_not_by_the_proxy(
    cluster: Cluster,
) -> None:
    headers = {"Authorization": "Bearer k", "Content-Type": "application/json"}
    answer = fetch(
        "POST", cluster.url + LIST, content=b" " * 2**20 + b"{}", headers=headers
    )
    assert (answer.status_code, answer.json()["statusText"]) == (413, "bodyTooLarge")
