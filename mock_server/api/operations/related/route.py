"""Declares a related route: the decorator and docstring of its function describe it.

`@route("PUT /api/...", ...)` makes the table row of the function below it. Its last
parameter has the type of requests, its return type is that of the data; the first line
of its docstring is the summary, the rest describes what is modelled.

The fields of a GET or DELETE are in the query, of any other request in the query or a
JSON body. They are gathered in one JSON object, which faults match, contracts check and
journals show as the body.
"""

from collections.abc import Callable, Mapping, Set
from inspect import cleandoc
from typing import Any, TypedDict, Unpack
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, Struct, field

from mock_server.api.envelope import SUCCESS
from mock_server.api.items import items_of
from mock_server.api.operations import operation
from mock_server.api.operations.contract import Contract, RequestFields
from mock_server.api.operations.shares import SHARE, VISITED
from mock_server.api.request import RequestBody, read_raw
from mock_server.domain.call import Call
from mock_server.domain.errors import LimitReached, Refusal
from mock_server.domain.limits import Limits
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.memory import Memory
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import Version

__all__ = ["Act", "Call", "ListOf", "RequestFields", "encode_data", "route"]

Act = Callable[[Call, Any], Any]
SECTION = "related_route"
"""Section of these routes in violations."""
_SHORT = "GET", "DELETE"
_PAGING = "offset", "pageNum", "pageSize"
_OF_MANY = frozenset({"create", "list", "detail", "update", "delete", "paths"})


class ListOf(Struct):
    """A page of a list, and the number of all items."""

    items: list[Any] = field(name="list")
    total: int


class RarerFields(TypedDict, total=False):
    """Fields of `Operation` that few related routes set."""

    legacy_path: str
    access: operation.Access
    most_bytes: Callable[[Limits], int]
    media_type: str
    answers: tuple[str, ...]
    has_envelope: bool
    is_scripted: bool
    shape_refusal: operation.ShapeRefusal
    also: str
    appear: Callable[[Any, int], Any]
    versions: tuple[Version, ...]
    chinese: str


def text_bytes(limits: Limits) -> int:
    """`most_bytes` of bodies with texts."""
    return limits.text_body_bytes


def route(
    where: str,
    *,
    since: str,
    differs: str = "",
    modelled: str = "",
    refuses: tuple[type[Refusal], ...] = (),
    example: Mapping[str, Any] | None = None,
    writes: bool = False,
    shows: Callable[[Any, Any], Any] | None = None,
    has_total: bool = True,
    name: str = "",
    data: Any = UNSET,
    encode: operation.Encode | None = None,
    traits: Set[str] = frozenset(),
    gather: operation.Gather | None = None,
    former: tuple[str, type[RequestFields]] | None = None,
    is_checked: bool = False,
    is_strict: bool = False,
    **rarer: Unpack[RarerFields],
) -> Callable[[Act], operation.Operation]:
    """Return the table row of the function below.

    `where` has methods and a path; its last segment is the name, after the one before
    it if many routes end alike. `shows` makes the view of an item of a page; a
    page without a total is an array. `data` is the type of the data, by default the
    return type of `shows` or the function. `former` is the name of a fact, and the type
    of requests in versions without this fact. A route that `is_checked` was checked
    before 4.14.11 too; one that `is_strict` refuses unknown fields. `example` are
    fields of a request that the demo fixture accepts.
    """
    methods, path = where.split()
    method, *further = methods.split("|")
    *_, noun, last = path.split("/")

    if rarer.get("access") in VISITED:
        refuses = (*refuses, *SHARE)

    def row_of(act: Act) -> operation.Operation:
        *_, body, given = act.__annotations__.values()
        first, _, rest = cleandoc(act.__doc__ or "").partition(".\n\n")
        text = " ".join(filter(None, (rest.replace("\n", " "), modelled)))
        reads = gather or (gather_query if method in _SHORT else gather_fields)

        def read_as(kind: type[RequestFields]) -> Contract[RequestFields]:
            return Contract(
                SECTION,
                kind,
                where=_WHERE.get(reads, ""),
                is_checked=is_checked,
                is_strict=is_strict,
            )

        contract = read_as(body)
        summary = first.removesuffix(".")
        own = {*traits, *(["write"] if writes else [])}
        shown, write = given, encode or encode_data
        if shows is not None:
            shown = list.__class_getitem__(shows.__annotations__["return"])
            own, write = own | {"page"}, _page_encoder(shows, has_total)
        if "page" in own and has_total:
            own.add("total")
        pages = (LimitReached,) if "page" in own else ()
        return operation.Operation(
            name=name or (f"{noun}.{last}" if last in _OF_MANY else last),
            method=method,
            further_methods=tuple(further),
            path=path,
            summary=summary,
            contract=contract,
            data=shown if data is UNSET else data,
            refusals=tuple(dict.fromkeys((*refuses, *pages))),
            read=contract.read,
            act=act,
            encode=write,
            traits=frozenset(own),
            related=operation.RelatedRoute(since, text, differs),
            examples=()
            if example is None
            else (operation.Example("answer", summary, example),),
            gather=reads,
            former=former and operation.Former(former[0], read_as(former[1])),
            **rarer,
        )

    return row_of


def encode_data(data: Any, _: State) -> bytes:
    """Return any data in its envelope."""
    return SUCCESS % (msgspec.json.encode(data))


def _page_encoder(
    shows: Callable[[Any, Any], Any], has_total: bool
) -> operation.Encode:
    def encode(page: Page[Any], state: State) -> bytes:
        items = items_of(shows(item, page) for item in page.items)
        return encode_data(ListOf(items, page.total) if has_total else items, state)

    return encode


async def gather_fields(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the fields of body and query as one JSON object; the query's win.

    No body counts as an empty object (the service: with a JSON content type). Raises
    BadJson if there is a query and a body that is not a JSON object.
    """
    content = await body.read(max_bytes, memory)
    query = body.scope["query_string"]
    if not query:
        return content or b"{}"
    given = read_raw(content) if content else {}
    return msgspec.json.encode(given | query_fields(query))


async def gather_query(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the fields of the query as one JSON object; ignore a body."""
    await body.read(max_bytes, memory)
    return msgspec.json.encode(query_fields(body.scope["query_string"]))


async def gather_body(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the body, `{}` if empty; ignore a query."""
    return await body.read(max_bytes, memory) or b"{}"


async def gather_page(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the body, with the page of the query unless the body has one.

    Raises BadJson if there is such a query and a body that is not a JSON object.
    """
    content = await gather_body(body, max_bytes, memory)
    query = query_fields(body.scope["query_string"])
    if "pageSize" not in query or "pageSize" in (given := read_raw(content)):
        return content
    page = {name: query[name] for name in _PAGING if name in query}
    return msgspec.json.encode(given | page)


async def gather_either(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the body if it has fields, else those of the query. Raises BadJson."""
    content = await gather_body(body, max_bytes, memory)
    query = query_fields(body.scope["query_string"])
    return content if read_raw(content) else msgspec.json.encode(query)


def query_fields(query: bytes) -> dict[str, object]:
    """Return the fields of a query; a field given several times is an array."""
    fields: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        fields.setdefault(name, []).append(value)
    return {name: each[0] if len(each) == 1 else each for name, each in fields.items()}


_WHERE: dict[operation.Gather, str] = {
    gather_query: "the query is read, a body is not",
    gather_body: "the body is read, a query is not",
    gather_page: "the body is read, of a query only the page",
}
