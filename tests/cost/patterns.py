"""Every regular expression of the package, and texts that make one slow."""

from __future__ import annotations

import ast
import builtins
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from re import _parser
from time import thread_time
from types import ModuleType
from typing import Any, NamedTuple

import mock_server

METHODS = {
    "fullmatch",
    "match",
    "search",
    "finditer",
    "findall",
    "split",
    "sub",
    "subn",
}
SIZES = {10: 10, 15: 10, 22: 10, 33: 10, 50: 10, 75: 10, 600: 75, 4_800: 600}
"""Sizes, each with a smaller one, about an eighth, with which it is compared.

The first are so near that a pattern without end is noticed in time.
"""
MOST, NOISE = 14, 0.003
"""How much more a size may cost than an eighth of it, and seconds."""
CATEGORIES = {"digit": r"\d", "space": r"\s", "word": r"\w"}


class Use(NamedTuple):
    """A pattern and a method by which it is used; `place` is for messages."""

    place: str
    pattern: re.Pattern[Any]
    method: str


class AnyText(str):
    """Any text; or how a text is cut, with small numbers in its fields."""

    def __getattr__(self, name: str) -> str:
        if name == "pattern":
            raise AttributeError(name)  # any pattern there is
        return "3"


class Names(dict[str, Any]):
    """The names of a module; what is a function's own stands for any text."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, AnyText("ab"))


def modules() -> Iterator[ModuleType]:
    for each in walk_packages(mock_server.__path__, "mock_server."):
        if not each.name.endswith("__main__"):
            yield import_module(each.name)


def calls_in(module: ModuleType) -> list[ast.Call]:
    tree = ast.parse(Path(str(module.__file__)).read_text())
    return [each for each in ast.walk(tree) if isinstance(each, ast.Call)]


def uses_in(module: ModuleType) -> tuple[list[Use], list[str]]:
    """The uses of patterns in a module, and the expressions of unknown ones."""
    calls = calls_in(module)
    uses, unknown, by_name = [], [], _methods(calls)
    for call in calls:
        for expression, method in _made_by(call):
            place = f"{module.__name__}: {ast.unparse(expression)}"
            whole = call if method == "compile" else expression  # with its flags
            try:
                made = re.compile(eval(ast.unparse(whole), {}, Names(vars(module))))
            except Exception:  # whatever a part of it is that is no text
                unknown.append(place)
                continue
            names = [k for k, v in vars(module).items() if v == made]
            methods = {each for name in names for each in by_name.get(name, ())}
            for each in (methods or by_name[""]) if whole is call else {method}:
                uses.append(Use(f"{place} ({each})", made, each))
    return uses, unknown


def _made_by(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The expressions of patterns in a call, and the methods that use them."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="re"), attr=method):
            if method in METHODS | {"compile"}:
                yield call.args[0], method
    for each in call.keywords:
        if each.arg == "pattern":  # msgspec searches
            yield each.value, "search"


def _methods(calls: Iterable[ast.Call]) -> Mapping[str, set[str]]:
    """The methods of patterns that are called, by name; at "" all of them."""
    methods: dict[str, set[str]] = {"": set()}
    for call in calls:
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method):
                if method in METHODS and name != "re":
                    methods.setdefault(name, set()).add(method)
                    methods[""].add(method)
    return methods


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Beginnings, what to repeat behind them, and ends that may make a match fail."""
    text = pattern.pattern
    source = text.decode("latin-1") if isinstance(text, bytes) else text
    tree = _parser.parse(source, pattern.flags & ~re.UNICODE)
    sets = list(_sets(tree))
    kinds = {tuple(_has(each, c) for each in sets): c for c in map(chr, range(0xFF))}
    repeats = set(_repeats(tree, ""))
    for before in {"", *(begin for begin, _ in repeats)}:
        for pump in {*kinds.values(), *(body for _, body in repeats)} - {""}:
            for end in ("", *kinds.values()):
                yield before, pump, end


def _sets(nodes: Iterable[Any]) -> Iterator[list[Any]]:
    """All sets of characters in a parsed pattern; a literal is one of itself."""
    for op, value in nodes:
        if str(op).endswith("LITERAL"):
            yield [(op, value)]
        elif str(op) == "IN":
            yield value
        for part in _parts(value):
            yield from _sets(part)


def _parts(value: Any) -> Iterator[Any]:
    """The patterns within a node."""
    for each in value if isinstance(value, tuple | list) else [value]:
        if isinstance(each, _parser.SubPattern):
            yield each
        elif isinstance(each, list):
            yield from _parts(each)


def _has(items: list[Any], char: str) -> bool:
    """Whether a character is in a set."""
    found = {"NEGATE": False}
    for op, value in items:
        match str(op):
            case "LITERAL":
                found[f"{value}"] = ord(char) == value
            case "NOT_LITERAL":
                found[f"not {value}"] = ord(char) != value
            case "RANGE":
                found[f"{value}"] = value[0] <= ord(char) <= value[1]
            case "CATEGORY":
                kind = str(value).lower().split("_")
                is_in = re.match(CATEGORIES[kind[-1]], char) is not None
                found[f"{value}"] = is_in != ("not" in kind)
    return any(found.values()) != any(str(op) == "NEGATE" for op, _ in items)


def _sample(nodes: Iterable[Any]) -> str:
    """A text that a parsed pattern is likely to match."""
    text = ""
    for op, value in nodes:
        parts = list(_parts(value))
        match str(op):
            case "LITERAL" | "NOT_LITERAL" | "IN":
                items = value if isinstance(value, list) else [(op, value)]
                chars = (chr(each) for each in [*range(32, 127), *range(32)])
                text += next((each for each in chars if _has(items, each)), "\xff")
            case "ANY":
                text += "a"
            case "SUBPATTERN" | "ATOMIC_GROUP" | "BRANCH":
                text += _sample(parts[0])
            case name if name.endswith("REPEAT"):
                text += max(1, value[0]) * _sample(parts[0])
    return text


def _repeats(nodes: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """Samples of what stands before each repeat, and of what it repeats."""
    for op, value in nodes:
        parts = list(_parts(value))
        if str(op).endswith("REPEAT"):
            yield before, _sample(parts[0])
        for part in parts:
            yield from _repeats(part, before)
        before += _sample([(op, value)])


def slow(use: Use) -> str | None:
    """A text for each character of which a pattern takes longer; None without one."""
    for before, pump, end in attacks(use.pattern):
        times: dict[int, float] = {}
        for size, eighth in SIZES.items():
            text = before + pump * size + end
            times[size] = _seconds(use, text)
            most = MOST * times[eighth] + NOISE
            if times[size] > most and min(_seconds(use, text) for _ in range(3)) > most:
                return f"{use.place}: {before!r} + {pump!r} * {size} + {end!r}"
    return None


def _seconds(use: Use, text: str) -> float:
    """Seconds of CPU; what looks anywhere looks up to the end of the text."""
    is_bytes = isinstance(use.pattern.pattern, bytes)
    given: Any = text.encode("latin-1") if is_bytes else text
    start = thread_time()
    if use.method in ("match", "fullmatch"):
        getattr(use.pattern, use.method)(given)
    else:
        deque(use.pattern.finditer(given), maxlen=0)
    return thread_time() - start
