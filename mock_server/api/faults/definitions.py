"""What a fault of each kind can say: the types that validate and describe them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

from mock_server.domain.errors import InvalidField, describe_value, did_you_mean
from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import size_of
from mock_server.validation.convert import convert

Ms = Annotated[float, Meta(ge=0, le=LIMITS.fault_ms)]
Whole = Annotated[int, Meta(ge=0, le=LIMITS.integer)]
_BOTH = ("updateHistory", "listV2")


class Match(Struct, rename="camel", forbid_unknown_fields=True):
    """Which requests: of this API key, with at least these fields in the body."""

    key: str | None = None
    body: dict[str, Any] | None = None


class Fault(
    Struct, rename="camel", forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    """When a fault fires; what it does is its kind's. `ttl` is in seconds.

    With `phase` after, the operation is carried out and only its answer is spoiled.
    """

    meant_for: ClassVar[tuple[str, ...]] = _BOTH

    operation: Literal["*", "updateHistory", "listV2"] = "*"
    match: Match = field(default_factory=Match)
    skip: Whole = 0
    times: Annotated[int, Meta(ge=1, le=LIMITS.fault_times)] = 1
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    seed: Annotated[int, Meta(ge=-LIMITS.integer, le=LIMITS.integer)] = 0
    phase: Literal["before", "after"] = "before"
    ttl: Annotated[float, Meta(ge=0.001, le=LIMITS.fault_ttl)] = 60.0

    @staticmethod
    def of(kind: str, **fields: Any) -> Fault:
        """A fault as the admin API takes it: `Fault.of("error", status=502, times=2)`.

        Raises InvalidField for what cannot be.
        """
        return read_fault({"kind": kind, **fields})

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return str(self.__struct_config__.tag)

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that it can fire at."""
        return self.meant_for if self.operation == "*" else (self.operation,)

    @property
    def key(self) -> str | None:
        """The API key that is matched."""
        return self.match.key

    @property
    def body(self) -> dict[str, Any] | None:
        """The fields of the body that are matched."""
        return self.match.body

    @property
    def limit(self) -> tuple[int, int] | None:
        """Requests and seconds of a rate limit."""
        return None

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return size_of(msgspec.to_builtins(self))

    def check(self) -> None:
        """What fields must be like together. Raises InvalidField."""
        if len(msgspec.json.encode(self.body)) > LIMITS.matched_bytes:
            raise wrong(f"at most {LIMITS.matched_bytes} bytes", "more", "match.body")
        if self.operation not in ("*", *self.meant_for):
            expected = " or ".join(("*", *self.meant_for))
            raise wrong(expected, describe_value(self.operation), "operation")


def wrong(expected: str, got: str, name: str) -> InvalidField:
    """The refusal of a field."""
    return InvalidField(f"Expected {expected}, got {got} - at $.{name}")


class Error(Fault, tag="error"):
    """An error answer; `code` is the status unless it says otherwise."""

    status: Annotated[int, Meta(ge=200, le=599)] = 503
    code: Whole | None = None
    message: Annotated[str, Meta(max_length=LIMITS.title_chars)] = "Injected by a fault"
    retry_after: Whole | None = None

    def check(self) -> None:
        """The status has to be one of answers that have a body (RFC 9110 6.4.1)."""
        super().check()
        if self.status in (204, 205, 304):
            raise wrong(
                "a status that has a body", describe_value(self.status), "status"
            )


class Delay(Fault, tag="delay"):
    """The answer comes late: by `ms`, or by `min` to `max`, or around a `median`."""

    ms: Ms | None = None
    min: Ms | None = None
    max: Ms | None = None
    median: Ms | None = None
    sigma: Annotated[float, Meta(ge=0, le=10)] | None = None

    def check(self) -> None:
        """Exactly one of the three forms, and no empty range."""
        super().check()
        forms = ("ms",), ("min", "max"), ("median", "sigma")
        given = tuple(
            name for form in forms for name in form if getattr(self, name) is not None
        )
        if given not in forms:
            got = " and ".join(given) or "nothing"
            raise wrong("ms, or min and max, or median and sigma", got, "ms")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise wrong("a max of at least min", describe_value(self.max), "max")


class Hang(Fault, tag="hang"):
    """No answer; the connection is closed after a minute."""


