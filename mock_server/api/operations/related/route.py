"""The decorator `route`, which makes a function a related route.

`@route("PUT /api/...", ...)` makes the function's row in the table of operations. The
type of its last parameter is the type of requests; its return type is the type of the
data. The first line of its docstring is the summary; the rest is the description.

A GET or DELETE has its fields in the query, any other request in the query or in a JSON
body. The server collects the fields in one JSON object: faults match it, contracts
check it, and the journal shows it as the body.
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

__all__ = ["Call", "Handler", "PageView", "RequestFields", "encode_data", "route"]

Handler = Callable[[Call, Any], Any]
SECTION = "related_route"
"""The section that violations of these routes name."""
_QUERY_METHODS = "GET", "DELETE"
_PAGING = "offset", "pageNum", "pageSize"
_COMMON_ENDS = frozenset({"create", "list", "detail", "update", "delete", "paths"})
"""Last segments of several paths; a name has the segment before them as well."""


class PageView(Struct):
    """A page of a list, and the number of all items."""

    items: list[Any] = field(name="list")
    total: int


class RareFields(TypedDict, total=False):
    """Fields of `Operation` that few related routes set."""

    legacy_path: str
    access: operation.Access
    max_body_bytes: Callable[[Limits], int]
    media_type: str
    response_types: tuple[str, ...]
    has_envelope: bool
    is_scripted: bool
    shape_refusal: operation.RefusalShaper
    matched_as: str
    invent_item: Callable[[Any, int], Any]
    versions: tuple[Version, ...]
    chinese: str


def text_bytes(limits: Limits) -> int:
    """Return the maximum size in bytes of a body with texts, for `max_body_bytes`."""
    return limits.text_body_bytes


def route(
    methods_and_path: str,
    *,
    since: str,
    differences: str = "",
    behaviour: str = "",
    refusals: tuple[type[Refusal], ...] = (),
    example: Mapping[str, Any] | None = None,
    is_write: bool = False,
    item_view: Callable[[Any, Any], Any] | None = None,
    has_total: bool = True,
    name: str = "",
    data_type: Any = UNSET,
    encode: operation.Encoder | None = None,
    traits: Set[str] = frozenset(),
    read_fields: operation.FieldsReader | None = None,
    former_fields: tuple[str, type[RequestFields]] | None = None,
    is_always_checked: bool = False,
    is_strict: bool = False,
    **rare_fields: Unpack[RareFields],
) -> Callable[[Handler], operation.Operation]:
    """Return a decorator that makes a function the table row of a route.

    `methods_and_path` is like "POST|PUT /api/..."; the default of `name` is the last
    segment of the path. `since`, `differences` and `behaviour` are texts of the
    documentation. `is_write` adds the trait "write". `item_view` makes the view of an
    item of a page; a page without a total is an array. `data_type` is by default the
    return type of `item_view` or of the function. `former_fields` is a pair: the name
    of a fact, and the type of requests in versions without that fact.
    `is_always_checked` means that versions before 4.14.11 also check the fields,
    `is_strict` that every choice refuses unknown fields. `example` has the fields of a
    request that the demo fixture accepts.
    """
    methods, path = methods_and_path.split()
    method, *other_methods = methods.split("|")
    *_, parent, last = path.split("/")

    if rare_fields.get("access") in VISITED:
        refusals = (*refusals, *SHARE)

    def row_of(handler: Handler) -> operation.Operation:
        """Return the row of a route whose function is `handler`."""
        *_, fields_type, return_type = handler.__annotations__.values()
        first, _, rest = cleandoc(handler.__doc__ or "").partition(".\n\n")
        description = " ".join(filter(None, (rest.replace("\n", " "), behaviour)))
        default = read_query if method in _QUERY_METHODS else read_body_and_query
        reader = read_fields or default

        def contract_of(fields: type[RequestFields]) -> Contract[RequestFields]:
            return Contract(
                SECTION,
                fields,
                fields_hint=_SOURCES.get(reader, ""),
                is_always_checked=is_always_checked,
                is_strict=is_strict,
            )

        contract, former_contract = contract_of(fields_type), None
        if former_fields is not None:
            fact, former_type = former_fields
            former_contract = operation.FormerContract(fact, contract_of(former_type))
        summary = first.removesuffix(".")
        all_traits = {*traits, *(["write"] if is_write else [])}
        encoder = encode or encode_data
        if item_view is not None:
            return_type = list.__class_getitem__(item_view.__annotations__["return"])
            all_traits.add("page")
            encoder = _page_encoder(item_view, has_total)
        if "page" in all_traits and has_total:
            all_traits.add("total")
        page_refusals = (LimitReached,) if "page" in all_traits else ()
        return operation.Operation(
            name=name or (f"{parent}.{last}" if last in _COMMON_ENDS else last),
            method=method,
            further_methods=tuple(other_methods),
            path=path,
            summary=summary,
            contract=contract,
            data_type=return_type if data_type is UNSET else data_type,
            refusals=tuple(dict.fromkeys((*refusals, *page_refusals))),
            read=contract.read,
            handle=handler,
            encode=encoder,
            traits=frozenset(all_traits),
            related=operation.RelatedRoute(since, description, differences),
            examples=()
            if example is None
            else (operation.Example("answer", summary, example),),
            read_fields=reader,
            former_contract=former_contract,
            **rare_fields,
        )

    return row_of


def encode_data(data: Any, _: State) -> bytes:
    """Return data as JSON, in the envelope of a success."""
    return SUCCESS % (msgspec.json.encode(data))


def _page_encoder(
    item_view: Callable[[Any, Any], Any], has_total: bool
) -> operation.Encoder:
    def encode(page: Page[Any], state: State) -> bytes:
        items = items_of(item_view(item, page) for item in page.items)
        return encode_data(PageView(items, page.total) if has_total else items, state)

    return encode


async def read_body_and_query(
    body: RequestBody, max_bytes: int, memory: Memory
) -> bytes:
    """Return the fields of body and query as one JSON object; the query wins.

    An empty body counts as an empty object (in FastGPT, only with a JSON content type).
    Raises BadJson if there is a query, and the body is not a JSON object.
    """
    content = await body.read(max_bytes, memory)
    query = body.scope["query_string"]
    if not query:
        return content or b"{}"
    fields = read_raw(content) if content else {}
    return msgspec.json.encode(fields | query_fields(query))


async def read_query(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the fields of the query as one JSON object; ignore the body."""
    await body.read(max_bytes, memory)
    return msgspec.json.encode(query_fields(body.scope["query_string"]))


