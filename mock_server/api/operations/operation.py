"""What an operation is: where it is served, and how a body becomes a response."""

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
from mock_server.api.response import Response, error_response, hint_header
from mock_server.domain import errors
from mock_server.domain.call import Call
from mock_server.domain.choices.reading import remedies, served_with, tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import Note
from mock_server.domain.limits import Limits, Published
from mock_server.domain.memory import Memory
from mock_server.domain.messages import describe_value
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import VERSIONS, Facts, Version, facts_of, served_by

Distort = Callable[[Any, Any], Any]
"""Takes an operation's data and its request, and gives other data."""

Encode = Callable[[Any, State], bytes | Response]
"""Writes an operation's data as the body of a response, or as one that is not JSON."""

Gather = Callable[[RequestBody, int, Memory], Awaitable[bytes]]
"""Receives a request of at most so many bytes, and gives its fields as JSON."""

Read = Callable[[bytes, Choices, list[str]], Any]
"""Makes the request of a body; the list gets what to say of fields. Raises Refusal."""

TellRefusal = Callable[[Response, errors.Refusal, bytes, State], Response]
"""Takes the response to a refusal, why it came and the body, and gives another one."""

Access = Literal["caller", "login", "anyone", "guest", "address", "visitor", "link"]
"""Who may call: the holder of a key or a login, of a login only, or anyone; as a guest
also anyone, but a key that is sent says who; or whoever has the address, of which the
last segment is a token that leads to its sandbox. A visitor is the holder of a key or a
login, or who names a share link, which leads to its sandbox, too; or a link alone."""

ADDRESS_END = "/{token}"
"""What the path of such an operation ends with."""
ANY_TYPE = "*/*"
"""The media type of a body that may be of any."""


class RelatedRoute(Struct, frozen=True):
    """What documents say of an operation that the spec does not show.

    `since` is the version of the service that has it. `modelled` and `differs` are
    sentences: what it does here, and where a client can tell it from the service.
    """

    since: str
    modelled: str
    differs: str = ""


DEMO_APP, DEMO_CHAT = "65d8a1f0c3b2a94e7f106a01", "invoice-copy"
DEMO_REFUND, DEMO_RECORD = "refund-4711", "c58346cca250c0fece1a8d18"
DEMO_SHARE = "demosharelinkofthedemo01"
DEMO_DATASET, DEMO_COLLECTION = "6593e137231a2be9c5603ba7", "6593e137231a2be9c5603ba9"


class Example(Struct, frozen=True):
    """A request with these fields; `name` is the statusText if it is refused.

    `fixture` is the shipped one that is served, `key` who sends it if not anyone.
    """

    name: str
    summary: str
    fields: Mapping[str, Any]
    fixture: str = "demo.yaml"
    key: str | None = None


def forbidden(**fields: Any) -> Example:
    """A request for what its key may not read."""
    summary = "A key without read permission"
    key = "fastgpt-outsider"
    return Example("forbidden", summary, fields, "permissions.yaml", key)


# Its handlers of both routes do not look at the method.
_TAKES_IT = "the service takes it: use --profile deployed, or it is {}"

_TRIED_BYTES = 16 * 1024 * 1024
"""Of data up to which a refused request is tried under another version."""


class Former(Struct, frozen=True):
    """What the body is to be in versions of which this fact does not hold."""

    fact: str
    contract: Contract[Any]


