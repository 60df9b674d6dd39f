"""The story of a request in the model: whose state, which route, who calls, what then.

The order is that of docs/reference/operations: path, method, authorization, content
type, JSON, faults, fields, and what the operation itself checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.model.answers import Answer, Refused, envelope, expected, in_words, refusal
from tests.model.base import Base, Caller, Page
from tests.model.checks import Field, check
from tests.model.choices import Choices, remedies, served_with, tolerates
from tests.model.faults import Asked, Fault, Standing
from tests.model.reading import LARGEST, MEANT, Body
from tests.model.records import Fields, copied
from tests.model.routes import (
    DOCUMENTED,
    LEGACY,
    LIST_V2,
    PAGING,
    PIN,
    ROUTES,
    Route,
)
from tests.model.sandbox import Sandbox

PAGED = {"getHistories", "getPaginationRecords", "scrollList"}
PAGED |= {"data.v2.list", "data.list"}
"""Lists whose page may stand in the query."""
JSON = "application/json"
BAD_JSON = {
    b"": "nothing",
    b"[]": "an array",
    b"{": "malformed JSON, input data was truncated",
    b'{"appId":1,}': "malformed JSON, trailing comma in object (byte 11)",
    b"\xef\xbb\xbf{}": "a byte order mark",
}
"""Bodies that stories send, and what messages call them."""
NEAR_PATHS = {"/api/nothing": "", f"{LIST_V2}/": LIST_V2}
"""Paths that nothing has, and what may be meant."""
_TAKES_IT = "(the service takes it: use --profile deployed, or it is "
_AUTHORIZATION, _ISSUED = "header Authorization", "fastgpt-sbx-"
_RELATED_ROUTE = "a route of the service that the spec does not show"


class Request(NamedTuple):
    """A request; `authorization` are the values of all such headers."""

    method: str
    path: str
    query: dict[str, str]
    authorization: tuple[str, ...]
    token: str | None
    content_type: str | None
    content: bytes

    @property
    def key(self) -> str | None:
        """The one bearer token, if there is one."""
        if len(self.authorization) != 1:
            return None
        found = re.fullmatch(r"(?i:bearer) +([!-+\--~]+)", self.authorization[0])
        return found[1] if found else None


class Service:
    """All sandboxes, by name. `tokens` are those of logins: a sandbox and a user."""

    def __init__(self, default: Sandbox, profile: str) -> None:
        self.profile = profile
        self.sandboxes = {default.name: default}
        self.tokens: dict[str, tuple[str, str]] = {}

    @property
    def default(self) -> Sandbox:
        return self.sandboxes["default"]

    def answer(self, request: Request) -> Answer:
        """What is answered, with all headers that the contract names."""
        sandbox = self._sandbox_of(request)
        try:
            route, path = _route(request.method, request.path, sandbox.plain.choices)
            if route.access == "login" and request.key is not None:
                # A key means nothing here, so neither does it say which sandbox.
                sandbox = self._sandbox_of(request._replace(authorization=()))
                route, path = _route(
                    request.method, request.path, sandbox.plain.choices
                )
            answer = self._admitted(request, sandbox, route, path)
        except Refused as refused:
            answer = refusal(refused, sandbox.plain.choices)
        marks = {
            "x-mock-sandbox": sandbox.name,
            "x-mock-generation": str(sandbox.generation),
        }
        usual = {"content-type": JSON, "cache-control": "no-store"}
        return answer._replace(headers=usual | marks | answer.headers)

    def _sandbox_of(self, request: Request) -> Sandbox:
        """The sandbox to which a key leads, else a login, else the default one."""
        name: str | None = "default"
        if request.key is not None and request.key.startswith(_ISSUED):
            sandboxes = self.sandboxes.values()
            by_prefix = {(each.own or "")[:24]: each.name for each in sandboxes}
            name = by_prefix.get(request.key[:24])
        elif request.key is None and request.token in self.tokens:
            name = self.tokens[request.token][0]
        return self.sandboxes.get(name or "", self.default)

    def _admitted(
        self, request: Request, sandbox: Sandbox, route: Route, path: str
    ) -> Answer:
        choices, is_spec = sandbox.plain.choices, path in DOCUMENTED
        methods = route.methods
        if request.path in LEGACY and "POST" not in methods:
            methods = (*methods, "POST")
        if request.method not in methods:
            allow = ", ".join(methods)
            if not tolerates(choices, "method_mismatch"):
                needed = remedies(choices, "method_mismatch")
                is_get = (request.method, methods[0]) == ("GET", "POST")
                if is_spec and not is_get and request.content_type is None:
                    needed += remedies(choices, "content_type_missing")
                hint = served_with(" and ".join(needed))
                if is_get:
                    how = "send POST with the fields as a JSON body"
                    hint = hint.replace("(", f"({how}; GET with such a body is ")
                elif is_spec:
                    hint = hint.replace("(", _TAKES_IT)
                if request.method == "POST":
                    option = "-G" if methods[0] == "GET" else f"-X {methods[0]}"
                    hint = hint.replace("(", f"(by curl: {option}; ", 1)
                got = in_words(request.method)
                text = expected(f"the method {allow}", got, "method", hint)
                raise Refused("method", text, allow)
        caller = self._caller(request, sandbox, route, is_spec)
        _check_type(request, choices, route, is_spec)
        fields = _fields(request, route, is_spec)
        keys = request.key or "", caller["key"]
        asked = Asked(route.operation, route.traits, *keys, fields)
        limits: list[Standing] = []
        for fault in sandbox.faults:
            if fault.fires(asked, sandbox.plain.state["clock"]):
                return _spoilt(fault, sandbox, route, caller, fields)
            if fault.standing is not None:
                limits.append(fault.standing)
        answer = _performed(sandbox.plain, route, caller, fields)
        more = limits[0].headers() if limits else {}
        return answer._replace(headers=answer.headers | more)

    def _caller(
        self, request: Request, sandbox: Sandbox, route: Route, is_spec: bool
    ) -> Caller:
        choices, key = sandbox.plain.choices, request.key
        if route.access == "caller" and request.authorization:
            if key is None:
                given = [each.strip().lower() for each in request.authorization]
                got = "two" if len(given) > 1 else "something else"
                if len(given) == 1 and not given[0].startswith("bearer "):
                    got = 'a header that does not begin with "Bearer "'
                if request.authorization[0].strip().lower() == "bearer":
                    got = "one without a key"
                raise Refused("no_key", _no_key(got))
            return _holder(key, sandbox)
        user = None
        at, name = self.tokens.get(request.token or "", ("", ""))
        if at == sandbox.name:
            user = sandbox.user(name)
        is_taken = not is_spec or tolerates(choices, "credentials")
        values = remedies(choices, "credentials") if user and is_spec else []
        if route.access == "caller" and not (request.token and is_taken):
            raise Refused("no_key", _no_key("nothing", *values))
        if user is not None and is_taken:
            return user
        if route.access == "anyone":
            return {"key": "", "permission": "none"}
        got = "an API key" if request.authorization else "nothing"
        if request.token:
            got = "one that no login has given"
        if user is not None:
            got = "one that this operation does not accept"
        what = "a login token, in header `token` or cookie `fastgpt_token`"
        raise Refused("no_key", expected(what, got, "headers", served_with(*values)))


def _route(method: str, path: str, choices: Choices) -> tuple[Route, str]:
    """The route of a path, and the path by which it is known."""
    known = LEGACY.get(path, path)
    needed = []
    if known not in ROUTES:
        near = NEAR_PATHS[path]
        hint = "GET /openapi.json lists all routes"
        if near:
            methods = ROUTES[near].methods
            one = method if method in methods else methods[0]
            one = one if one == method else f"{one}, not {method},"
            why = ' The path must end without "/".' if path == f"{near}/" else ""
            hint = f"did you mean {one} {near}?{why} {hint}; "
            hint += "`responses:` in a fixture file adds others"
        else:
            hint = f"no version of FastGPT that this mock knows has this path; {hint}"
            call = f"mock_server.respond('{method} {path}', data={{}})"
            hint += f"; answer it by {call} in a test, by mock-server answer {method} "
            hint += f"{path} --data '{{}}' (--url if not on port 8000), or in a "
            hint += f"fixture by responses: [{{method: {method}, path: {path}, data: "
            hint += "{}}]"
        raise Refused("no_route", _no_route(method, path, f" ({hint})", choices))
    since, until = ROUTES[known].since, ROUTES[known].until
    if not since <= str(choices["version"]) <= until:
        has_it = since if str(choices["version"]) < since else until
        hint = f"a route of the service in version {has_it}, "
        newer = f"; newer versions have {path.replace('item', 'record')}"
        newer *= path.endswith("/item/delete")
        hint = f" ({hint}served with the choice version={has_it}{newer})"
        raise Refused("no_route", _no_route(method, path, hint, choices))
    if known not in DOCUMENTED:
        needed += remedies(choices, "related_routes")
    if path in LEGACY:
        needed += remedies(choices, "legacy_paths")
    if needed:
        about = f"{_RELATED_ROUTE}, " if known not in DOCUMENTED else ""
        hint = f" ({about}served with the choice {' and '.join(needed)})"
        raise Refused("no_route", _no_route(method, path, hint, choices))
    return ROUTES[known], known


def _no_route(method: str, path: str, hint: str, choices: Choices) -> str:
    what = f"PUT {PIN} or POST {LIST_V2}"
    if tolerates(choices, "related_routes"):
        what = "a route that this mock serves"
    return expected(what, f'{method} "{path}"', "path", hint)


def _no_key(got: str, *values: str) -> str:
    what, hint = "one header `Authorization: Bearer KEY`", served_with(*values)
    if got == "one without a key":
        hint = " (is a variable such as $KEY unset?)"
    return expected(what, got, _AUTHORIZATION, hint)


def _holder(key: str, sandbox: Sandbox) -> Caller:
    """Who has a key."""
    callers, choices = sandbox.callers(), sandbox.plain.choices
    if key in callers:
        return callers[key]
    what, got, values = "a key that the fixture declares", "an unknown one", []
    if key.startswith(_ISSUED):
        what, got = "a key of a sandbox", "one that leads to none"
        hint = " (it was deleted or has expired: create it again)"
        raise Refused("unknown_key", expected(what, got, _AUTHORIZATION, hint))
    if not callers:
        if tolerates(choices, "unknown_key"):
            return {"key": key}
        values = remedies(choices, "unknown_key")
    raise Refused(
        "unknown_key", expected(what, got, _AUTHORIZATION, served_with(*values))
    )


def _check_type(
    request: Request, choices: Choices, route: Route, is_spec: bool
) -> None:
    """Check the content type; related routes need none for what has no body."""
    given, choice = request.content_type, "content_type_missing"
    media_type = (given or "").partition(";")[0].strip().lower()
    if not is_spec:
        if request.method == "DELETE" and choices["query_delete"] != "accept":
            choice = "query_delete"
        else:
            if not request.content and media_type != JSON:
                given = None
            if given is None and request.method in ("GET", "DELETE"):
                return
    if given is None and tolerates(choices, choice):
        return
    charset = (given or "").partition("charset=")[2].lower()
    if media_type != JSON or charset not in ("", "utf-8") or given is None:
        got = "nothing" if given is None else in_words(given)
        hint = served_with(*remedies(choices, choice)) if given is None else ""
        if not request.content and choice == "content_type_missing":
            hint = f" ({_how_to_send(route, is_spec)})"
        what = "application/json in UTF-8"
        text = expected(what, got, "header Content-Type", hint)
        raise Refused("media_type", text)


def _how_to_send(route: Route, is_spec: bool) -> str:
    """Body, query or both, whichever an operation reads."""
    if is_spec:
        return "send the fields as a JSON body: the query is not read"
    name, reads = route.operation, "body and query are read"
    if name == "dataset.list":
        reads = "the server reads the body, and a query only of a GET"
    elif name in ("collection.list", "item.delete"):
        reads = "the server reads the body, not a query"
    elif name in PAGED:
        reads = "the server reads the body, and only the page of a query"
    elif route.methods in (("GET",), ("DELETE",)) and name != "record.delete":
        reads = "the server reads the query, not a body"
    return f"send this header: {reads}"


def _fields(request: Request, route: Route, is_spec: bool) -> Fields:
    """The fields in the body, and those in the query of a related route."""
    query: Fields = {} if is_spec else request.query
    name, is_short = route.operation, route.methods in (("GET",), ("DELETE",))
    is_listed = name == "dataset.list" and request.method != "GET"
    if is_listed or name in ("collection.list", "item.delete"):
        query = {}
    elif name in PAGED:
        names = PAGING if "pageSize" in query else ()
        query = {each: it for each, it in query.items() if each in names}
    elif is_short and name != "record.delete":
        return query
    if not is_spec and not request.content:
        return query
    if request.content in BAD_JSON:
        got = BAD_JSON[request.content]
        hint = " (send the fields as a JSON body: the query is not read)"
        text = expected("a JSON object", got, "$", hint if got == "nothing" else "")
        raise Refused("json", text)
    found: Fields = json.loads(request.content)
    if name == "record.delete":
        return found or query
    if name in PAGED:
        return found if "pageSize" in found else found | query
    return found | query


def _performed(
    plain: Base,
    route: Route,
    caller: Caller,
    fields: Fields,
    fault: Fault | None = None,
) -> Answer:
    """The answer to fields, of which a fault may spoil the page."""
    plain.caller = caller
    try:
        read, data = _data(plain, route, fields)
    except Refused as refused:
        answer = refusal(refused, plain.choices)
        is_told = plain.choices["error_form"] == "service" and refused.kind != "field"
        if is_told and (hint := _served_by_another(plain, route, fields)):
            answer.headers["x-mock-hint"] = hint
        return answer
    if isinstance(data, Page):
        if fault is not None:
            fault.change(data, read)
        data = data.shown()
    if fault is not None and fault.kind == "alter":
        fault.alter(data)
    if route.is_bare:
        is_text = isinstance(data, str)
        headers = {"content-type": "text/csv; charset=utf-8"} if is_text else {}
        return Answer(200, data, headers | _ignored(route, read))
    is_exact = route.operation in ("updateHistory", "listV2")
    headers = _ignored(route, fields if is_exact else read)
    return Answer(200, envelope(data), headers, is_exact=is_exact)


def _looked_at(fields: Fields, own: Mapping[str, Field]) -> Fields:
    """The fields but those that are null for nothing, where nobody checks that."""
    return {
        name: value
        for name, value in fields.items()
        if name not in own
        or (
            not own[name].is_idle
            and (value is not None or own[name].is_required or own[name].is_valid(None))
        )
    }


def _data(plain: Base, route: Route, fields: Fields) -> tuple[Fields, Any]:
    """The fields as they are read, and the data of the answer. Raises Refused."""
    if route.operation in ("updateHistory", "listV2"):
        _check_integers(fields)
        read = Body(fields, route.operation == "updateHistory", plain.choices).read()
    else:
        read = fields
        is_open = route.is_open or tolerates(plain.choices, "unknown_fields")
        is_former = route.former and plain.choices["version"] == "4.14"
        own = route.former if is_former and route.former else route.fields
        if not (route.is_checked or plain.choices["version"] != "4.14"):
            read = fields = _looked_at(fields, own)
        is_open = is_open and not (
            route.is_strict and plain.choices["version"] != "4.14"
        )
        is_known = is_open or set(fields) <= set(own)
        if not is_known or not check(fields, own):
            raise Refused("field")
    plain.settle()
    return read, getattr(plain, route.name)(read)


def _served_by_another(plain: Base, route: Route, fields: Fields) -> str:
    """Which other version serves what is refused; empty if none does.

    One that does not know all fields would pass over what is asked for.
    """
    state, choices = copied(plain.state), plain.choices
    is_latest = choices["version"] == "4.16"
    now, other = route.fields, route.former or route.fields
    if not is_latest:
        now, other = other, now
    if not set(now) <= set(other):
        return ""
    plain.choices = choices | {"version": "4.14" if is_latest else "4.16"}
    try:
        _data(plain, route, fields)
    except Refused:
        return ""
    finally:
        plain.state, plain.choices = state, choices
    return "served by versions up to 4.14" if is_latest else "served since version 4.16"


def _ignored(route: Route, fields: Fields) -> dict[str, str]:
    """The header that says which unknown field is likely meant for another."""
    known = {*route.fields}
    if route.operation in ("updateHistory", "listV2"):
        body = Body(fields, route.operation == "updateHistory", {})
        known = {*body.spec, *body.more}
    for name in fields:
        meant = MEANT.get(name)
        if name not in known and meant in known and meant not in fields:
            hint = f'unknown field "{name}" is ignored (did you mean "{meant}"?)'
            is_typo = name.lower().replace("_", "") == str(meant).lower()
            return {"x-mock-hint": hint} if is_typo or not route.is_open else {}
    rows = fields["data"] if route.operation == "pushData" else []
    if without := [each for each in rows if not each.get("q")]:
        hint = f'{len(without)} of {len(rows)} rows have no "q" and are left out'
        hint += ' (a row is {"q": "...", "a": "..."})'
        return {"x-mock-hint": hint}
    return {}


def _spoilt(
    fault: Fault, sandbox: Sandbox, route: Route, caller: Caller, fields: Fields
) -> Answer:
    """The answer to a request at which a fault fires."""
    plain = sandbox.plain
    if fault.kind in ("error", "rate_limit"):
        if fault.fields["phase"] == "after":
            _performed(plain, route, caller, fields)
        return fault.answer(plain.choices)
    if fault.kind == "lost_write":
        before = copied(plain.state)
        answer = _performed(plain, route, caller, fields)
        plain.state = before
        return answer
    return _performed(plain, route, caller, fields, fault)


def _check_integers(body: Fields) -> None:
    """No integer that not all JSON readers keep exact; stories have some at the top."""
    for name, value in body.items():
        if type(value) is int and abs(value) > LARGEST:
            what, got = f"integers of at most {LARGEST}", in_words(value)
            raise Refused("field", expected(what, got, f"$.{name}"))
