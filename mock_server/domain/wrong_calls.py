"""Explain wrong calls of the Python API: the error shows the correct code."""

import sys
from collections.abc import (
    Callable,
    Collection,
    Coroutine,
    Generator,
    Mapping,
    Sequence,
)
from functools import update_wrapper, wraps
from inspect import Parameter, Signature, iscoroutinefunction, isfunction, signature
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar, cast
from warnings import warn_explicit

from mock_server.domain.choices.table import table
from mock_server.domain.messages import did_you_mean, known_names_hint, nearest

__tracebackhide__ = True

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


def explained(obj: T) -> T:
    """Make a function, or all public methods of a class, explain wrong arguments."""
    if isfunction(obj):
        return cast(T, _explain_calls(obj, obj.__qualname__.removesuffix(".__new__")))
    for name, value in list(vars(obj).items()):
        if isfunction(value) and (name == "__init__" or not name.startswith("_")):
            place = cast(type, obj).__name__ if name == "__init__" else name
            method = _explain_calls(value, place)
            if iscoroutinefunction(value):
                method = _warn_unawaited(method)
            is_assertion = name.startswith(("assert_", "all_")) or name == "calls"
            setattr(obj, name, _Assertion(method) if is_assertion else method)
    return obj


class UncalledAssertionWarning(UserWarning):
    """An assertion or `calls` was not called or not awaited, so it had no effect."""


class _UnusedValue:
    """A value that warns at the line of a frame if it is freed before it is used."""

    def __init__(self, frame: Any, message: str) -> None:
        self._place: Any = frame.f_code.co_filename, frame.f_lineno
        self._message = message

    def __del__(self) -> None:
        if self._place is not None:
            warn_explicit(self._message, UncalledAssertionWarning, *self._place)


class _Assertion:
    """A method that warns if a test reads it without calling it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        update_wrapper(cast(Any, self), method)

    def __get__(self, obj: object, _: type | None = None) -> Callable[..., Any]:
        if obj is None:
            return self._method
        # The reader's frame: the warning has to show that line.
        return _ReadAssertion(self._method.__get__(obj), sys._getframe(1))


class _ReadAssertion(_UnusedValue):
    """A read method, which warns if it is freed before it was called."""

    def __init__(self, method: Callable[..., Any], frame: Any) -> None:
        name = method.__name__
        message = f"`.{name}` was read but not called: write `.{name}(...)`"
        super().__init__(frame, message)
        self._method = method
        update_wrapper(cast(Any, self), method)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        self._place = None
        return self._method(*args, **kwargs)

    def __getitem__(self, index: object) -> NoReturn:
        raise TypeError(self._wrong_use("", f"[{index!r}]"))

    def __bool__(self) -> bool:
        return True  # as any method; it warns

    def __len__(self) -> NoReturn:
        raise TypeError(self._wrong_use("len(", ")"))

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # Python and pytest look for these
            raise AttributeError(name)
        raise AttributeError(self._wrong_use("", f".{name}", ""))

    def _wrong_use(self, before: str, after: str, instead: str | None = None) -> str:
        """Return the message on what stands around a name that was not called."""
        self._place = None
        name = self._method.__name__
        arguments = "'listV2'" if name == "calls" else "..."
        call = f"{before}{name}({arguments}){after if instead is None else instead}"
        return f"Expected a call, got {before}{name}{after} (write {call})"

    def __repr__(self) -> str:
        # pytest shows it below `assert None` and the like.
        name = self._method.__name__
        is_void = name.startswith("assert_")
        return f"{name}{' (write it without `assert`)' if is_void else ''}"


class _AsyncCall(_UnusedValue, Coroutine[Any, Any, Any]):
    """A coroutine that warns if it is freed before it was awaited."""

    def __init__(
        self, name: str, coroutine: Coroutine[Any, Any, Any], frame: Any
    ) -> None:
        call = f"{name}(...)"
        super().__init__(frame, f"`{call}` was not awaited: write `await {call}`")
        self._coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        self._place = None
        return self._coroutine.__await__()

    def send(self, value: Any) -> Any:
        self._place = None
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._place = None
        self._coroutine.close()

    def __del__(self) -> None:
        if self._place:
            self._coroutine.close()  # else Python would warn too
        super().__del__()


def _warn_unawaited(method: Callable[P, Any]) -> Callable[P, Any]:
    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        __tracebackhide__ = True
        return _AsyncCall(method.__name__, method(*args, **kwargs), sys._getframe(1))

    return call


class WrongValue(TypeError):
    """A wrong argument. `@explained` adds the place and the hint to the message."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def hinted(hint_for: Callable[..., str]) -> Callable[[R], R]:
    """Return a decorator: `hint_for` gives the hint for wrong positional arguments.

    It gets all arguments, and returns "" without a hint.
    """

    def with_hint(method: R) -> R:
        vars(method)["hint"] = hint_for
        return method

    return with_hint