class Reset(Fault, tag="reset"):
    """No answer; the connection is reset (RST)."""


class Empty(Fault, tag="empty"):
    """No answer; the connection is closed (FIN)."""


class Garbage(Fault, tag="garbage"):
    """Bytes that are no HTTP, then the connection is closed."""


class Truncate(Fault, tag="truncate"):
    """The answer ends after so many bytes of its body, half of them by default."""

    kept: Whole | None = field(default=None, name="bytes")


class MalformedJson(Fault, tag="malformed_json"):
    """A 200 with a body that no JSON parser accepts."""


class Dribble(Fault, tag="dribble"):
    """The answer comes in pieces, with `ms` between them."""

    chunks: Annotated[int, Meta(ge=2, le=1_000)] = 10
    ms: Ms = 100.0

    def check(self) -> None:
        """All pieces together stay below the limit of one answer."""
        super().check()
        if self.chunks * self.ms > LIMITS.fault_ms:
            expected = f"chunks times ms of at most {LIMITS.fault_ms}"
            raise wrong(expected, describe_value(self.chunks * self.ms), "ms")


class RateLimited(Fault, tag="rate_limit", kw_only=True):
    """A 429 for what exceeds `limit` requests in `window` seconds, for each key."""

    requests: Annotated[int, Meta(ge=1, le=LIMITS.integer)] = field(name="limit")
    window: Annotated[int, Meta(ge=1, le=86_400)]
    times: Annotated[int, Meta(ge=1, le=LIMITS.fault_times)] | None = None  # type: ignore[assignment]

    @property
    def limit(self) -> tuple[int, int]:
        """Requests, and seconds from the first of them."""
        return self.requests, self.window


class LostWrite(Fault, tag="lost_write"):
    """A pin is answered like any other, and forgotten."""

    meant_for = ("updateHistory",)


class PageDrift(Fault, tag="page_drift"):
    """The list is another one than for the page before: at an index of the whole list
    some items appear, or vanish.
    """

    meant_for = ("listV2",)

    at: Whole = 0
    insert: Annotated[int, Meta(ge=1, le=LIMITS.page_size)] | None = None
    remove: Annotated[int, Meta(ge=1, le=LIMITS.page_size)] | None = None

    def check(self) -> None:
        """Exactly one of both."""
        super().check()
        if (self.insert is None) is (self.remove is None):
            got = "nothing" if self.insert is None else "both"
            raise wrong("insert or remove", got, "insert")


class DuplicateItem(Fault, tag="duplicate_item"):
    """A page begins with an item that was already on the page before."""

    meant_for = ("listV2",)


class WrongTotal(Fault, tag="wrong_total"):
    """A page has a total that is off."""

    meant_for = ("listV2",)

    by: Annotated[int, Meta(ge=-LIMITS.integer, le=LIMITS.integer)] = 1


class Alter(Fault, tag="alter"):
    """Every item of a page has fields set, or removed."""

    meant_for = ("listV2",)

    changes: dict[str, Any] = field(default_factory=dict, name="set")
    removals: list[str] = field(default_factory=list, name="remove")

    def check(self) -> None:
        """Something has to change."""
        super().check()
        if not (self.changes or self.removals):
            raise wrong("fields to set, or to remove", "none", "set")
        for name, value in (("set", self.changes), ("remove", self.removals)):
            if len(msgspec.json.encode(value)) > LIMITS.altered_bytes:
                raise wrong(f"at most {LIMITS.altered_bytes} bytes", "more", name)


DEFINITIONS: dict[str, type[Fault]] = {
    str(each.__struct_config__.tag): each for each in Fault.__subclasses__()
}


def read_fault(fields: Mapping[str, Any]) -> Fault:
    """A fault from plain data: `kind` and fields. Raises InvalidField."""
    given = dict(fields)
    name = given.pop("kind", None)
    if not isinstance(name, str) or name not in DEFINITIONS:
        got = "nothing" if "kind" not in fields else describe_value(name)
        hint = did_you_mean(str(name), DEFINITIONS)
        expected = f"one of {', '.join(DEFINITIONS)}"
        raise InvalidField(f"Expected {expected}, got {got}{hint} - at $.kind")
    fault = convert(given, DEFINITIONS[name])
    fault.check()
    return fault