async def read_body(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the body, or `{}` if it is empty; ignore the query."""
    return await body.read(max_bytes, memory) or b"{}"


async def read_by_method(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the body, or the fields of the query of a GET, as old clients send."""
    read = read_body_and_query if body.scope["method"] == "GET" else read_body
    return await read(body, max_bytes, memory)


async def read_body_and_page(
    body: RequestBody, max_bytes: int, memory: Memory
) -> bytes:
    """Return the body; add the query's paging fields if only the query has `pageSize`.

    Raises BadJson if the query has `pageSize`, and the body is not a JSON object.
    """
    content = await read_body(body, max_bytes, memory)
    query = query_fields(body.scope["query_string"])
    if "pageSize" not in query or "pageSize" in (fields := read_raw(content)):
        return content
    page = {name: query[name] for name in _PAGING if name in query}
    return msgspec.json.encode(fields | page)


async def read_body_or_query(
    body: RequestBody, max_bytes: int, memory: Memory
) -> bytes:
    """Return the body if it has fields, else the query's fields as one JSON object.

    Raises BadJson if the body is not a JSON object.
    """
    content = await read_body(body, max_bytes, memory)
    query = query_fields(body.scope["query_string"])
    return content if read_raw(content) else msgspec.json.encode(query)


def query_fields(query: bytes) -> dict[str, object]:
    """Return the fields of a query; a repeated field becomes an array."""
    values: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        values.setdefault(name, []).append(value)
    return {name: each[0] if len(each) == 1 else each for name, each in values.items()}


_SOURCES: dict[operation.FieldsReader, str] = {
    read_query: "the server reads the query, not a body",
    read_body: operation.BODY_ONLY,
    read_by_method: "the server reads the body, and a query only of a GET",
    read_body_and_page: "the server reads the body, and only the page of a query",
}
"""The end of a message on a missing field: the part of the request that is read."""