_EXAMPLES = {
    "fault": "fault('error', status=503)",
    "Fault": "Fault('error', status=503)",
    "Faults.add": "add(Fault('error', status=503))",
    # Names that begin an answer in pytest-httpserver, respx, responses and WireMock.
    **dict.fromkeys(
        (
            *("answer", "expect_request", "expect_oneshot_request", "route", "when"),
            *("stub", "stub_for", "mock", "post", "add", "register_uri", "expect"),
        ),
        "respond('listV2', data={...}), respond('POST /api/x', json={...}) for a path "
        "that is not served, or reply('Hello') for the assistant",
    ),
    **{
        method: f"respond('{method.upper()} /api/x', json={{...}})"
        for method in ("get", "put", "delete", "patch")
    },
    **dict.fromkeys(("clear_faults", "reset_faults"), "faults.clear()"),
    "remove_fault": "faults.remove(fault), with what fault(...) gave, or its id",
    **dict.fromkeys(("seed", "load_fixture", "set_state"), "load(fixture)"),
    "restore": "restore(name), with a name that snapshot() gave",
    "assert_in_order": "assert_in_order(['updateHistory', 'listV2'])",
    "advance": "clock.advance(300), in seconds, or with a timedelta",
    "freeze": "clock.freeze('2026-01-01T00:00:00Z')",
    "sandbox": "mock_server_factory() for a further one; each test has its own",
    "sandboxes": "mock_server_factory() for a further one; each test has its own",
    **dict.fromkeys(
        ("create_sandbox", "new_sandbox"), "mock_server_factory() for a further server"
    ),
    "put_chat": "put_chat(app_id, {'chatId': 'c1', 'title': 'Refund'})",
    "put_app": "put_app({'id': 'a1', 'chats': []})",
    "put_dataset": "put_dataset({'id': 'd1', 'collections': []})",
    "put_collection": "put_collection(dataset_id, {'_id': 'c1', 'name': 'Install'})",
    **dict.fromkeys(("requests", "history"), "journal, or calls('listV2')"),
    "calls": "calls('listV2'); journal, without parentheses, has all requests",
    "assert_called_once": "assert_called(operation, times=1)",
    "assert_called_once_with": "assert_called(operation, times=1, body={...})",
    "choices": "choices['list_order'] = 'name'",
    "profile": "profile='deployed' in the marker mock_server or in MockServer()",
    "now": "clock.freeze('2026-01-01T00:00:00Z')",
    "clock": "clock.freeze('2026-01-01T00:00:00Z')",
    "Chat": "put_chat(app_id, {'chatId': 'c1', 'top': True}), which replaces all of it",
    "Collection": "put_collection(dataset_id, {'_id': 'c1', 'name': 'Install'})",
}
"""Correct code for each name that was called or set in a wrong way."""


def _explain_calls(function: Callable[P, R], place: str) -> Callable[P, R]:
    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # Checked only after a failure: correct calls cost nothing more.
            wrong = _wrong_call(signature(function), args, kwargs)
            problem, hint = wrong or (error, "")
            hint = f"write {_EXAMPLES[place]}" if place in _EXAMPLES else hint
            hint = getattr(error, "hint", "") or hint
            if wrong and len(args) > 2 and (hint_for := vars(function).get("hint")):
                hint = hint_for(*args[1:], **kwargs) or hint
            if not hint and not isinstance(error, WrongValue):
                raise
        raise TypeError(f"{problem} - at {place}{f' ({hint})' if hint else ''}")

    return call


NO_FUNCTION = "an answer is data: use placeholders, or respond(times=1) for each"


