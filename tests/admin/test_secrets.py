"""API keys and the admin token in every place where a client can put them, and every
place where they could come out again.
"""

from __future__ import annotations

import http.client
import json
import signal
import socket
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest

from mock_server.fixture.source.files import shipped_path
from tests.admin.key_places import (
    CASES,
    CREDENTIALS,
    JSON,
    LONGER,
    OWNER,
    PLACES,
    SHIPPED,
    TOKEN,
    TOKEN_SENT,
    Sent,
    own,
    post,
)
from tests.process import serving
from tests.support import LIST, SECONDS


@dataclass
class Heard:
    """All that a server has said: to admin reads, in answers, and on its outputs.

    `astray` is the journal after an operation was sent the admin token in its query.
    """

    keys: dict[tuple[str, str], str]
    reads: dict[str, str] = field(default_factory=dict)
    answers: dict[str, list[str]] = field(default_factory=dict)
    astray: str = ""
    out: str = ""
    err: str = ""

    def closed(self) -> dict[str, str]:
        """Where no key may be: all reads but those that are to show keys."""
        return {k: v for k, v in self.reads.items() if not is_open(k)}

    def logged(self) -> str:
        """What is on stderr but the two lines that tell the declared keys."""
        lines = self.err.splitlines()
        heads = '"message":"keys:', '"message":"try:'
        told = [line for line in lines if any(head in line for head in heads)]
        assert len(told) == 2
        return "\n".join(line for line in lines if line not in told)


def is_open(path: str) -> bool:
    """Whether an admin path is one that shows keys."""
    return path.endswith(("/state", "/faults")) or path in (
        "/sandboxes",
        "/sandboxes/team",
    )


class Client:
    """Speaks to one server."""

    def __init__(self, url: str) -> None:
        self.address = url.removeprefix("http://")

    def connection(self) -> closing[http.client.HTTPConnection]:
        """A connection of its own for every request."""
        return closing(http.client.HTTPConnection(self.address, timeout=SECONDS))

    def send(self, sent: Sent | bytes) -> str:
        """The whole answer as text: status, headers, body."""
        if isinstance(sent, bytes):
            return self.raw(sent)
        with self.connection() as connection:
            connection.putrequest(sent.method, sent.path)
            for name, value in sent.headers:
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(sent.body)))
            connection.endheaders(sent.body)
            answer = connection.getresponse()
            body = answer.read().decode()
            return f"{answer.status} {answer.reason}\n{answer.headers}\n{body}"

    def raw(self, content: bytes) -> str:
        """What comes back for bytes that may be no request."""
        host, _, port = self.address.partition(":")
        with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()

    def admin(self, method: str, path: str, body: object = None, **more: str) -> str:
        """The answer to an admin call with the right token."""
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {TOKEN}"} | JSON | more
        return self.send(Sent(method, f"/__admin{path}", [*headers.items()], content))

    def stream(self, path: str, last: int) -> str:
        """A stream of the journal, up to the entry of that number."""
        with self.connection() as connection:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            connection.request("GET", f"/__admin{path}?since=0", headers=headers)
            answer, lines = connection.getresponse(), list[str]()
            while f"id: {last}\n" not in lines or lines[-1] != "\n":
                lines.append(answer.readline().decode())
                assert lines[-1], "the stream has ended"
            return "".join(lines)


def body_of(answer: str) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.partition("\n\n")[2])


READS = (
    *("/health", "/clock", "/choices", "/snapshots", "/snapshots/s", "/apps"),
    *(
        "/faults",
        "/apps/65e000000000000000000001/chats",
        "/datasets",
        "/state",
        "/journal",
    ),
    *("/datasets/65e0000000000000000000d1/collections", "/journal?violations=true"),
)
QUESTIONS: tuple[object, ...] = (
    {"exactly": 0},
    {"operation": "listV2", "status": 599},
    {"key": "another", "member": "nobody"},
    {"body": {"apiKey": "?", "searchText": "?", "datasetId": "?", "appId": "?"}},
    {"inOrder": [{"operation": "updateHistory"}, {"body": {"chatId": "?", "x": "?"}}]},
)


def everything_read(client: Client) -> dict[str, str]:
    """The answers of all that can be read, by path."""
    once = ("/sandboxes", "/sandboxes/team", "/nowhere", "/openapi.json")
    reads = {path: client.admin("GET", path) for path in once}
    reads["public /openapi.json"] = client.send(Sent("GET", "/openapi.json"))
    for prefix in ("", "/sandboxes/team"):
        client.admin("PUT", f"{prefix}/snapshots/s", {})
        for path in (prefix + each for each in READS):
            reads[path] = client.admin("GET", path)
        reads[f"{prefix} as YAML/state"] = client.admin(
            "GET", f"{prefix}/state", Accept="application/yaml"
        )
        for question in QUESTIONS:
            answer = client.admin("POST", f"{prefix}/journal/verify", question)
            reads[f"{prefix}/journal/verify {question}"] = answer
        last = body_of(reads[f"{prefix}/journal"])["next"] - 1
        reads[f"{prefix} stream"] = client.stream(f"{prefix}/journal/stream", last)
    return reads