class Operation(Struct, frozen=True):
    """One operation, a row of the table.

    `name` is what faults, journal, logs and documents call it: the last segment of its
    path, with what it is about where that is not unique. `contract` says what its body
    is to be, `read` makes the domain's request of the bytes of one, `act` carries
    that out, `encode` writes the data as the whole body of a response, or as a response
    that is not just JSON. `data` is the type of that data in the OpenAPI document,
    `refusals` are those that `act` may raise. `traits` tell which faults have a
    meaning for it: "write" if it changes something, "page" if its data is a `Page`, of
    which `appear` makes items for a request that are not there, "total" if it shows how
    many there are in all. One with "secret" logs somebody in: journals hide its fields.
    `answer` does both, where a body is kept ready for who asks the same again.

    What follows is for operations outside the spec: `related` says what is known of
    it. The service has it in these `versions`; in some of them its body was to be what
    `former` says. It may be called by `further_methods`, and by others than the holder
    of a key (`access`). `tell_refusal` gives a refusal a form of its own. `gather`
    finds its fields where they do not just stand in the body;
    together they have at most `most_bytes`, by default as many as any body.
    `media_type` is what a body has to be, unless it may be left out. `answers` are the
    media types of its answers; they are JSON in an envelope unless `has_envelope` is
    false.

    `also` is another operation by whose name faults and answers mean this one too.

    `examples` are requests that documents show, the first of them not refused.
    `chinese` is the summary in that language.
    """

    name: str
    method: str
    path: str
    summary: str
    contract: Contract[Any]
    data: Any
    refusals: tuple[type[errors.Refusal], ...]
    read: Read
    act: Callable[[Call, Any], Any]
    encode: Encode
    traits: frozenset[str] = frozenset()
    appear: Callable[[Any, int], Any] | None = None
    answer: Callable[[Call, Any], bytes] | None = None
    legacy_path: str | None = None
    related: RelatedRoute | None = None
    versions: tuple[Version, ...] = VERSIONS
    former: Former | None = None
    further_methods: tuple[str, ...] = ()
    access: Access = "caller"
    is_scripted: bool = False
    tell_refusal: TellRefusal | None = None
    also: str = ""
    gather: Gather | None = None
    most_bytes: Callable[[Limits], int] | None = None
    media_type: str = "application/json"
    answers: tuple[str, ...] = ("application/json",)
    has_envelope: bool = True
    examples: tuple[Example, ...] = ()
    chinese: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What faults and answers may call it."""
        return (self.name, self.also) if self.also else (self.name,)

    @property
    def methods(self) -> tuple[str, ...]:
        """All methods by which it may be called."""
        return self.method, *self.further_methods

    def at_older_path(self) -> "Operation":
        """The operation as its older path serves it, where the service takes POST too.

        Raises AttributeError if it has none.
        """
        if "POST" in self.methods:
            return self
        return replace(self, further_methods=(*self.further_methods, "POST"))

    def check_method(
        self, method: str, choices: Choices, headers: Sequence[Header] = ()
    ) -> None:
        """Raises MethodNotAllowed for a method by which it may not be called.

        `headers` are those of the request, for what it says of how to be served.
        """
        # A HEAD must not upload, whatever is chosen.
        by_choice = ("method_mismatch",) if self.access != "address" else ()
        is_taken = any(tolerates(choices, name) for name in by_choice)
        if method not in self.methods and not is_taken:
            needed = remedies(choices, *by_choice)
            hint, is_json = served_with(*needed), "json" in self.media_type
            if method == "GET" and self.method == "POST" and is_json:
                how = "send POST with the fields as a JSON body"
                hint = f"{how}; GET with such a body is {hint}"
            elif self.related is None:
                # All that the headers need, so that no further refusal follows.
                if not values(headers, b"content-type"):
                    needed += remedies(choices, "content_type_missing")
                hint = _TAKES_IT.format(served_with(" and ".join(needed)))
            if method == "POST":  # curl sends it, unless it is told otherwise
                option = "-G" if self.method == "GET" else f"-X {self.method}"
                hint = "; ".join(filter(None, (f"by curl: {option}", hint)))
            got = describe_value(method)
            raise MethodNotAllowed(", ".join(self.methods), got, hint)

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Raises UnsupportedMediaType for a body of another type than it takes."""
        if self.related is None:
            check_content_type(headers, choices)
        else:
            check_related_content_type(method, headers, self.media_type, choices)

    def contract_under(self, facts: Facts) -> Contract[Any]:
        """Return the contract of a version with these facts."""
        former = self.former
        if former is None or getattr(facts, former.fact):
            return self.contract
        return former.contract

    def reader_in(self, state: State) -> Read:
        """Return what reads a request as the version in force does."""
        if self.former is None:
            return self.read
        return self.contract_under(state.facts).read

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """The fields of a body, for faults that match some. Raises BadJson."""
        return read_json(content)

    def respond(
        self, call: Call, content: bytes, distort: Distort | None = None
    ) -> Response:
        """Carry it out for a body that has come; `distort` may change its data.

        Nothing here awaits: what is read and what is written is one moment. Raises
        NotReady.
        """
        state = call.state
        # A refusal becomes a response here already: faults may spoil that too.
        try:
            if self.former is None and call.caller.visitor is None:
                request = self.read(content, state.choices, state.ignored)
            else:
                request = self._request_of(call, content)
            if call.store.due is not None:
                state.settle()
            body: bytes | Response
            if self.answer is not None and distort is None:
                body = self.answer(call, request)
            else:
                data = self.act(call, request)
                if distort is not None:
                    data = distort(data, request)
                body = self.encode(data, state)
        except errors.Refusal as refusal:
            facts = state.take_note().facts
            state.forget_notes()
            contract = self.contract_under(facts_of(state.choices.version))
            contract.name_unknown(refusal, content)
            response = self._refused(call, content, refusal, facts)
            if self.tell_refusal is not None:
                return self.tell_refusal(response, refusal, content, state)
            return response
        except NotReady:
            state.forget_notes()
            raise
        response = Response(200, body) if isinstance(body, bytes) else body
        if state.ignored:
            response = response.with_headers(*map(hint_header, state.ignored))
            state.ignored.clear()
        return replace(response, note=state.take_note()) if state.notes else response

    def _request_of(self, call: Call, content: bytes) -> Any:
        """Return what a body asks for, as the version in force reads it."""
        state, visitor = call.state, call.caller.visitor
        if visitor is not None and self.access == "visitor":
            contract = self.contract_under(state.facts)
            return shares.request_of(visitor, call, content, contract)
        read = self.read if self.former is None else self.reader_in(state)
        return read(content, state.choices, state.ignored)

    def _refused(
        self,
        call: Call,
        content: bytes,
        refusal: errors.Refusal,
        facts: tuple[str, ...],
    ) -> Response:
        """Return the response of a refusal, which names a version that serves this.

        `facts` are what was looked up before; without any, all versions refuse it.
        """
        choices, hints = call.state.choices, []
        is_field, is_short = isinstance(refusal, errors.InvalidField), False
        if is_field and self.related is not None:
            is_short = len(content) <= Published.free_body_bytes  # it is read again
        if is_short and self.contract.looks_at_all(choices):
            facts = (*facts, "fields_are_checked")
        others = (each for each in VERSIONS if each != choices.version)
        serving = (each for each in others if self._is_served_by(each, call, content))
        other = next(serving, None) if facts else None
        if choices.error_form == "plain":
            if other is not None:
                hints = [served_by(choices.version, other)]
                refusal.message += f" ({hints[0]})"
            response = error_response(refusal, choices)
        else:  # whose message is the service's own
            response = error_response(refusal, choices)
            if is_field:
                hints, facts = [refusal.message], (*facts, "bad_fields_are_http_400")
            if other is not None:
                hints.append(served_by(choices.version, other))
                response = response.with_headers(hint_header(hints[-1]))
        if not (facts or hints):
            return response
        return replace(response, note=Note("; ".join(hints) or None, facts=facts))

    def _is_served_by(self, version: Version, call: Call, content: bytes) -> bool:
        """Try a request under another version, on a copy of what the sandbox holds."""
        if call.store.size > _TRIED_BYTES:
            return False  # the copy would keep others waiting
        now = self.contract_under(facts_of(call.state.choices.version))
        other = self.contract_under(facts_of(version))
        if not {*now.names} <= {*other.names}:
            return False  # it would pass over what the request asks for
        choices = call.state.choices.but(version=version)
        try:
            tried = replace(call.state, choices=choices, notes=[], ignored=[])
            request = self._request_of(replace(call, state=tried), content)
            store = call.store.copy()
            tried = replace(tried, store=store, notes=[])
            self.act(replace(call, state=tried, store=store), request)
        except (errors.Refusal, NotReady):
            return False
        return True