def _wrong_call(
    callee: Signature, args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[str, str] | None:
    """Return the mistake in the arguments of a method, and a hint; or None."""
    kinds: dict[Any, list[str]] = {}
    for each in callee.parameters.values():
        kinds.setdefault(each.kind, []).append(each.name)
    positional = kinds.get(Parameter.POSITIONAL_OR_KEYWORD, [])
    keyword_only = kinds.get(Parameter.KEYWORD_ONLY, [])
    names = [*positional[positional[0] in ("self", "cls") :], *keyword_only]
    if len(args) > len(positional):
        value = args[len(positional)]
        if isinstance(value, Mapping) and keyword_only[:1] == ["times"]:
            keyword_only.sort(key=lambda it: it != "body")
        example = f"write {keyword_only[0]}={value!r}" if keyword_only else ""
        other_names = f", or {', '.join(keyword_only[1:])}" if keyword_only[1:] else ""
        takes = f"it takes {', '.join(names)}" if names else "call it without any"
        are_by_name = keyword_only or Parameter.VAR_KEYWORD in kinds
        expected = "arguments by name" if are_by_name else "no further argument"
        after = f" after {positional[-1]}" if positional[-1] in names else ""
        hint, got = f"{example}{other_names}" or takes, repr(value)
        if isfunction(value):
            got, is_answer = "a function", keyword_only[:1] == ["data"]
            hint = NO_FUNCTION if is_answer else takes
        return f"Expected {expected}{after}, got {got}", hint
    for name in kwargs:
        if name not in names and Parameter.VAR_KEYWORD not in kinds:
            hint = did_you_mean(name, names).strip(" ()")
            known_text = f"there are {', '.join(names) or 'none'}"
            matched = "question", "key", "body", "query", "headers", "path"
            if "match" in names and name in matched and not hint:
                hint = f"write match={{{name!r}: {kwargs[name]!r}}}"
            if "choices" in names and name in table():
                hint = f"write choices={{{name!r}: {kwargs[name]!r}}}"
            return f"unknown argument {name!r}", hint or known_text
    for each in callee.parameters.values():
        is_given = each.name in kwargs or each.name in positional[: len(args)]
        if each.default is Parameter.empty and each.name in names and not is_given:
            values = zip(positional, args, strict=False)
            given = [f"{it}={value!r}" for it, value in values if it in names]
            takes = f"it takes {', '.join(names)}"
            got = f"only {', '.join(given)}" if given else "nothing"
            return f"Expected {each.name}, got {got}", takes
    return None


class UncalledFunction:
    """A function whose attributes explain that it has to be called."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{self._name} has no {name!r}: write {self._name}(...)")


class Synchronous:
    """An object whose errors explain that it needs no `async with` and no `await`."""

    def __aenter__(self) -> NoReturn:
        raise TypeError("Expected `with`, got `async with` (drop `async`)")

    __aexit__ = __aenter__

    def __await__(self) -> NoReturn:
        raise TypeError("Expected a call, got `await` of it (drop `await`: it is done)")


class NoBlock:
    """An object without `with`, whose error says what to write."""

    if not TYPE_CHECKING:  # mypy would accept a block

        def __enter__(self) -> NoReturn:
            expected = "Expected a call, got `with` of it"
            raise TypeError(f"{expected} (write it without `with`)")

        __exit__ = __enter__


def no_application(obj: object, *_: object, **__: object) -> NoReturn:
    """Raise TypeError, because an object was called like an ASGI application."""
    expected = f"Expected an ASGI application, got a {type(obj).__name__}"
    hint = "pass mock_server_app itself, or `.app` of a MockServer"
    url = "or give the client no transport, and base_url=mock_server.url"
    raise TypeError(f"{expected} ({hint}; {url})")


class ReadOnly:
    """An object that refuses to set public attributes, and suggests other code."""

    __slots__ = ()

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name: str) -> object:
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            # Others look for private names, `dir` among them.
            is_private = name[0] == "_" and name != "_id"
            raise AttributeError(
                message if is_private else message + _attribute_hint(self, name)
            )

        def __getitem__(self, name: object) -> object:
            match = nearest(str(name), [each for each in dir(self) if each[0] != "_"])
            hint = f" (write .{match})" if match else ""
            raise TypeError(f"Expected an attribute, got [{name!r}]{hint}")

        __iter__ = None  # which Python would look for in items

    def __setattr__(self, name: str, value: object) -> None:
        if name[0] == "_":
            object.__setattr__(self, name, value)
            return
        kind, is_known = type(self).__name__, name in dir(self)
        hint = ": it is read only" if is_known else _attribute_hint(self, name)
        if kind not in _EXAMPLES and name in signature(type(self)).parameters:
            hint = f": write {kind}({name}=...)"
        elif example := _EXAMPLES.get(kind) or _EXAMPLES.get(name):
            hint = f": write {example}"
        raise AttributeError(f"`.{name}` cannot be set{hint}")


_VERBS = {"delete": "remove_", **dict.fromkeys(("add", "create", "set"), "put_")}
"""The first words of method names here, for the first words that users expect."""


def _attribute_hint(obj: object, name: str) -> str:
    """Return a hint for an unknown attribute of an object."""
    if name in _EXAMPLES:
        return f" (write {_EXAMPLES[name]})"
    known = [each for each in dir(obj) if each[0] != "_"]
    first, _, rest = name.partition("_")
    if (similar := f"{_VERBS.get(first, '')}{rest}") in known:
        return f" (did you mean {similar!r}?)"
    return did_you_mean(name, known) or f" (there are {', '.join(known)})"


class ByName:
    """A mapping called `named` that explains how to read and set its items."""

    named: str

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            is_private = name[0] == "_"
            raise AttributeError(
                message if is_private else message + self.item_hint(name, self)
            )

        def __call__(self, *_: object, **kwargs: object) -> NoReturn:
            name, value = next(iter(kwargs.items()), ("name", ...))
            hint = f"write {self.named}[{name!r}]" + (f" = {value!r}" if kwargs else "")
            raise TypeError(f"Expected {self.named}[...], got a call ({hint})")

    def item_hint(self, name: str, known: Collection[str]) -> str:
        """Return a hint for an item that was looked for as an attribute."""
        if hasattr(dict, name) or name == "set":
            return f": write {self.named}[name] = value for each"
        if name in known:
            return f": write {self.named}[{name!r}]"
        match = nearest(name, known)
        if match is None:
            return f" ({known_names_hint(name, known, len(known))})"
        return f" (did you mean {self.named}[{match!r}]?)"
