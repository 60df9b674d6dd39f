"""The table of kinds: what each says and does. Documents and commands show it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from msgspec import Struct

from mock_server.api.faults import (
    definitions,
    on_answers,
    on_connections,
    on_data,
)
from mock_server.api.faults.definitions import Fault
from mock_server.api.faults.hit import Hit
from mock_server.api.response import Response

Effect = Callable[[Hit], Awaitable[Response | None]]


class Kind(Struct, frozen=True):
    """One kind: its definition, and its effect, which gives the answer to send.

    It gives None where it has recorded and sent all there is.
    """

    definition: type[Fault]
    effect: Effect

    @property
    def name(self) -> str:
        """What a fault calls it."""
        return str(self.definition.__struct_config__.tag)

    @property
    def sentence(self) -> str:
        """What it does, in words."""
        return " ".join((self.definition.__doc__ or "").split())

    @property
    def fields(self) -> Mapping[str, object]:
        """Its own fields and their defaults, NODEFAULT for what must be there."""
        common = {each.name for each in msgspec.structs.fields(Fault)}
        return {
            each.encode_name: each.default
            for each in msgspec.structs.fields(self.definition)
            if each.name not in common
        }


_TABLE = (
    Kind(definitions.Error, on_answers.error),
    Kind(definitions.Delay, on_answers.delay),
    Kind(definitions.Hang, on_connections.hang),
    Kind(definitions.Reset, on_connections.reset),
    Kind(definitions.Empty, on_connections.empty),
    Kind(definitions.Garbage, on_connections.garbage),
    Kind(definitions.Truncate, on_connections.truncate),
    Kind(definitions.MalformedJson, on_answers.malformed_json),
    Kind(definitions.Dribble, on_answers.dribble),
    Kind(definitions.RateLimited, on_answers.rate_limit),
    Kind(definitions.LostWrite, on_data.lost_write),
    Kind(definitions.PageDrift, on_data.page_drift),
    Kind(definitions.DuplicateItem, on_data.duplicate_item),
    Kind(definitions.WrongTotal, on_data.wrong_total),
    Kind(definitions.Alter, on_data.alter),
)
KINDS = {kind.name: kind for kind in _TABLE}
