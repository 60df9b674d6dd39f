"""What neighbours share: where their fields stand, how lists are paged, the row.

The fields of a neighbour may stand in the query or in a JSON body. They are gathered
in one JSON object, which faults match, contracts check and journals show as the body.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Required, TypedDict, TypeVar, Unpack
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from mock_server.api.operations import contract
from mock_server.api.operations.operation import Access, Neighbour, Operation, Receive
from mock_server.api.request import RequestBody, read_json
from mock_server.api.response import Response, success_envelope
from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import Choices
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page
from mock_server.domain.memory import Memory
from mock_server.domain.state import State
from mock_server.validation.convert import with_integers

SECTION = "neighbour"
"""Stands in violations where those of the spec have its section."""

F = TypeVar("F", bound=contract.RequestFields)
T = TypeVar("T")
Perform = Callable[[State, Caller, Any], Any]
View = Callable[[Any, Page[Any], State], Any]
"""Makes what is shown of an item of a page."""


class NoFields(contract.RequestFields):
    """No fields at all."""


async def receive_fields(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """The fields in the body and in the query as one JSON object; the query's win.

    No body counts as an empty object (the service: with a JSON content type). Raises
    BadJson if there is a query and a body that is no JSON object.
    """
    content = await body.read(max_bytes, memory)
    fields = query_fields(body.scope["query_string"])
    if not fields:
        return content or b"{}"
    given = read_json(content) if content else {}
    return msgspec.json.encode(given | fields)


def query_fields(query: bytes) -> dict[str, object]:
    """The fields of a query; one that stands there several times is an array."""
    fields: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        fields.setdefault(name, []).append(value)
    return {name: each[0] if len(each) == 1 else each for name, each in fields.items()}


class _Row(TypedDict, total=False):
    """What a neighbour's row has as it is given; see `Operation`."""

    name: Required[str]
    path: Required[str]
    summary: Required[str]
    data: Any
    method: str
    further_methods: tuple[str, ...]
    refusals: tuple[type[errors.Refusal], ...]
    receive: Receive
    appear: Callable[[Any, int], Any]
    legacy_path: str
    access: Access
    body_limit: str
    media_type: str
    answers: tuple[str, ...]
    has_envelope: bool


_USUAL: dict[str, Any] = {
    "data": None,
    "method": "POST",
    "refusals": (),
    "receive": receive_fields,
}


def operation(
    *,
    body: type[contract.RequestFields],
    perform: Perform,
    since: str,
    modelled: str,
    differs: str = "",
    view: View | None = None,
    encode: Callable[[Any, State], bytes | Response] | None = None,
    traits: Sequence[str] = (),
    has_total: bool = True,
    **row: Unpack[_Row],
) -> Operation:
    """The row of a neighbour. Its request is its body, decoded.

    What `perform` gives is the data of the envelope, a struct or plain data; for a page
    `view` makes what is shown of each item. A page without a total is shown as an
    array. `encode` replaces all this.
    """
    if encode is None:
        encode = encode_data if view is None else page_encoder(view, has_total)
    if "page" in traits and has_total:
        traits = (*traits, "total")
    made = contract.Contract(SECTION, body)
    return Operation(
        **{**_USUAL, **row},
        contract=made,
        read=reader(made),
        perform=perform,
        encode=encode,
        traits=frozenset(traits),
        neighbour=Neighbour(since, modelled, differs),
    )


def reader(made: contract.Contract[F]) -> Callable[[bytes, Choices], F]:
    """A function that reads a request's fields. It raises BadJson, InvalidField."""

    def read(content: bytes, choices: Choices) -> F:
        try:
            return made.decoder.decode(content)
        except contract.NOT_ON_CONTRACT:
            return with_integers(made.read(content, choices), made.fields)

    return read


def encode_data(data: Any, _: State) -> bytes:
    """The envelope of any data."""
    return success_envelope(msgspec.json.encode(data))


class ListOf(Struct):
    """A page of a list, and how many there are in all."""

    items: list[Any] = field(name="list")
    total: int


def page_encoder(
    view: View, has_total: bool = True
) -> Callable[[Page[Any], State], bytes]:
    """A function that writes a page as `{"list": [...], "total": N}`, or an array."""

    def encode(page: Page[Any], state: State) -> bytes:
        items = [view(item, page, state) for item in page.items]
        return encode_data(ListOf(items, page.total) if has_total else items, state)

    return encode


PageNumber = (
    Annotated[int, Meta(ge=-Limits.integer, le=Limits.integer)]
    | Annotated[str, Meta(max_length=16)]
    | UnsetType
    | None
)


class PagedFields(contract.RequestFields, kw_only=True):
    """The fields by which most lists are paged; digits in strings are numbers."""

    offset: PageNumber = UNSET
    page_num: PageNumber = UNSET
    page_size: PageNumber = UNSET


_DEFAULT_PAGE_SIZE = 10


class Paging(Struct, frozen=True):
    """Where a page starts, and how many items it has at most."""

    offset: int = 0
    size: int = _DEFAULT_PAGE_SIZE


def paging_of(fields: PagedFields, most: int = Limits.neighbour_page_size) -> Paging:
    """The page that the fields ask for, as the service's shared parser reads them.

    Without `pageSize` the others are ignored. An `offset` of 0 gives way to `pageNum`.
    More than `most` items count as that. Raises MissingParams for a `pageSize` that is
    0, empty or null, and InvalidField for what is no number from 0 on. As all that
    concerns fields, it comes before anything is looked for.
    """
    if fields.page_size is UNSET:
        return Paging()
    size = min(_number(fields.page_size, "pageSize"), most)
    if size == 0:
        got = errors.describe_value(fields.page_size)
        raise errors.MissingParams("a number of at least 1", got, "$.pageSize")
    offset = _number(fields.offset, "offset")
    if offset == 0:
        offset = max(0, _number(fields.page_num, "pageNum") - 1) * size
    return Paging(offset, size)


def page_of(
    matching: Sequence[T], paging: Paging, level: Level = Level.READ
) -> Page[T]:
    """A page of what matches."""
    offset, size = paging.offset, paging.size
    items = matching[offset : offset + size]
    return Page(items, len(matching), level, matching, offset, size)


def _number(value: PageNumber, name: str) -> int:
    """A field as a number; what is missing, null or empty is 0. Raises InvalidField."""
    if value is UNSET or value is None or value == "":
        return 0
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and value >= 0:
        return value
    expected = "an integer of at least 0"
    raise errors.InvalidField(
        f"Expected {expected}, got {errors.describe_value(value)} - at $.{name}"
    )
