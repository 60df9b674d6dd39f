"""The type of operations: paths, body, effect and response of each."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from mock_server.api.errors import MethodNotAllowed
from mock_server.api.headers import (
    Header,
    check_content_type,
    check_related_content_type,
    values,
)
from mock_server.api.operations import shares
from mock_server.api.operations.contract import Contract
from mock_server.api.request import RequestBody, read_json
from mock_server.api.response import Response, error_response
from mock_server.domain import errors
from mock_server.domain.call import Call
from mock_server.domain.choices.reading import choices_hint, remedies, tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import Note
from mock_server.domain.limits import Limits, Published
from mock_server.domain.memory import Memory
from mock_server.domain.messages import describe_value
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import VERSIONS, Facts, Version, facts_of, version_hint

Distortion = Callable[[Any, Any], Any]
"""Returns changed data of an operation, for a fault; takes the data and the request."""

Encoder = Callable[[Any, State], bytes | Response]
"""Encodes an operation's data as the body of a response, or as a response."""

FieldsReader = Callable[[RequestBody, int, Memory], Awaitable[bytes]]
"""Receives a request body of at most `int` bytes, and returns its fields as JSON."""

RequestParser = Callable[[bytes, Choices, list[str]], Any]
"""Reads a body into the domain's request; adds hints to the list. Raises Refusal."""

RefusalShaper = Callable[[Response, errors.Refusal, bytes, State], Response]
"""Returns another form of a response; takes the response, its refusal and the body."""

Access = Literal["caller", "login", "anyone", "guest", "address", "visitor", "link"]
"""The credential that an operation requires. "caller": an API key or a login token;
"login": a login token; "anyone": none; "guest": none, but an API key identifies the
caller; "address": the token at the end of the path, which selects the sandbox;
"visitor": an API key, a login token or a share link, which selects the sandbox; "link":
a share link."""

ADDRESS_END = "/{token}"
"""End of the path of an operation with access "address"."""
ANY_TYPE = "*/*"
"""The media type of an operation that takes bodies of any type."""


class RelatedRoute(Struct, frozen=True):
    """Texts on a related route for the documentation.

    `since` is the version of FastGPT that introduced the route. `behaviour` describes
    the behaviour here, `differences` those from FastGPT; both are sentences.
    """

    since: str
    behaviour: str
    differences: str = ""


DEMO_APP, DEMO_CHAT = "65d8a1f0c3b2a94e7f106a01", "invoice-copy"
DEMO_REFUND, DEMO_RECORD = "refund-4711", "c58346cca250c0fece1a8d18"
DEMO_SHARE = "demosharelinkofthedemo01"
DEMO_DATASET, DEMO_COLLECTION = "6593e137231a2be9c5603ba7", "6593e137231a2be9c5603ba9"


class Example(Struct, frozen=True):
    """An example request with these fields, for the documentation.

    If the request is refused, `name` is the statusText of the response. `fixture` is a
    shipped fixture, `key` the API key of the request if the example needs one.
    """

    name: str
    summary: str
    fields: Mapping[str, Any]
    fixture: str = "demo.yaml"
    key: str | None = None


def forbidden_example(**fields: Any) -> Example:
    """Return an example with an API key that may not read the object."""
    summary = "A key without read permission"
    key = "fastgpt-outsider"
    return Example("forbidden", summary, fields, "permissions.yaml", key)


# The handlers in FastGPT for both operations of the spec ignore the method.
_METHOD_HINT = "the service takes it: use --profile deployed, or it is {}"

_BODY_AND_QUERY = "body and query are read"
BODY_ONLY = "the server reads the body, not a query"
"""Where an operation looks for fields."""

_MAX_TRIED_BYTES = 16 * 1024 * 1024
"""Maximum size of a store on whose copy another version tries a refused request."""


class FormerContract(Struct, frozen=True):
    """The contract of an operation in versions where the fact named `fact` is false."""

    fact: str
    contract: Contract[Any]


