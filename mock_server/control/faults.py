"""Adds, lists and removes the faults of a server."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload
from urllib.parse import urlencode

from mock_server.admin.views import FaultsView, FaultView
from mock_server.api.envelope import Failure
from mock_server.api.faults.table import KINDS
from mock_server.api.operations.table import OPERATIONS
from mock_server.control.client import AdminClient, NotRunning, Refused
from mock_server.control.http_call import Unreachable
from mock_server.domain.journal import redacted_key
from mock_server.domain.limits import Published
from mock_server.domain.messages import did_you_mean
from mock_server.domain.printable import one_line
from mock_server.domain.validation.json_match import difference_text
from mock_server.domain.wrong_calls import ByName, ReadOnly, Synchronous, explained

__tracebackhide__ = True


class UnfiredFaultWarning(UserWarning):
    """A test added a fault that never fired."""


class AnswerWarning(UserWarning):
    """An added answer or fault can never fire, or is probably a mistake."""


class AddedFault(ReadOnly, Synchronous):
    """A fault or an answer that has been added.

    In a `with` block a fault lasts until the end; the default `times` and `ttl` are the
    maximum. The block raises AssertionError if the fault or answer never fired.
    """

    def __init__(self, client: AdminClient, fields: Mapping[str, Any]) -> None:
        """Add a fault with these fields. Raises Refused."""
        self._client = client
        self._fields = fields
        self._removed: dict[str, Any] | None = None
        self._is_reset = False
        """True after a reset, which starts ids again: another fault may have this."""
        self._fault = self._add(fields)

    @property
    def id(self) -> str:
        """The id, such as `f1`; a `with` block changes it."""
        return str(self._fault["id"])

    @property
    def kind(self) -> str:
        """The kind of the fault."""
        return str(self._fault["kind"])

    @property
    def warnings(self) -> Sequence[str]:
        """The probable mistakes, such as a match that no request can have."""
        return tuple(self._fault["warnings"])

    @property
    def fired(self) -> int:
        """The number of firings, or of firings in the `with` block. Raises Refused."""
        return int(self._view()["fired"])

    def remove(self) -> None:
        """Remove the fault. Raises Refused."""
        self._view()
        self._removed = self._client.json(FaultView, "DELETE", f"/faults/{self.id}")

    def __enter__(self) -> Self:
        # An answer lasts anyway, and its place among other answers must not change.
        if is_answer(self._fault):
            return self
        defaults: dict[str, Any] = {"ttl": Published.fault_ttl}
        # Some kinds have no `times`.
        if self._fault["remaining"] is not None:
            defaults["times"] = Published.fault_times
        self.remove()
        self._fault, self._removed = self._add(defaults | dict(self._fields)), None
        return self

    def __exit__(self, error_type: object, *_: object) -> None:
        try:
            self.remove()
        except Refused as refused:
            # The block or a reset has removed the fault.
            if refused.status == 404:
                return
            raise
        # An error in the block is more important: it may have prevented the firing.
        if error_type is None and self.fired == 0:
            message = f"{unfired_text(self._view())} while its block lasted"
            raise AssertionError(message + near_miss(self._client, self._view()))

    def __call__(self, *_: object) -> NoReturn:
        fix = "write respond('GET /api/x', json={...})"
        raise TypeError(f"Expected a statement, got a decorator or a call ({fix})")

    def __str__(self) -> str:
        return self.id

    def _add(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return self._client.json(FaultView, "POST", "/faults", **fields)

    def _view(self) -> dict[str, Any]:
        if self._removed:
            return self._removed
        if not self._is_reset:
            view = self._client.json(FaultView, "GET", f"/faults/{self.id}")
            if all(view[name] == self._fault[name] for name in {*view} - _COUNTED):
                return view
        got = f"{self.id} ({self.kind}), which a reset has removed"
        message = f"Expected a fault that was not removed, got {got}"
        raise Refused(404, Failure(404, "faultNotFound", message))


_COUNTED = {"remaining", "fired", "matches", "endsIn", "plan"}
"""Fields of a fault that change."""


class FaultDict(ByName, dict[str, Any]):
    """A fault as JSON."""

    named = "fault"


@explained
class FaultList(ReadOnly, Sequence[dict[str, Any]]):
    """The faults and answers that could still fire when this list was read.

    The list cannot be changed; its methods change the server.
    """

    def __init__(self, client: AdminClient) -> None:
        self._client = client
        view = client.json(FaultsView, "GET", "/faults")
        self._faults: list[dict[str, Any]] = [*map(FaultDict, view["faults"])]
        self._active = [fault for fault in self._faults if fault["remaining"] != 0]

    def clear(self, *, preset: str | None = None) -> None:
        """Remove all faults, or those of a preset."""
        query = "" if preset is None else f"?{urlencode({'preset': preset})}"
        self._client.json(FaultsView, "DELETE", f"/faults{query}")
        kept = [each for each in self._faults if preset not in (None, each["preset"])]
        self._faults = kept
        self._active = [each for each in kept if each["remaining"] != 0]

    def remove(self, fault: str | AddedFault) -> None:
        """Remove a fault by its id. Raises Refused."""
        if isinstance(fault, AddedFault):
            fault.remove()
        else:
            self._client.json(FaultView, "DELETE", f"/faults/{fault}")
        self._active = [each for each in self._active if each["id"] != str(fault)]

    def all_fired(self) -> bool:
        """Return whether each fault has fired, also those of presets."""
        return not self.unfired()

    def unfired(self) -> list[dict[str, Any]]:
        """Return the faults that never fired, also expired ones."""
        faults = (each for each in self._faults if not is_answer(each))
        return [fault for fault in faults if fault["fired"] == 0]

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._active[index]

    __iter__ = Sequence.__iter__

    def __len__(self) -> int:
        return len(self._active)

    if not TYPE_CHECKING:  # mypy would accept any name

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                text = f"{type(self).__name__!r} object has no attribute {name!r}"
                raise AttributeError(text)
            known = [each for each in dir(type(self)) if not each.startswith("_")]
            fix = "add one by `.fault(kind, ...)`"
            fix += ", remove one by `.faults.remove(id)` or `.faults.clear()`"
            text = f"`.faults` has no {name!r}{did_you_mean(name, known)}"
            raise AttributeError(f"{text}, because it only lists faults: {fix}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._active == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._active)


def issue_warnings(fault: AddedFault, depth: int) -> AddedFault:
    """Issue the warnings of a fault or answer at the line `depth` frames above."""
    for each in fault.warnings:
        warning = AnswerWarning(f"mock-server: {each}")
        warnings.warn(warning, stacklevel=depth + 1)
    return fault


def fault_hint(kind: object, value: object, /, *_: object, **others: object) -> str:
    """Return how to write a call with a value that lacks its field name, or ""."""
    if not isinstance(kind, str) or kind not in KINDS:
        return ""
    if isinstance(value, str) and value in OPERATIONS:
        fields = {"operation": value, **others}.items()
        arguments = ", ".join(f"{name}={each!r}" for name, each in fields)
        return f"write fault({kind!r}, {arguments})"
    names = (*KINDS[kind].required_fields, *KINDS[kind].own_fields())
    name = next((each for each in names if each not in _UNLIKELY_FIELDS), None)
    if name == "ms" and isinstance(value, int | float) and value < 60:
        # A small number is probably in seconds.
        return f"write fault({kind!r}, ms={value * 1000:g}), in milliseconds"
    return f"write fault({kind!r}{f', {name}={value!r}' if name else ''})"


_UNLIKELY_FIELDS = "operation", "afterChunks", "connections"
"""Fields that a value without a name is unlikely to mean."""


def is_answer(fault: Mapping[str, Any]) -> bool:
    """Return whether a fault is of kind `answer` or `reply`."""
    kind = KINDS.get(fault["kind"])
    return kind is not None and kind.is_answer


def near_miss(client: AdminClient, fault: Mapping[str, Any]) -> str:
    """Return how the nearest request differs from the match of an unmatched fault.

    That is a text in parentheses, or "".
    """
    match = {name: fault["match"].get(name) for name in ("body", "key")}
    criteria = {name: each for name, each in match.items() if each is not None}
    if fault["matches"] or not criteria:
        return ""
    if (operation := fault.get("operation", "*")) != "*":
        criteria["operation"] = operation
    try:
        nearest = client.verify(criteria).plain().get("nearest", ())
    except (Refused, Unreachable, NotRunning):
        return ""  # a test may stop its server, or remove the route
    for entry in nearest:
        differences = "; ".join(map(difference_text, entry["differences"]))
        return one_line(f" (nearest: #{entry['seq']}, {differences})")
    return ""


def unfired_text(fault: dict[str, Any]) -> str:
    """Return the start of a sentence on a fault or answer that has not fired."""
    operation = fault.get("operation", "*")
    target = "any operation" if operation == "*" else operation
    match = {name: each for name, each in fault["match"].items() if each is not None}
    if "key" in match:
        match["key"] = redacted_key(match["key"])
    target += f", match {match}" if match else ""
    count = fault["matches"]
    counts = {0: "no request and", 1: "1 request but"}
    outcome = f"matched {counts.get(count, f'{count} requests but')} never fired"
    noun = "answer" if is_answer(fault) else "fault"
    return one_line(f"the {noun} {fault['id']} ({fault['kind']} of {target}) {outcome}")
