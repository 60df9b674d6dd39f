"""HTTP on a connection: limits of a head, bytes that are no HTTP, and when the connection stays."""

import pytest
from account import open_connection, read_to_end

REFUSED = b"\r\n\r\nInvalid HTTP request received."


def head(*headers: str, target: str = "/") -> str:
    return "\r\n".join([f"GET {target} HTTP/1.1", *headers, "", ""])


def head_of_a(*headers: str, target: str = "/") -> str:
    return head("Host: a", *headers, target=target)


def answer(client, request):
    """All that comes in response to a request, after which the server closes the connection."""
    with open_connection(client.control.url, request) as connection:
        content, end = read_to_end(connection)
    assert end == "FIN"
    return content


WITHIN = {
    "path": head_of_a("Connection: close", target=f"/{'a' * 16_000}"),
    "headers": head_of_a("Connection: close", *["X: a"] * 98),
    "in all": head_of_a("Connection: close", *[f"X: {'a' * 16_000}"] * 4),
}
OVER = {"path": head_of_a(target=f"/{'a' * 16_500}")}
OVER |= {"query": head_of_a(target=f"/?{'a' * 16_500}")}
OVER |= {"header": head_of_a(f"X: {'a' * 16_500}"), "headers": head_of_a(*["X: a"] * 100)}
OVER |= {"in all": head_of_a(*[f"X: {'a' * 16_000}"] * 5)}
OVER |= {"without an end": head_of_a(f"X: {'a' * 65_536}").rstrip()}
ODD = {"TLS": "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", "SOCKS": "\x05\x01\0"}
ODD |= {"CONNECT": "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"}
ODD |= {"transfer coding": head_of_a("Transfer-Encoding: gzip")}
ODD |= {"HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.2": head_of_a().replace("1.1", "1.2")}


@pytest.mark.parametrize("sent", WITHIN.values(), ids=WITHIN)
def test_a_head_within_the_limits_is_read(client, sent):
    assert answer(client, sent.encode()).startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize("sent", [*OVER.values(), *ODD.values()], ids=[*OVER, *ODD])
def test_what_is_over_a_limit_or_no_http_is_refused_at_once(client, sent):
    content = answer(client, sent.encode("latin-1"))
    assert content.startswith(b"HTTP/1.1 400") and content.endswith(REFUSED)
    assert client.control.journal == []


def test_a_line_break_after_a_body_is_no_request(client):
    pin = client.pin_as_bytes()
    content = answer(client, pin.replace(b"close", b"keep-alive") + b"\r\n" + pin)
    assert content.count(b"HTTP/1.1 200") == 2


def test_a_connection_of_http_1_0_is_closed(client):
    pin = client.pin_as_bytes().replace(b"HTTP/1.1", b"HTTP/1.0")
    content = answer(client, pin.replace(b"close", b"keep-alive"))
    assert content.startswith(b"HTTP/1.1 200") and b"keep-alive" not in content


@pytest.mark.parametrize("later", [0, 9], ids=["at once", "in parts"])
def test_a_request_that_offers_an_upgrade_is_served_without_it(client, later):
    pin = client.pin_as_bytes()
    sent = pin.replace(b"close", b"Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA")
    with open_connection(client.control.url, sent[: len(sent) - later]) as connection:
        connection.sendall(sent[len(sent) - later :] + pin)
        content, _ = read_to_end(connection)
    assert content.count(b"HTTP/1.1 200") == 2 and client.is_pinned()


def test_requests_that_offer_an_upgrade_may_come_in_one_packet(client):
    offer = client.pin_as_bytes().replace(b"close", b"Upgrade\r\nUpgrade: h2c")
    content = answer(client, offer + offer + client.pin_as_bytes())
    assert content.count(b"HTTP/1.1 200") == 3


def test_bytes_after_a_request_that_are_no_http_are_refused(client):
    content = answer(client, head_of_a("Transfer-Encoding: chunked").encode() + b"no length\r\n")
    assert content.endswith(REFUSED)


def test_trailers_are_no_headers(client):
    chunked = head("Connection: close", "Transfer-Encoding: chunked", "Host: a")
    answer(client, f"{chunked}0\r\nX-Trailer: a\r\n\r\n".encode())
    assert "x-trailer" not in client.control.journal[-1]["request"]["headers"]
