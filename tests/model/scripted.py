"""A second, plain model of answers: which one is given to a request, and what it says.

It shares no code with the server. Texts, numbers and names are few, so that requests
often come near what is wanted.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

TEXTS = ("a", "ab", "b", "", "{{count}}", "{{body.a}}")
NAMES = ("a", "b", "messages")
ROUTE = "POST /x/{id}"
PLACES = r"(\{\{(?:count|body\.[a-z.]+|query\.[a-z]+|path\.[a-z]+)\}\})"


@dataclass
class Answer:
    """An answer that was added: its fields, and how often it matched and fired."""

    fields: dict[str, Any]
    matched: int = 0
    fired: int = 0

    def takes(self, request: dict[str, Any]) -> bool:
        """Whether it fires at a request; it counts what it matches."""
        times, wanted = self.fields.get("times"), self.fields.get("match", {})
        if times is not None and self.fired == times:
            return False
        if not all(fits(wanted[name], request.get(name)) for name in wanted):
            return False
        self.matched += 1
        if self.matched <= self.fields.get("skip", 0):
            return False
        self.fired += 1
        return True


@dataclass
class Story:
    """What has been added to a sandbox, in order."""

    answers: list[Answer] = field(default_factory=list)

    def answer(self, request: dict[str, Any]) -> tuple[int, Any] | None:
        """Which answer is given, counted from 0, and its JSON; None if none is."""
        for number, each in enumerate(self.answers):
            if each.takes(request):
                values = {**request, "count": each.fired}
                return number, said(each.fields["json"], values)
        return None


LACKING = object()


def fits(wanted: Any, given: Any) -> bool:
    """Whether what is given is as it is wanted; LACKING stands for nothing."""
    if wanted == {"absent": True}:
        return given is LACKING
    if isinstance(wanted, dict) and [*wanted] == ["contains"]:
        part = wanted["contains"]
        if isinstance(part, str):
            return isinstance(given, str) and given.find(part) >= 0
    if isinstance(wanted, dict):
        if not isinstance(given, dict):
            return False
        return all(fits(wanted[name], given.get(name, LACKING)) for name in wanted)
    if isinstance(wanted, list):
        if not isinstance(given, list) or len(wanted) != len(given):
            return False
        return all(fits(one, other) for one, other in zip(wanted, given, strict=True))
    return given is not LACKING and json.dumps(wanted) == json.dumps(given)


def said(value: Any, values: dict[str, Any]) -> Any:
    """The JSON value with what stands between double braces looked up once."""
    if isinstance(value, dict):
        return {name: said(each, values) for name, each in value.items()}
    if isinstance(value, list):
        return [said(each, values) for each in value]
    if not isinstance(value, str):
        return value
    parts = [each for each in re.split(PLACES, value) if each]
    if len(parts) == 1 and parts[0].startswith("{{") and parts[0] != "{{}}":
        return looked_up(parts[0], values)
    texts = (
        written(looked_up(each, values)) if each.startswith("{{") else each
        for each in parts
    )
    return "".join(texts)


def looked_up(place: str, values: dict[str, Any]) -> Any:
    """What a place such as `{{body.a}}` has; None if there is nothing."""
    found: Any = values
    for name in place.strip("{}").split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def written(value: Any) -> str:
    """A value inside a text."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, separators=(",", ":"))


def a_value(random: Random, depth: int = 2) -> Any:
    """A small JSON value."""
    kind = random.randrange(8 if depth else 5)
    if kind < 3:
        return random.choice(TEXTS)
    if kind == 3:
        return random.choice((0, 1, True, False, None))
    if kind == 4:
        return random.choice(({"contains": "a"}, {"absent": True}, {"contains": ""}))
    if kind < 7:
        names = random.sample(NAMES[:2], random.randrange(3))
        return {name: a_value(random, depth - 1) for name in names}
    return [a_value(random, depth - 1) for _ in range(random.randrange(3))]


def a_request(random: Random) -> dict[str, Any]:
    """The parts of a request that can be matched."""
    body = {name: a_value(random) for name in NAMES[:2] if random.random() < 0.7}
    some = {name: random.choice(TEXTS) for name in "ab" if random.random() < 0.5}
    return {"body": body, "query": some, "path": {"id": random.choice("ab")}}


def an_answer(random: Random, near: dict[str, Any]) -> dict[str, Any]:
    """The fields of an answer, which wants parts of a request, or nearly so."""
    match: dict[str, Any] = {}
    for name in ("body", "query", "path"):
        if random.random() < 0.4:
            given = dict(near[name])
            for key in list(given):
                if random.random() < 0.3:
                    del given[key]
            if random.random() < 0.3:
                tests = ({"contains": "a"}, {"absent": True})
                given[random.choice("ab")] = random.choice(tests)
            match[name] = given
    while json.dumps(match).count('"contains"') > 2:  # more are refused
        match.popitem()
    fields: dict[str, Any] = {"json": a_value(random)}
    if random.random() < 0.5:
        fields["times"] = random.randrange(1, 4)
    if random.random() < 0.2:
        fields["skip"] = random.randrange(3)
    return fields | ({"match": match} if match else {})
