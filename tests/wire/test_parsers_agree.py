"""Both parsers make the same of everything, and nobody makes two requests of one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from mock_server.app import create_app
from mock_server.wire.uvicorn_internals import HttpParser, best_parser
from tests.support import LIBRARY, Switch, first
from tests.wire.differences import ALLOWED
from tests.wire.exchange import Outcome, outcome, peer
from tests.wire.payloads import FINE, HOST, LAST, LINE, PAYLOADS, REFUSED, Payload
from tests.wire.sockets import answer, connect

pytestmark = pytest.mark.skipif(
    best_parser() != "zttp", reason="this uvicorn does not know zttp"
)
PARSERS: tuple[HttpParser, ...] = ("zttp", "h11")
SHORT = 600
HEADS = ("length_", "coding_", "old_", "field_", "head_", "line_", "version_", "host_")
Live = Callable[[HttpParser], tuple[Switch, str]]
Cut = Callable[[bytes], Iterable[Sequence[bytes]]]
Outcomes = dict[HttpParser, dict[tuple[str, int], Outcome]]


def whole(data: bytes) -> Iterator[Sequence[bytes]]:
    """In one segment."""
    yield [data]


def halved(data: bytes) -> Iterator[Sequence[bytes]]:
    """In two segments, cut where it may matter."""
    lower = data.lower()
    marks = (b"ncoding", b"ength:", b"\r\n", b"\r\n\r\n", b"\n", b";", b" http/")
    places = {lower.find(mark) + len(mark) // 2 for mark in marks}
    places |= {len(data) // 2, len(data) - 1, len(data) - 3}
    for place in sorted(place for place in places if 0 < place < len(data)):
        yield [data[:place], data[place:]]


def in_bytes(data: bytes) -> Iterator[Sequence[bytes]]:
    """Byte by byte, if it is short."""
    if len(data) <= SHORT:
        yield [data[place : place + 1] for place in range(len(data))]


def everywhere(data: bytes) -> Iterator[Sequence[bytes]]:
    """In two segments, cut at each fifteenth place, if it is short."""
    if len(data) <= SHORT:
        for place in range(1 + len(data) % 15, len(data), 15):
            yield [data[:place], data[place:]]


def outcomes(cut: Cut, names: Iterable[str] = PAYLOADS) -> Outcomes:
    """What both parsers make of these payloads, by name and number of the cut."""
    return asyncio.run(_outcomes(cut, list(names)))


async def _outcomes(cut: Cut, names: Sequence[str]) -> Outcomes:
    found: Outcomes = {http: {} for http in PARSERS}
    for http in PARSERS:
        async with peer(create_app(LIBRARY), http) as server:
            for name in names:
                for number, pieces in enumerate(cut(PAYLOADS[name].data)):
                    found[http][name, number] = await outcome(server, pieces)
    return found


def check(found: Outcomes) -> None:
    """Both parsers agree with the corpus and with each other."""
    for case, of_zttp in found["zttp"].items():
        name, of_h11 = case[0], found["h11"][case]
        assert as_expected(of_zttp, PAYLOADS[name]), (case, of_zttp)
        if name not in ALLOWED:
            assert of_h11 == of_zttp, case


def as_expected(got: Outcome, payload: Payload) -> bool:
    return got[:3] == (payload.statuses, payload.end, payload.pins)


@pytest.fixture(scope="module")
def of_whole() -> Outcomes:
    """What becomes of payloads that come in one segment."""
    return outcomes(whole)


@pytest.mark.ci
def test_the_parsers_agree_on_whole_payloads(of_whole: Outcomes) -> None:
    check(of_whole)


@pytest.mark.ci
def test_the_parsers_agree_on_halves_of_what_decides_the_framing() -> None:
    check(outcomes(halved, [*FINE, *LAST, *REFUSED][::6]))


@pytest.mark.ci
def test_the_parsers_agree_byte_by_byte() -> None:
    check(outcomes(in_bytes, list(PAYLOADS)[::15]))


@pytest.mark.ci
def test_what_is_ambiguous_is_refused_without_effect(of_whole: Outcomes) -> None:
    for http in PARSERS:
        for name in REFUSED:
            got = of_whole[http][name, 0]
            assert got[:3] == ((400,), "closed", False), name
            assert 200 not in got.journal, name
            # The head may have been fine, and the body not.
            is_head = name.startswith(HEADS)
            assert len(got.requests) <= (0 if is_head else 1), name


@pytest.mark.ci
def test_what_is_performed_is_performed_once(of_whole: Outcomes) -> None:
    for http in PARSERS:
        for name in (*FINE, *LAST):
            if name not in ALLOWED:
                got = of_whole[http][name, 0]
                assert got.journal == (200,), name
                assert len(got.requests) == 1, name


@pytest.mark.parametrize("name", ALLOWED)
def test_an_allowed_difference_is_still_one(name: str) -> None:
    found = outcomes(whole, [name])
    assert found["zttp"][name, 0] != found["h11"][name, 0]


@pytest.mark.parametrize("damage", [b"X: a\nb\r\n", b"X: a\rb\r\n", b"X\r\r\n"])
@pytest.mark.parametrize(("http", "rest"), [("h11", b""), ("zttp", b"\r\n")])
def test_h11_refuses_a_damaged_line_and_zttp_the_whole_head(
    live: Live, http: HttpParser, rest: bytes, damage: bytes
) -> None:
    with connect(live(http)[1]) as client:
        client.sendall(LINE + b"\r\n" + HOST + damage + rest)
        assert answer(client).startswith(b"HTTP/1.1 400 ")


def test_the_corpus_is_large() -> None:
    assert len(PAYLOADS) >= 400
    assert len({payload.data for payload in PAYLOADS.values()}) == len(PAYLOADS)


@pytest.mark.ci
@pytest.mark.parametrize("cut", first(1, [halved, in_bytes]))
def test_the_pace_changes_nothing(cut: Cut) -> None:
    check(outcomes(cut))


@pytest.mark.ci
@pytest.mark.parametrize("part", first(2, range(8)))
def test_no_cut_changes_anything(part: int) -> None:
    check(outcomes(everywhere, list(PAYLOADS)[part::8]))
