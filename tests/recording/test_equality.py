"""What passes through the proxy is the same as what is asked directly."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from mock_server.app import create_app
from mock_server.recording.application import Recording
from mock_server.server import running
from tests.recording.fronted import fronted
from tests.recording.requests_mix import Asked, mix
from tests.support import LIBRARY, SECONDS, client_of, first

# Date is of the second, and how a connection goes on is of each connection.
_OF_THE_MOMENT = {"date", "connection", "keep-alive"}


class Answered(NamedTuple):
    """An answer: its status, all its headers in order, and its body."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


Ask = Callable[[Asked], Answered]


def answered(status: int, headers: Any, body: bytes) -> Answered:
    kept = [each for each in headers if each[0].lower() not in _OF_THE_MOMENT]
    return Answered(status, kept, body)


@contextmanager
def plain(url: str) -> Iterator[Ask]:
    """As http.client asks: headers as they are, and no more than it must add."""
    host = urlsplit(url).netloc
    connection = http.client.HTTPConnection(host, timeout=SECONDS)

    def ask(asked: Asked) -> Answered:
        body: Any = asked.body
        headers = asked.headers
        if asked.is_chunked and body is not None:
            body = iter([body[: len(body) // 2], body[len(body) // 2 :]])
            headers = headers | {"Transfer-Encoding": "chunked"}
        connection.request(
            asked.method, asked.path, body, headers, encode_chunked=asked.is_chunked
        )
        got = connection.getresponse()
        return answered(got.status, got.getheaders(), got.read())

    yield ask
    connection.close()


@contextmanager
def with_httpx2(url: str) -> Iterator[Ask]:
    with client_of(url) as client:

        def ask(asked: Asked) -> Answered:
            body: Any = asked.body
            if asked.is_chunked and body is not None:
                body = iter([body])
            target = {"target": asked.path.encode()}
            request = client.build_request(
                asked.method,
                "/",
                content=body,
                headers=asked.headers,
                extensions=target,
            )
            got = client.send(request)
            return answered(got.status_code, got.headers.multi_items(), got.content)

        yield ask


@contextmanager
def with_urllib(url: str) -> Iterator[Ask]:
    def ask(asked: Asked) -> Answered:
        request = urllib.request.Request(
            url + asked.path, asked.body, asked.headers, method=asked.method
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as got:
                return answered(got.status, got.getheaders(), got.read())
        except urllib.error.HTTPError as got:
            with got:
                return answered(got.code, got.headers.items(), got.read())

    yield ask


@contextmanager
def with_requests(url: str) -> Iterator[Ask]:
    requests = pytest.importorskip("requests")
    with requests.Session() as session:
        session.trust_env = False

        def ask(asked: Asked) -> Answered:
            got = session.request(
                asked.method, url + asked.path, data=asked.body, headers=asked.headers
            )
            return answered(got.status_code, got.headers.items(), got.content)

        yield ask


CLIENTS = {
    "http.client": plain,
    "httpx2": with_httpx2,
    "urllib": with_urllib,
    "requests": with_requests,
}


@contextmanager
def twins(profile: str) -> Iterator[tuple[str, str, Recording]]:
    """Two equal servers: the URL of one, and that of a proxy in front of the other."""
    with ExitStack() as stack:
        apps = [create_app(LIBRARY, profile=profile) for _ in range(2)]
        direct, behind = (
            stack.enter_context(running(app, on_stop=app.close)) for app in apps
        )
        through, recording = stack.enter_context(fronted(behind, is_kept=True))
        yield direct, through, recording


def differences(client: str, profile: str, seed: int, count: int) -> list[Any]:
    """The requests that were answered otherwise through the proxy, and both answers."""
    connect = CLIENTS[client]
    with (
        twins(profile) as (direct, through, _),
        connect(direct) as ask,
        connect(through) as ask_through,
    ):
        answers = ((each, ask(each), ask_through(each)) for each in mix(seed, count))
        return [each for each in answers if each[1] != each[2]]


@pytest.mark.ci
@pytest.mark.parametrize("client", ["http.client", "httpx2", "urllib"])
@pytest.mark.parametrize("profile", ["documented", "deployed"])
def test_answers_are_those_of_the_target(client: str, profile: str) -> None:
    assert differences(client, profile, 1, 50) == []


@pytest.mark.ci
@pytest.mark.parametrize("client", first(2, CLIENTS))
@pytest.mark.parametrize("profile", ["documented", "deployed"])
def test_ten_thousand_answers_are_those_of_the_target(
    client: str, profile: str
) -> None:
    assert differences(client, profile, 2, 1_250) == []