class Operation(Struct, frozen=True):
    """One operation, a row of the table.

    `name` identifies the operation in faults, journal, log and documentation: the last
    segment of its path, with its object if that is not unique. `contract` reads its
    body, `read` returns the domain's request, `handle` runs it, `encode` returns the
    body of the response, or a response that is not just JSON. `data_type` is the type
    of the data in the OpenAPI document, `refusals` are the errors of `handle`. `traits`
    decide which faults apply: "write" if the operation changes data, "page" if its data
    is a `Page`, for which `invent_item` makes items, "total" if the page has a total.
    The journal hides the fields of an operation with the trait "secret".
    `handle_and_encode`, if given, replaces `handle` and `encode` by one function, which
    caches bodies.

    The other fields are for related routes; `related` documents the route. `versions`
    are the versions that have the route; `former_contract` is its contract in some of
    them. `further_methods` are accepted, too. `access` is the credential that a caller
    needs. `shape_refusal` changes the form of a refusal. `read_fields` returns the
    fields as JSON if the body alone does not contain them; `max_body_bytes` limits the
    body (default: `body_bytes`). `media_type` is the type of the body, `response_types`
    are the types of responses; JSON is in an envelope if `has_envelope`. If
    `is_scripted`, the operation matches answers itself, even if the sandbox has no
    faults.

    Faults and answers for the operation named `matched_as` apply to this one too.
    `examples` are requests for the documentation; the first one succeeds. `chinese` is
    the summary in Chinese.
    """

    name: str
    method: str
    path: str
    summary: str
    contract: Contract[Any]
    data_type: Any
    refusals: tuple[type[errors.Refusal], ...]
    read: RequestParser
    handle: Callable[[Call, Any], Any]
    encode: Encoder
    traits: frozenset[str] = frozenset()
    invent_item: Callable[[Any, int], Any] | None = None
    handle_and_encode: Callable[[Call, Any], bytes] | None = None
    legacy_path: str | None = None
    related: RelatedRoute | None = None
    versions: tuple[Version, ...] = VERSIONS
    former_contract: FormerContract | None = None
    further_methods: tuple[str, ...] = ()
    access: Access = "caller"
    is_scripted: bool = False
    shape_refusal: RefusalShaper | None = None
    matched_as: str = ""
    read_fields: FieldsReader | None = None
    max_body_bytes: Callable[[Limits], int] | None = None
    media_type: str = "application/json"
    response_types: tuple[str, ...] = ("application/json",)
    has_envelope: bool = True
    examples: tuple[Example, ...] = ()
    chinese: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names by which faults and answers select the operation."""
        return (self.name, self.matched_as) if self.matched_as else (self.name,)

    @property
    def methods(self) -> tuple[str, ...]:
        """Return all methods that the operation accepts."""
        return self.method, *self.further_methods

    @property
    def reads_query(self) -> bool:
        """Return whether fields may be in the query."""
        return self.related is not None and self.contract.fields_hint != BODY_ONLY

    def at_older_path(self) -> "Operation":
        """Return the operation for its older path, where it accepts POST, too."""
        if "POST" in self.methods:
            return self
        return replace(self, further_methods=(*self.further_methods, "POST"))

    def check_method(
        self, method: str, choices: Choices, headers: Sequence[Header] = ()
    ) -> None:
        """Raise MethodNotAllowed unless the operation takes this method.

        `headers` of the request decide which choices a hint needs.
        """
        # An upload by HEAD must fail under any choice.
        by_choice = ("method_mismatch",) if self.access != "address" else ()
        is_taken = any(tolerates(choices, name) for name in by_choice)
        if method not in self.methods and not is_taken:
            needed = remedies(choices, *by_choice)
            hint, is_json = choices_hint(*needed), "json" in self.media_type
            if method == "GET" and self.method == "POST" and is_json:
                advice = "send POST with the fields as a JSON body"
                hint = f"{advice}; GET with such a body is {hint}"
            elif self.related is None:
                # Name all choices that the request needs to be accepted.
                if not values(headers, b"content-type"):
                    needed += remedies(choices, "content_type_missing")
                hint = _METHOD_HINT.format(choices_hint(" and ".join(needed)))
            if method == "POST":  # curl's method for a request with data
                option = "-G" if self.method == "GET" else f"-X {self.method}"
                hint = "; ".join(filter(None, (f"by curl: {option}", hint)))
            got = describe_value(method)
            raise MethodNotAllowed(", ".join(self.methods), got, hint)

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Raise UnsupportedMediaType for a body of a wrong type."""
        if self.related is None:
            check_content_type(headers, choices)
        else:
            hint = f"send this header: {self.contract.fields_hint or _BODY_AND_QUERY}"
            check_related_content_type(method, headers, self.media_type, choices, hint)

    def contract_under(self, facts: Facts) -> Contract[Any]:
        """Return the contract in a version that has these facts."""
        former = self.former_contract
        if former is None or getattr(facts, former.fact):
            return self.contract
        return former.contract

    def reader_in(self, state: State) -> RequestParser:
        """Return the function that reads a body in the version of `state`."""
        if self.former_contract is None:
            return self.read
        return self.contract_under(state.facts).read

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """Return the fields of a body, for faults to match. Raises BadJson."""
        # The application has checked the counts of a body as large as this.
        is_checked = len(content) > Published.free_body_bytes
        return read_json(content, is_checked=is_checked)

    def respond(
        self, call: Call, content: bytes, distortion: Distortion | None = None
    ) -> Response:
        """Run the operation on a body, and return its response; refusals are responses.

        `distortion` may change the data. The method never awaits, so all its reads and
        writes happen at one moment. Raises NotReady.
        """
        state = call.state
        # Refusals become responses here, because faults may change these, too.
        try:
            if self.former_contract is None and call.caller.visitor is None:
                request = self.read(content, state.choices, state.ignored)
            else:
                request = self._request_of(call, content)
            if call.store.due_time is not None:
                state.train_due_rows()
            body: bytes | Response
            if self.handle_and_encode is not None and distortion is None:
                body = self.handle_and_encode(call, request)
            else:
                data = self.handle(call, request)
                if distortion is not None:
                    data = distortion(data, request)
                body = self.encode(data, state)
        except errors.Refusal as refusal:
            facts = state.take_note().facts
            state.forget_notes()
            contract = self.contract_under(facts_of(state.choices.version))
            contract.suggest_unknown(refusal, content)
            response = self._refused(call, content, refusal, facts)
            if self.shape_refusal is not None:
                return self.shape_refusal(response, refusal, content, state)
            return response
        except NotReady:
            state.forget_notes()
            raise
        response = Response(200, body) if isinstance(body, bytes) else body
        if state.ignored:
            response = response.with_hints(*state.ignored)
            state.ignored.clear()
        return replace(response, note=state.take_note()) if state.notes else response

    def _request_of(self, call: Call, content: bytes) -> Any:
        """Return the request in a body, as the version in force reads it."""
        state, visitor = call.state, call.caller.visitor
        if visitor is not None and self.access == "visitor":
            contract = self.contract_under(state.facts)
            return shares.read_visitor_request(visitor, call, content, contract)
        read = self.read if self.former_contract is None else self.reader_in(state)
        return read(content, state.choices, state.ignored)

    def _refused(
        self,
        call: Call,
        content: bytes,
        refusal: errors.Refusal,
        facts: tuple[str, ...],
    ) -> Response:
        """Return the response to a refusal, with a version that accepts the request.

        `facts` names the facts of the version that decided; if there are none, all
        versions refuse the request.
        """
        choices, hints = call.state.choices, []
        is_field, is_short = isinstance(refusal, errors.InvalidField), False
        if is_field and self.related is not None:
            is_short = len(content) <= Published.free_body_bytes  # to be read again
        if is_short and self.contract.checks_all_fields(choices):
            facts = (*facts, "fields_are_checked")
        versions = (each for each in VERSIONS if each != choices.version)
        serving = (each for each in versions if self._is_served_by(each, call, content))
        # The limits of this server are the same in all versions.
        may_differ = facts and not isinstance(refusal, errors.LimitReached)
        match = next(serving, None) if may_differ else None
        if choices.error_form == "plain":
            if match is not None:
                hints = [version_hint(choices.version, match)]
                refusal.message += f" ({hints[0]})"
            response = error_response(refusal, choices)
        else:  # `message` is FastGPT's, so the hint goes into a header
            response = error_response(refusal, choices)
            if is_field:
                hints, facts = [refusal.message], (*facts, "bad_fields_are_http_400")
            if match is not None:
                hints.append(version_hint(choices.version, match))
                response = response.with_hints(hints[-1])
        if not (facts or hints):
            return response
        return replace(response, note=Note("; ".join(hints) or None, facts=facts))

    def _is_served_by(self, version: Version, call: Call, content: bytes) -> bool:
        """Return whether a version accepts a request, by trying it on copied data."""
        if call.store.size > _MAX_TRIED_BYTES:
            return False  # copying a large store would delay other requests
        now = self.contract_under(facts_of(call.state.choices.version))
        contract = self.contract_under(facts_of(version))
        if not {*now.names} <= {*contract.names}:
            return False  # the other version would ignore fields of the request
        choices = call.state.choices.replaced(version=version)
        try:
            copy = replace(call.state, choices=choices, notes=[], ignored=[])
            request = self._request_of(replace(call, state=copy), content)
            store = call.store.copy()
            copy = replace(copy, store=store, notes=[])
            self.handle(replace(call, state=copy, store=store), request)
        except (errors.Refusal, NotReady):
            return False
        return True
