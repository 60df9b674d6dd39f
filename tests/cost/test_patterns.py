"""No text makes a regular expression, or what is as slow, take ever longer."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from tests.cost.patterns import Use, calls_in, modules, slow, uses_in

PLANTED = [r"-?[0-9]{16,}(?![0-9.eE])", r"(a+)+$", r"(?:x*)*y", r"\s+$", r"\([^)]*\)"]


@pytest.mark.ci
@pytest.mark.parametrize("text", PLANTED)
def test_a_slow_pattern_is_found(text: str) -> None:
    assert slow(Use(text, re.compile(text), "search"))
    assert slow(Use(text, re.compile(text.encode()), "sub"))


@pytest.mark.ci
def test_every_pattern_takes_time_in_proportion_to_the_text() -> None:
    found = {use[1:]: use for module in modules() for use in uses_in(module)[0]}
    assert len(found) > 50
    assert [told for use in found.values() if (told := slow(use))] == []


@pytest.mark.ci
def test_every_pattern_is_tried() -> None:
    unknown, tried = [], set()
    there: dict[re.Pattern[Any], str] = {}
    for module in modules():
        uses, others = uses_in(module)
        tried |= {use.pattern for use in uses}
        unknown += others
        for holder in (module, *filter(_is_class, vars(module).values())):
            patterns = (v for v in vars(holder).values() if isinstance(v, re.Pattern))
            there |= dict.fromkeys(patterns, module.__name__)
    # Those of msgspec's types, which are tried where they are written.
    assert unknown == ["mock_server.domain.validation.walk: expected.pattern"]
    assert {k: v for k, v in there.items() if k not in tried} == {}


def _is_class(value: object) -> bool:
    return isinstance(value, type) and value.__module__.startswith("mock_server")


@pytest.mark.ci
def test_only_search_normalizes_texts() -> None:
    """CPython takes the square of a run of marks; search puts them in order before."""
    calls = {
        module.__name__
        for module in modules()
        for call in calls_in(module)
        if ast.unparse(call.func).split(".")[-1] in ("normalize", "is_normalized")
    }
    assert calls == {"mock_server.domain.objects.haystack"}
