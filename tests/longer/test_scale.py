"""Replicas behind nginx, with the configuration of docs/guides/scale.md."""

import re
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from account import HISTORIES, PIN, bearer
from commands import run_command

from mock_server import MockServer

PAGE = Path(__file__).parents[2] / "docs/guides/scale.md"
APP = "65d8a1f0c3b2a94e7f106a01"
CHAT = "refund-4711"
pytestmark = pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is missing")


@pytest.fixture(scope="module")
def replicas() -> Iterator[list[MockServer]]:
    with MockServer() as one, MockServer() as two:
        yield [one, two]


@pytest.fixture(scope="module")
def nginx(replicas: list[MockServer], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of nginx before the replicas."""
    folder = tmp_path_factory.mktemp("nginx")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (text,) = re.findall(r"^```nginx\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    text = text.replace("http {", "http {\n  access_log off;")
    text = text.replace("listen 8000", f"listen {port}")
    for shown, replica in zip(("8001", "8002"), replicas, strict=True):
        text = text.replace(f"127.0.0.1:{shown}", replica.url.removeprefix("http://"))
    (folder / "nginx.conf").write_text(text, "utf-8")
    command = ["nginx", "-p", folder, "-c", folder / "nginx.conf"]
    command += ["-g", f"pid {folder}/pid; error_log {folder}/log;"]
    run_command(*command)  # it returns when the port is open
    yield f"http://127.0.0.1:{port}"
    run_command(*command, "-s", "stop")


@pytest.fixture(autouse=True)
def fresh(replicas: list[MockServer]) -> None:
    for replica in replicas:
        replica.reset()


def pin(url: str, key: str, top: bool = False, **headers: str) -> int:
    """The status of a pin."""
    body = {"appId": APP, "chatId": CHAT, "top": top}
    return httpx2.put(url + PIN, json=body, headers=headers | bearer(key)).status_code


def tops(url: str, key: str) -> list[bool]:
    """Whether the chat is pinned in the list of a key."""
    body = {"appId": APP, "pageSize": 30}
    response = httpx2.post(url + HISTORIES, json=body, headers=bearer(key))
    return [it["top"] for it in response.json()["data"]["list"] if it["chatId"] == CHAT]


def create_sandbox(url: str, **headers: str) -> str:
    response = httpx2.post(f"{url}/__admin/sandboxes", json={"ttl": 60}, headers=headers)
    return str(response.json()["key"])


def test_requests_with_one_authorization_reach_one_replica(nginx, replicas):
    keys = [f"key-{n}" for n in range(21)]
    assert {pin(nginx, key) for key in keys * 3} == {200}
    one, two = (Counter(it["key"] for it in replica.journal) for replica in replicas)
    assert one and two and not one.keys() & two.keys()
    assert {*(one + two).values()} == {3}


def test_a_key_lists_its_pins(nginx, replicas):
    assert (tops(nginx, "k"), pin(nginx, "k", False), tops(nginx, "k")) == ([True], 200, [False])
    assert {replica.chat(APP, CHAT).top for replica in replicas} == {True, False}


def test_a_sandbox_is_reached_with_the_header_of_its_creation(nginx):
    for name in map(str, range(10)):
        key = create_sandbox(nginx, **{"X-Test": name})
        assert pin(nginx, key, **{"X-Test": name}) == 200


def test_a_key_of_a_sandbox_may_lead_to_another_replica(nginx):
    assert {pin(nginx, create_sandbox(nginx)) for _ in range(30)} == {200, 401}


@pytest.mark.parametrize("kind", ["reset", "empty"])
def test_a_broken_connection_is_a_502_and_not_tried_again(nginx, replicas, kind):
    for replica in replicas:
        replica.fault(kind)
    assert pin(nginx, "k") == 502
    assert sum(len(replica.journal) for replica in replicas) == 1
