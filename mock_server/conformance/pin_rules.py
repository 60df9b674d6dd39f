"""Rules about pins (spec 3, 4.1): they change a chat, and are asked with --write."""

from mock_server.conformance.answer import Differs
from mock_server.conformance.pins import Pins
from mock_server.conformance.subject import Subject

_ANSWER = {"code": 200, "statusText": "", "message": "", "data": None}


def pin_answer(subject: Subject) -> None:
    """A pin is answered with code 200, empty texts and data null, nothing else."""
    answer = subject.pins.pin(top=_changes(subject.pins)[0])
    if answer.status != 200 or answer.document != _ANSWER:
        raise Differs("HTTP 200 and the documented answer", answer.summary(), answer)


def pin_states(subject: Subject) -> None:
    """After top = true the chat is pinned, after top = false it is not."""
    pins = subject.pins
    pins.check()
    start = pins.top
    for top in (not start, start):
        answer = pins.pinned(top=top)
        if pins.top is not top:
            raise Differs(f"the chat with top {top}", f"top {not top}", answer)


def pin_idempotent(subject: Subject) -> None:
    """Whoever pins or unpins twice has pinned or unpinned."""
    pins = subject.pins
    for top in _changes(pins):
        first, again = pins.pinned(top=top), pins.pin(top=top)
        if again.sign != first.sign or again.document != first.document:
            raise Differs("the same answer again", again.summary(), again)
    for top in (True, False):
        pins.pinned(top=top)
        once = pins.top
        again = pins.pin(top=top)
        if pins.top is not once:
            raise Differs(f"the chat with top {once} still", f"top {not once}", again)


def _changes(pins: Pins) -> tuple[bool, bool]:
    """Two values of top, each of which changes the chat as far as is known."""
    pins.check()
    now = pins.top if pins.is_shown else pins.last
    return not now, now