@pytest.fixture(scope="module", params=["zttp", "h11"])
def heard(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Heard:
    """What one server has said, from its start to its end."""
    extra = tmp_path_factory.mktemp("keys") / "extra.json"
    keys = [LONGER, *(own("declared", place) for place in PLACES)]
    extra.write_text(json.dumps({"keys": [{"key": key} for key in keys]}))
    fixtures = (str(shipped_path("permissions.yaml")), str(extra))
    settings = ("--port=0", "--log-format=json", f"--admin-token={TOKEN}")
    http_parser = f"--http={request.param}"
    with serving("serve", *fixtures, *settings, http_parser) as (url, process):
        client = Client(url)
        team = body_of(client.admin("POST", "/sandboxes", {"name": "team"}))
        heard = Heard({case: own(case[1], case[0]) for case in CASES})
        for place in PLACES:
            heard.keys[place, "issued"] = team["keys"][own("declared", place)]
        key = heard.keys["authorization", "declared"]
        fault = {"kind": "error", "times": 3, "match": {"key": key}}
        assert body_of(client.admin("POST", "/faults", fault))["id"] == "f1"
        for (place, _), key in heard.keys.items():
            answers = [client.send(sent) for sent in PLACES[place](key)]
            heard.answers.setdefault(place, []).extend(answers)
        for key in (OWNER, LONGER, *SHIPPED):
            client.send(post(key))
            client.send(post(team["keys"][key]))
            client.send(post(None, Api_Key=key))
        for how, requests in TOKEN_SENT.items():
            heard.answers[how] = [client.send(sent) for sent in requests]
        heard.reads = everything_read(client)
        client.send(post(None, f"{LIST}?token={TOKEN}"))
        heard.astray = client.admin("GET", "/journal")
        process.send_signal(signal.SIGTERM)
        heard.out, heard.err = process.communicate(timeout=SECONDS)
    return heard


@pytest.mark.ci
@pytest.mark.parametrize(("place", "kind"), CASES)
def test_no_key_is_read_again_wherever_it_went_in(
    heard: Heard, place: str, kind: str
) -> None:
    most = heard.keys[place, kind][:-4]
    assert [name for name, text in heard.closed().items() if most in text] == []


@pytest.mark.parametrize(("place", "kind"), CASES)
def test_no_key_is_logged_wherever_it_went_in(
    heard: Heard, place: str, kind: str
) -> None:
    assert heard.keys[place, kind][:-4] not in heard.out + heard.logged()


@pytest.mark.parametrize("place", CREDENTIALS)
def test_no_answer_repeats_a_credential(heard: Heard, place: str) -> None:
    own = [key for (where, _), key in heard.keys.items() if where == place]
    for answer in heard.answers[place]:
        assert not [key for key in own if key[:-4] in answer], answer


def test_the_keys_of_the_shipped_fixture_are_in_no_journal(heard: Heard) -> None:
    for name, text in heard.closed().items():
        # The document is the same on every server; a key of the demo's is in it.
        if name != "/openapi.json":
            assert not [key for key in (OWNER, *SHIPPED) if key in text], name


def test_a_key_that_begins_like_another_is_hidden_whole(heard: Heard) -> None:
    rest = LONGER.removeprefix(OWNER)
    assert [name for name, text in heard.closed().items() if rest in text] == []


def test_the_admin_token_comes_out_nowhere(heard: Heard) -> None:
    said = heard.reads | {"stdout": heard.out, "stderr": heard.err}
    said |= {how: "\n".join(answers) for how, answers in heard.answers.items()}
    assert [name for name, text in said.items() if TOKEN in text] == []


def test_no_journal_keeps_an_admin_token_that_went_astray(heard: Heard) -> None:
    assert TOKEN not in heard.astray


def test_keys_are_shown_where_they_are_to_be_taken_from(heard: Heard) -> None:
    for (_, kind), key in heard.keys.items():
        assert (key in heard.reads["/state"]) is (kind == "declared")
        assert (key in heard.reads["/sandboxes/team/state"]) is (kind == "declared")
        assert (key in heard.reads["/sandboxes"]) is (kind != "unknown")
    assert heard.keys["authorization", "declared"] in heard.reads["/faults"]
    assert OWNER in heard.err


def test_all_that_was_sent_has_been_entered_in_a_journal(heard: Heard) -> None:
    entries = [
        entry
        for path in ("/journal", "/sandboxes/team/journal")
        for entry in body_of(heard.reads[path])["entries"]
    ]
    seen = {entry["key"] for entry in entries}
    for (place, _), key in heard.keys.items():
        shown = key[:4] + sha256(key.encode()).hexdigest()[:8]
        assert (shown in seen) is place.startswith(("authorization", "odd")), place
    assert len(entries) > 100
