"""An overlay, against a dictionary that is changed itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits
from mock_server.domain.memory import GONE_BYTES, Memory
from mock_server.domain.storage.overlay import Overlay

KEYS = "abcde"
BASE = {"a": "x", "b": "yy", "c": "z"}
steps = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | st.text(max_size=5)))


def over(memory: Memory) -> Overlay[str, str]:
    return Overlay(BASE, memory.charge("changes"), len)


def carried_out(
    overlay: Overlay[str, str],
    model: dict[str, str],
    steps: list[tuple[str, str | None]],
) -> None:
    for key, value in steps:
        if value is not None:
            overlay.put(key, value)
            model[key] = value
        elif key in model:
            overlay.remove(key)
            del model[key]


def check(overlay: Overlay[str, str], model: dict[str, str]) -> None:
    assert dict(overlay.items()) == model
    assert [*overlay] == [key for key, _ in overlay.items()]
    assert [*overlay.values()] == [value for _, value in overlay.items()]
    assert [overlay.get(key) for key in KEYS] == [model.get(key) for key in KEYS]
    assert [key in overlay for key in KEYS] == [key in model for key in KEYS]
    assert len(overlay) == len(model)
    assert overlay.created == len(set(model) - set(BASE))
    of_base = [key for key in overlay if key in BASE]
    assert of_base == [key for key in BASE if key in model]
    assert [*overlay][: len(of_base)] == of_base


@given(steps, steps)
def test_an_overlay_is_what_was_last_put(
    first: list[tuple[str, str | None]], then: list[tuple[str, str | None]]
) -> None:
    memory = Memory()
    overlay, model = over(memory), dict(BASE)
    carried_out(overlay, model, first)
    copy, copied = overlay.copy(memory.charge("snapshots")), dict(model)
    carried_out(overlay, model, then)
    check(overlay, model)
    check(copy, copied)
    changed = overlay.changes.values()
    sizes = (GONE_BYTES if value is None else len(value) for value in changed)
    assert memory.usage()["changes"] == sum(sizes)
    overlay.remove(*[*overlay])
    check(overlay, {})
    overlay.clear()
    check(overlay, BASE)
    assert memory.usage()["changes"] == 0


def test_what_does_not_fit_is_not_put() -> None:
    overlay = over(Memory(Limits(memory_bytes=10)))
    with pytest.raises(LimitReached):
        overlay.put("new", "x" * 11)
    check(overlay, BASE)
