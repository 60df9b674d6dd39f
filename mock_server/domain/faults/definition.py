"""What a fault of any kind is written with: when it fires, and for how long."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

from mock_server.domain.limits import Published
from mock_server.domain.memory import size_of
from mock_server.domain.messages import cut, describe_value, nearest, quoted
from mock_server.domain.validation.json_match import TESTS, is_test, tests_in, values_in
from mock_server.domain.validation.walk import Path

Whole = Annotated[int, Meta(ge=0, le=Published.integer)]
_SECONDS = {"expected": f"seconds from 0.001 to {Published.fault_ttl:g}"}
Seconds = Annotated[float, Meta(ge=0.001, le=Published.fault_ttl, extra=_SECONDS)]
FIELDS = Meta(extra={"expected": 'an object such as {"datasetId": "handbook"}'})


_TEXTS = Meta(
    extra={"expected": 'an object of texts such as {"limit": "10"}'},
    extra_json_schema={"additionalProperties": {"anyOf": [{"type": "string"}, *TESTS]}},
)
Texts = Annotated[dict[str, Any], _TEXTS]


_ASKED = Meta(extra={"expected": "a string (any part of what is asked)"})
MATCH = Meta(extra={"expected": 'an object such as {"question": "weather"}'})


class Match(Struct, rename="camel", forbid_unknown_fields=True):
    """Which requests: all that is given has to be so.

    In the place of a text may stand `{"contains": "..."}`, or `{"absent": true}` for
    what a request must not have.
    """

    key: str | None = None
    """The API key, as it is declared or as it is sent."""
    body: Annotated[dict[str, Any], FIELDS] | None = None
    """Fields that the body has at least."""
    query: Texts | None = None
    """Parameters of the query; the last value of each counts."""
    headers: Texts | None = None
    """Headers by name, in any case of letters; of several the last counts."""
    path: Texts | None = None
    """Parameters of the path, such as `id` of `GET /api/x/{id}`."""
    question: Annotated[str, _ASKED] | None = None
    """A part of the last message of a user, in any case of letters."""

    @classmethod
    def meant_by(cls, name: str, _: Mapping[str, object]) -> str:
        """What to write for a field of a request that stands here itself."""
        if near := nearest(name, cls.__struct_fields__):
            what = ", the last message of the user" if near == "question" else ""
            return f" (did you mean {near!r}{what}?)"
        own = "question", "body"
        others = ", ".join(each for each in cls.__struct_fields__ if each not in own)
        asked, written = (
            '{"question": "..."}',
            f'{{"body": {{{quoted(cut(name))}: ...}}}}',
        )
        how = f"write {asked} for what is asked, {written} for a field of the body"
        return f" ({how}; there are {others} too)"

    def __post_init__(self) -> None:
        # As those of a request are.
        if self.headers:
            self.headers = {name.lower(): own for name, own in self.headers.items()}

    def given(self) -> Mapping[str, Any]:
        """What is given of it, by name."""
        fields = msgspec.structs.asdict(self).items()
        return {name: value for name, value in fields if value is not None}

    def problems(self, *, is_answer: bool = True) -> Iterator[tuple[Path, str]]:
        """What no type can say of it, as that of an answer or of a fault."""
        # Each request is compared with each match, so they have to be small.
        most = Published.answer_matched_bytes if is_answer else Published.matched_bytes
        for name, wanted in self.given().items():
            if len(msgspec.json.encode(wanted)) > most:
                yield (name,), f"Expected at most {most} bytes, got more"
            for key in wanted if name in ("query", "headers", "path") else ():
                if not isinstance(wanted[key], str) and not is_test(wanted[key]):
                    expected = 'a text, {"contains": "..."} or {"absent": true}'
                    got = describe_value(wanted[key])
                    yield (name, key), f"Expected {expected}, got {got}"
        given = [*self.given().values()]
        most = Published.answer_tests if is_answer else Published.matched_tests
        if (count := tests_in(given) + (self.question is not None)) > most:
            expected = f"at most {most} texts with a part, question among them"
            yield (), f"Expected {expected}, got {count}"
        most = Published.answer_matched_values
        if is_answer and (count := sum(map(values_in, given))) > most:
            expected = f"at most {most} fields and items, nested ones too"
            yield (), f"Expected {expected}, got {count}"


class Definition(
    Struct, rename="camel", forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    """When a fault fires. Each kind, a subclass of the tag of its name, adds fields."""

    is_answer: ClassVar[bool] = False
    """Whether it gives an answer in place of the operation, and spoils nothing."""
    needs: ClassVar[str] = ""
    """The trait that an operation needs for the kind to have a meaning for it."""

    operation: str = "*"
    """The operation, by name; `*` is all. Or the method and path of an answer."""
    match: Annotated[Match, MATCH] = field(default_factory=Match)
    """The requests; by default all."""
    skip: Whole = 0
    """How many matches pass first."""
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] = 1
    """How often it fires."""
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """The probability that it fires at a match."""
    seed: Annotated[int, Meta(ge=-Published.integer, le=Published.integer)] = 0
    """The seed of its random numbers."""
    phase: Literal["before", "after"] = "before"
    """Before or after the operation is performed."""
    ttl: Seconds = 60.0
    """Seconds until it expires."""

    @property
    def kind(self) -> str:
        return kind_of(type(self))

    @property
    def limit(self) -> tuple[int, int] | None:
        """The number of requests and the window (seconds) of a rate limit."""
        return None

    @property
    def meets_resends(self) -> bool:
        """Whether it fires again, uncounted, at a request that is sent again at once.

        A client's HTTP layer sends it again because the connection has ended.
        """
        return False

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return size_of(self.plain())

    def plain(self) -> dict[str, Any]:
        """Return its fields as plain data, but a large JSON value as it is kept."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields


def kind_of(definition: type[Definition]) -> str:
    return str(definition.__struct_config__.tag)
