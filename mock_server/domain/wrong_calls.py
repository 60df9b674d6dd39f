"""Calls of the Python API that cannot be: they say what to write instead."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, isfunction, signature
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar, cast

from mock_server.domain.messages import did_you_mean

__tracebackhide__ = True

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


def explained(of: T) -> T:
    """Have a function, or a class's public methods, say which arguments are wrong."""
    if isfunction(of):
        return cast(T, _explained(of, of.__qualname__.removesuffix(".__new__")))
    for name, value in list(vars(of).items()):
        if isfunction(value) and (name == "__init__" or not name.startswith("_")):
            place = cast(type, of).__name__ if name == "__init__" else name
            setattr(of, name, _explained(value, place))
    return of


_EXAMPLES = {
    "fault": "fault('error', status=503)",
    "Fault": "Fault('error', status=503)",
    "Faults.add": "add(Fault('error', status=503))",
    "answer": "respond('POST /api/x', json={...})",
    "restore": "restore(name), with a name that snapshot() gave",
    "assert_in_order": "assert_in_order(['updateHistory', 'listV2'])",
    "advance": "clock.advance(300), in seconds, or with a timedelta",
    "freeze": "clock.freeze('2026-01-01T00:00:00Z')",
    "sandbox": "mock_server_factory() for a further one; each test has its own",
    "sandboxes": "mock_server_factory() for a further one; each test has its own",
    "put_chat": "put_chat(app_id, {'chatId': 'c1', 'title': 'Refund'})",
    "assert_called_once": "assert_called('updateHistory', times=1)",
    "assert_called_once_with": "assert_called('updateHistory', times=1, body={...})",
    "choices": "choices['list_order'] = 'name'",
    "profile": "profile='deployed' in the marker mock_server or in MockServer()",
    "now": "clock.freeze('2026-01-01T00:00:00Z')",
    "clock": "clock.freeze('2026-01-01T00:00:00Z')",
    "Chat": "put_chat(app_id, {'chatId': 'c1', 'top': True})",
    "Collection": "put_collection(dataset_id, {'_id': 'c1', 'name': 'Install'})",
}
"""What to write instead, by what was called, or would have been set."""


def _explained(function: Callable[P, R], place: str) -> Callable[P, R]:
    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*args, **named)
        except TypeError as error:
            # Looked at after it has failed: calls that are right cost nothing more.
            what, hint = _wrong_call(signature(function), args, named) or (error, "")
            hint = f"write {_EXAMPLES[place]}" if place in _EXAMPLES else hint
            if place == "assert_in_order" and len(args) > 2:
                hint = f"write assert_in_order({list(args[1:])!r})"
            if not hint:
                raise
        raise TypeError(f"{what} - at {place} ({hint})")

    return call


def _wrong_call(
    of: Signature, args: Sequence[object], named: Mapping[str, object]
) -> tuple[str, str] | None:
    """What is wrong with the arguments of a method, and what may help; or None."""
    kinds: dict[Any, list[str]] = {}
    for each in of.parameters.values():
        kinds.setdefault(each.kind, []).append(each.name)
    by_place = kinds.get(Parameter.POSITIONAL_OR_KEYWORD, [])
    by_name = kinds.get(Parameter.KEYWORD_ONLY, [])
    known = [*by_place[by_place[0] in ("self", "cls") :], *by_name]
    if len(args) > len(by_place):
        value = args[len(by_place)]
        example = f"write {by_name[0]}={value!r}" if by_name else ""
        others = f", or {', '.join(by_name[1:])}" if by_name[1:] else ""
        are_by_name = by_name or Parameter.VAR_KEYWORD in kinds
        expected = "arguments by name" if are_by_name else "no further argument"
        after = f" after {by_place[-1]}" if by_place[-1] in known else ""
        return f"Expected {expected}{after}, got {value!r}", f"{example}{others}"
    for name in named:
        if name not in known and Parameter.VAR_KEYWORD not in kinds:
            hint = did_you_mean(name, known).strip(" ()")
            there_are = f"there are {', '.join(known)}"
            return f"Expected an argument, got {name!r}", hint or there_are
    for each in of.parameters.values():
        is_given = each.name in named or each.name in by_place[: len(args)]
        if each.default is Parameter.empty and each.name in known and not is_given:
            return f"Expected {each.name}, got nothing", f"it takes {', '.join(known)}"
    return None


class Synchronous:
    """What `async with` cannot enter, as it blocks: it says what to write instead."""

    def __aenter__(self) -> NoReturn:
        raise TypeError("Expected `with`, got `async with` (drop `async`)")

    __aexit__ = __aenter__

    def __await__(self) -> NoReturn:
        raise TypeError("Expected a call, got `await` of it (drop `await`: it is done)")


class Fixed:
    """An object whose attributes cannot be set by others, as that would do nothing."""

    __slots__ = ()

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name: str) -> object:
            known = [each for each in dir(type(self)) if each[0] != "_"]
            hint = did_you_mean(name, known) or f" (there are {', '.join(known)})"
            hint = f" (write {_EXAMPLES[name]})" if name in _EXAMPLES else hint
            said = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(said + hint)

    def __setattr__(self, name: str, value: object) -> None:
        how = _EXAMPLES.get(name) or _EXAMPLES.get(type(self).__name__)
        if how and (name in dir(self) or name == "profile"):
            raise AttributeError(f"`.{name}` cannot be set: write {how}")
        object.__setattr__(self, name, value)
