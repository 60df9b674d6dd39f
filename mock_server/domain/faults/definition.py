"""What a fault of any kind is written with: when it fires, and for how long."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

from mock_server.domain.limits import Published
from mock_server.domain.memory import size_of

Whole = Annotated[int, Meta(ge=0, le=Published.integer)]
_FIELDS = Meta(extra={"expected": 'an object such as {"datasetId": "handbook"}'})


class Match(Struct, rename="camel", forbid_unknown_fields=True):
    """Which requests: of this API key, with at least these fields in the body."""

    key: str | None = None
    body: Annotated[dict[str, Any], _FIELDS] | None = None


class Definition(
    Struct, rename="camel", forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    """When a fault fires. Each kind, a subclass of the tag of its name, adds fields."""

    needs: ClassVar[str] = ""
    """The trait that an operation needs for the kind to have a meaning for it."""

    operation: str = "*"
    """The operation that it fires at, by its name; `*` is all, [related
    routes](related-routes.md) too. Or a [declared response](../guides/responses.md),
    by method and path as the fixture has them."""
    match: Match = field(default_factory=Match)
    """The requests that it fires at; without it, all."""
    skip: Whole = 0
    """How many matches pass before it can fire."""
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] = 1
    """How often it fires."""
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """How likely it fires at a match."""
    seed: Annotated[int, Meta(ge=-Published.integer, le=Published.integer)] = 0
    """Where its random stream begins."""
    phase: Literal["before", "after"] = "before"
    """Whether it fires before the operation is carried out, or after."""
    ttl: Annotated[float, Meta(ge=0.001, le=Published.fault_ttl)] = 60.0
    """Seconds after which it ends, however often it has fired."""

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
        return size_of(msgspec.to_builtins(self))


def kind_of(definition: type[Definition]) -> str:
    return str(definition.__struct_config__.tag)
