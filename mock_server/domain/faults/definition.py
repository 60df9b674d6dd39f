"""The fields that faults of all kinds have: when a fault fires, and for how long."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

from mock_server.domain.limits import Published
from mock_server.domain.memory import size_of
from mock_server.domain.messages import cut, describe_value, nearest, quoted
from mock_server.domain.validation.json_match import (
    TESTS,
    count_tests,
    count_values,
    is_test,
)
from mock_server.domain.validation.walk import SURROGATE, Path, size_as_json

WholeNumber = Annotated[int, Meta(ge=0, le=Published.integer)]
_SECONDS = {"expected": f"seconds from 0.001 to {Published.fault_ttl:g}"}
Seconds = Annotated[float, Meta(ge=0.001, le=Published.fault_ttl, extra=_SECONDS)]
FIELDS = Meta(extra={"expected": 'an object such as {"datasetId": "handbook"}'})


_TEXTS = Meta(
    extra={"expected": 'an object of texts such as {"limit": "10"}'},
    extra_json_schema={"additionalProperties": {"anyOf": [{"type": "string"}, *TESTS]}},
)
Texts = Annotated[dict[str, Any], _TEXTS]
_PARAMETERS = Meta(
    extra={"expected": 'an object of path parameters such as {"id": "7"}'},
    extra_json_schema=_TEXTS.extra_json_schema,
)


_QUESTION = Meta(extra={"expected": "a string (any part of what is asked)"})
MATCH = Meta(extra={"expected": 'an object such as {"question": "weather"}'})


_REPEATED_CHARS = 40
"""Number of characters from which a hint does not repeat a text."""


class Match(Struct, rename="camel", forbid_unknown_fields=True):
    """Conditions on a request. A request matches if all given conditions hold.

    Instead of a text, give `{"contains": "..."}` for a part of the text, or
    `{"absent": true}` for a field that the request must not have.
    """

    key: str | None = None
    """The API key, as declared or as sent."""
    body: Annotated[dict[str, Any], FIELDS] | None = None
    """Fields that the body must have; it may have more."""
    query: Texts | None = None
    """Parameters of the query; the last value of each counts."""
    headers: Texts | None = None
    """Headers by name, case-insensitive; the last value of each counts."""
    path: Annotated[dict[str, Any], _PARAMETERS] | None = None
    """Parameters of the path, such as `id` of `GET /api/x/{id}`."""
    question: Annotated[str, _QUESTION] | None = None
    """A part of the last message of a user, case-insensitive."""

    @classmethod
    def unknown_field_hint(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return a hint for the unknown field `name` of a match with these fields."""
        similar = nearest(name, cls.__struct_fields__)
        if similar == "path":
            parameters = 'path has its parameters, such as {"id": "7"}'
            return f" (the operation or route says which path; {parameters})"
        if similar or name in ("content", "text", "message", "prompt", "input"):
            similar = similar or "question"
            meaning = ", the last message of the user" if similar == "question" else ""
            return f" (did you mean {similar!r}{meaning}?)"
        if name in Definition.__struct_fields__:
            return f" (write {name} beside match, not in it)"
        value, value_text = fields[name], "..."
        if isinstance(value, str):
            value_text = quoted(value) if len(value) < _REPEATED_CHARS else value_text
        elif not isinstance(value, list | dict):
            value_text = describe_value(value)
        owner, _, rest = name.partition(".")
        if not rest or owner not in ("body", "query"):
            owner, rest = "body", name
        for part in reversed(cut(rest).split(".")):
            value_text = f"{{{quoted(part)}: {value_text}}}"
        names = ", ".join(cls.__struct_fields__)
        return f' (did you mean {{"{owner}": {value_text}}}? There are {names})'

    def __post_init__(self) -> None:
        # Header names are in lower case in requests, so store them like this here.
        if self.headers:
            self.headers = {name.lower(): own for name, own in self.headers.items()}

    def conditions(self) -> Mapping[str, Any]:
        """Return the conditions that are given, by name."""
        fields = msgspec.structs.asdict(self).items()
        return {name: value for name, value in fields if value is not None}

    def problems(self, *, is_answer: bool = True) -> Iterator[tuple[Path, str]]:
        """Yield the path and the message of each problem that types cannot express.

        `is_answer`: the match belongs to an answer, for which other limits apply.
        """
        # Every request is compared with every match, so matches have to be small.
        limit = Published.answer_matched_bytes if is_answer else Published.matched_bytes
        for name, condition in self.conditions().items():
            size = size_as_json(condition)
            if size is None:
                yield (name,), SURROGATE
            elif size > limit:
                yield (name,), f"Expected at most {limit} bytes, got more"
            for key in condition if name in ("query", "headers", "path") else ():
                if not isinstance(condition[key], str) and not is_test(condition[key]):
                    expected = 'a text, {"contains": "..."} or {"absent": true}'
                    got = describe_value(condition[key])
                    yield (name, key), f"Expected {expected}, got {got}"
        conditions = [*self.conditions().values()]
        limit = Published.answer_tests if is_answer else Published.matched_tests
        if (count := count_tests(conditions) + (self.question is not None)) > limit:
            expected = f"at most {limit} texts with a part, question among them"
            yield (), f"Expected {expected}, got {count}"
        limit = Published.answer_matched_values
        if is_answer and (count := sum(map(count_values, conditions))) > limit:
            expected = f"at most {limit} fields and items, nested ones too"
            yield (), f"Expected {expected}, got {count}"


class Definition(
    Struct, rename="camel", forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    """The definition of a fault: when it fires. Each kind of fault is a subclass."""

    is_answer: ClassVar[bool] = False
    """True for the kinds that send a scripted response, and do not break anything."""
    trait: ClassVar[str] = ""
    """The trait that an operation must have for this kind; "" for all operations."""

    operation: str = "*"
    """Name of the operation; `*` means all. An answer may have method and path."""
    match: Annotated[Match, MATCH] = field(default_factory=Match)
    """Conditions on requests; by default all match."""
    skip: WholeNumber = 0
    """Matches that pass before the first firing."""
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] = 1
    """Maximum number of firings."""
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """Probability of firing at a match."""
    seed: Annotated[int, Meta(ge=-Published.integer, le=Published.integer)] = 0
    """Seed of the fault's random numbers."""
    phase: Literal["before", "after"] = "before"
    """Fire before or after the operation is performed."""
    ttl: Seconds = 60.0
    """Seconds until the fault expires."""

    @property
    def kind(self) -> str:
        return kind_of(type(self))

    @property
    def limit(self) -> tuple[int, int] | None:
        """The number of requests and the window (seconds) of a rate limit."""
        return None

    @property
    def fires_on_resends(self) -> bool:
        """True if the fault fires again, uncounted, when the client resends a request.

        A client's HTTP layer may resend a request after the connection has ended.
        """
        return False

    @property
    def size(self) -> int:
        """Estimated bytes of memory that the fault takes."""
        return size_of(self.plain_fields())

    def plain_fields(self) -> dict[str, Any]:
        """Return the fields as plain data; large JSON values stay encoded (`Raw`)."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields


def kind_of(definition: type[Definition]) -> str:
    """Return the name of a kind of fault, which is the tag of its class."""
    return str(definition.__struct_config__.tag)
