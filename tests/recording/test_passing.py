"""What of a message passes, and what does not, byte by byte."""

from __future__ import annotations

import gzip

import pytest

from tests.recording.fronted import Conversation, fronted, says, scripted
from tests.wire.sockets import answer, connect

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
ASKED = (
    b"PUT /a%2Fb/%C3%A9//..;x?q=%20&q=1?2 HTTP/1.1\r\nHost: our.example\r\n"
    b"X-B: 1\r\nAuthorization: Bearer k\r\nCookie: a=b\r\nX-A: 2\r\nX-B: 3\r\n"
    b"Content-Length: 3\r\n\r\nabc"
)
CLOSING = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
HOPS = (
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: X-Mine, keep-alive\r\nX-Mine: 1\r\n"
    b"Keep-Alive: timeout=5\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Kept: 1\r\n"
    b"Proxy-Authorization: Basic eDp5\r\nProxy-Connection: x\r\n\r\n"
)


def sent(url: str, request: bytes) -> bytes:
    """The whole answer to the bytes of one request."""
    with connect(url) as client:
        client.sendall(request)
        return answer(client)


def all_of(url: str, request: bytes) -> bytes:
    """All that comes until the connection ends."""
    with connect(url) as client:
        client.sendall(request)
        return b"".join(iter(lambda: client.recv(65_536), b""))


def test_a_request_passes_as_it_was_sent_but_for_its_host() -> None:
    with scripted(says(OK)) as target, fronted(f"{target.url}/base/") as (url, _):
        assert sent(url, ASKED).endswith(b"\r\n\r\nok")
    host = target.url.removeprefix("http://").encode()
    head, _, _ = ASKED.partition(b"abc")
    expected = head.replace(b"PUT /", b"PUT /base/").replace(b"our.example", host)
    names = (b"X-B", b"X-A", b"Authorization", b"Cookie", b"Content-Length")
    for name in names:  # ASGI knows names in lower case only
        expected = expected.replace(name, name.lower())
    assert target.heads == [expected]


def test_fields_of_a_connection_do_not_pass() -> None:
    with scripted(says(OK)) as target, fronted(target.url) as (url, _):
        sent(url, HOPS)
    host = target.url.removeprefix("http://").encode()
    assert target.heads == [b"GET / HTTP/1.1\r\nHost: %b\r\nx-kept: 1\r\n\r\n" % host]


def test_an_answer_passes_as_it_came() -> None:
    body = gzip.compress(b"hello")
    fields = (
        b"HTTP/1.1 299 OK\r\nServer: other\r\nDate: yesterday\r\nSet-Cookie: a=1\r\n"
        b"X-Case: Kept\r\nSet-Cookie: b=2\r\nLocation: /else\r\n"
        b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(body)
    )
    hops = b"Keep-Alive: timeout=9\r\nProxy-Authenticate: Basic\r\n"
    with (
        scripted(says(fields + hops + b"\r\n" + body)) as target,
        fronted(target.url) as (url, _),
    ):
        heard = sent(url, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    status, _, rest = heard.partition(b"\r\n")
    assert status.startswith(b"HTTP/1.1 299")
    assert rest.lower() == (fields.partition(b"\r\n")[2] + b"\r\n" + body).lower()


@pytest.mark.ci
@pytest.mark.parametrize(
    ("method", "said"),
    [
        (b"HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"),
        (b"GET", b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n"),
        (b"GET", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"),
        (b"GET", b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://x/\r\n"
                 b"Content-Length: 0\r\n\r\n"),
    ],
)  # fmt: skip
def test_an_answer_without_a_body_passes(method: bytes, said: bytes) -> None:
    with scripted(says(said)) as target, fronted(target.url) as (url, _):
        heard = all_of(url, CLOSING.replace(b"GET", method))
    assert heard.lower().replace(b"connection: close\r\n", b"") == said.lower()


def test_an_answer_of_no_announced_length_passes() -> None:
    said = b"HTTP/1.1 200 OK\r\n\r\nuntil the end"

    async def then_close(talk: Conversation) -> None:
        await says(said)(talk)
        raise ConnectionResetError

    with scripted(then_close) as target, fronted(target.url) as (url, _):
        heard = all_of(url, CLOSING)
    assert b"\r\nuntil the end\r\n0\r\n" in heard


def test_a_client_may_wait_for_100_continue() -> None:
    fields = b"Host: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
    with (
        scripted(says(OK)) as target,
        fronted(target.url) as (url, _),
        connect(url) as client,
    ):
        client.sendall(b"POST / HTTP/1.1\r\n" + fields + b"\r\n")
        assert client.recv(65_536).startswith(b"HTTP/1.1 100")
        client.sendall(b"{}")
        assert answer(client).endswith(b"ok")
    assert b"\r\nexpect: 100-continue\r\n" in target.heads[0]


def test_what_is_not_asked_of_a_path_is_refused() -> None:
    with scripted(says(OK)) as target, fronted(target.url) as (url, _):
        heard = sent(url, b"GET http://else.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
    assert heard.startswith(b"HTTP/1.1 400")
    assert (b'"badTarget"' in heard, target.heads) == (True, [])


def test_connections_to_the_target_are_kept() -> None:
    seen: list[object] = []

    async def noting(talk: Conversation) -> None:
        seen.append(talk.writer.get_extra_info("peername"))
        await talk.say(OK)

    with scripted(noting) as target, fronted(target.url) as (url, _):
        for _ in range(3):
            sent(url, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (len(seen), len(set(seen))) == (3, 1)


def test_the_admin_api_stays_ours() -> None:
    with scripted(says(OK)) as target, fronted(target.url) as (url, _):
        own = sent(url, b"GET /__admin/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for path in (b"/", b"/openapi.json", b"/__adminx", b"/%5f_admin/health"):
            sent(url, b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path)
    assert b'"status":"ready"' in own
    assert own.lower().count(b"\r\ndate: ") == 1
    assert len(target.heads) == 4
